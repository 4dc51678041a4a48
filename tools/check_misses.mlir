// What does not hold is told with its place, as editors read it; the exit status is 1.
// RUN: not treadle run --check %s > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s < %t.err
// RUN: not treadle run --check --reference %s 2>&1 | FileCheck %s
// RUN: not treadle run --check --reference %t.nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// OUT: 1 file, 1 check, 1 failed
// NOWHERE: cannot read '{{.*}}.nowhere'

// CHECK: check_misses.mlir:[[#@LINE+3]]:3: error: 'check.expect_eq_const' op element [1] is 2, expected 3
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %x, dense<[1, 3]> : tensor<2xi32>
  return
}

// -----

// CHECK: check_misses.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: use of undeclared SSA value name
func.func @main() {
  check.expect_eq_const %x, dense<[1, 3]> : tensor<2xi32>
  return
}
