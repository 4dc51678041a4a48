// RUN: treadle translate %s --to bytecode -o %t.bc
// RUN: treadle translate %t.bc | FileCheck %s
// RUN: treadle translate %t.bc --generic | FileCheck %s --check-prefix=GENERIC
// RUN: treadle translate %s --to artifact -o %t.vhlo
// RUN: treadle translate %t.vhlo --locations | FileCheck %s --check-prefixes=CHECK,LOCATION
// RUN: treadle translate %s --to artifact --target-version 0.9.0 -o %t.0_9 && treadle translate %t.0_9 | FileCheck %s
// RUN: not treadle translate %s --to artifact --target-version 1.99.0 -o %t.vhlo 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not treadle translate %s --to artifact --target-version newest -o %t.vhlo 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not treadle translate %s --to bytecode 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not treadle translate %s --target-version 1.0.0 2>&1 | FileCheck %s --check-prefix=USE
// RUN: treadle translate --help | FileCheck %s --check-prefix=HELP
// RUN: treadle run %s --input '2xf32=[1,2]' --reference | FileCheck %s --check-prefix=RESULT
// RUN: treadle run %s --input '2xf32=[1,2]' | FileCheck %s --check-prefix=RESULT
// RUN: treadle run %t.0_9 --input '2xf32=[1,2]' | FileCheck %s --check-prefix=RESULT
// RANGE: versions 0.9.0 to 1.20 can be written
// VERSION: 'newest' is no version of StableHLO
// FILE: name a file
// USE: belong to --to artifact
// HELP: --target-version VERSION
// HELP: Examples:
// HELP: treadle translate model.mlir --to artifact --target-version 1.8.0
// RESULT: 2xf32=[2, 4]

// GENERIC: "stablehlo.add"
// CHECK: stablehlo.add
// LOCATION: translate.mlir":[[@LINE+2]]:8
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
