// Several programs in one file, with expectations of every form, compiled and interpreted.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// RUN: treadle run --check --json %s | FileCheck %s --check-prefix=JSON
// CHECK: 1 file, 9 checks, 0 failed
// JSON: {"file": "{{.*}}check.mlir", "checks": 9, "failures": []}

func.func @main(%zero: tensor<2xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %sum = stablehlo.add %zero, %one : tensor<2xf32>
  check.expect_eq %sum, %one : tensor<2xf32>
  check.expect_eq_const %sum, dense<1.0> : tensor<2xf32>
  check.expect_almost_eq_const %sum, dense<1.00001> : tensor<2xf32>
  check.expect_close %sum, %one, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%sum, %one) : (tensor<2xf32>, tensor<2xf32>) -> ()
  %held = stablehlo.custom_call @check.eq(%one, %sum) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  check.expect_eq_const %held, dense<true> : tensor<i1>
  return
}

// -----

// Without main every public function without arguments runs.
func.func @probed() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %y = interpreter.probe %x, probe_id = "x/y" : tensor<2xi64>
  check.expect_serialized_eq %y, probe_id = "x/y" : tensor<2xi64>
  return
}
func.func @other() {
  %x = stablehlo.constant dense<7> : tensor<i8>
  check.expect_eq_const %x, dense<7> : tensor<i8>
  return
}
func.func @needs_arguments(%x: tensor<i8>) {
  check.expect_eq_const %x, dense<7> : tensor<i8>
  return
}

// -----

// A module without functions passes.
