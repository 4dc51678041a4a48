// RUN: treadle translate %s --to bytecode -o %t.bc
// RUN: treadle translate %t.bc | FileCheck %s
// RUN: not treadle translate %s --to artifact -o %t.vhlo 2>&1 | FileCheck %s --check-prefix=ARTIFACT
// RUN: not treadle translate %s --to bytecode 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: treadle run %s --input '2xf32=[1,2]' --reference | FileCheck %s --check-prefix=RESULT
// RUN: treadle run %s --input '2xf32=[1,2]' | FileCheck %s --check-prefix=RESULT
// ARTIFACT: not written yet
// FILE: name a file
// RESULT: 2xf32=[2, 4]

// CHECK: stablehlo.add
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
