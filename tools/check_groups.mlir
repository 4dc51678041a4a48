// Collectives whose groups are of different sizes, leave devices out, or have a root that is a value.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// CHECK: 1 file, 16 checks, 0 failed

func.func @reduce(%x: tensor<2xf32>) -> tensor<2xf32> {
  %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[3, 0, 1], [2, -1, -1]]> : tensor<2x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}
func.func @broadcast(%x: tensor<2xf32>, %root: tensor<1xi32>) -> tensor<2xf32> {
  %sent = "stablehlo.collective_broadcast"(%x, %root) {
    replica_groups = dense<[[3, 0]]> : tensor<1x2xi64>, has_dynamic_root
  } : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %sent : tensor<2xf32>
}
func.func @to_first(%x: tensor<2xf32>) -> tensor<2xf32> {
  %sum = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}
func.func @to_root(%x: tensor<2xf32>, %root: tensor<1xi32>) -> tensor<2xf32> {
  %sum = "stablehlo.collective_reduce"(%x, %root) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, has_dynamic_root}
      : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %d = stablehlo.constant dense<[1000.0, 2000.0]> : tensor<2xf32>
  %sums:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs=[[@reduce], [@reduce], [@reduce], [@reduce]]}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %sums#0, dense<[1011.0, 2022.0]> : tensor<2xf32>
  check.expect_eq_const %sums#1, dense<[1011.0, 2022.0]> : tensor<2xf32>
  check.expect_eq_const %sums#2, dense<[100.0, 200.0]> : tensor<2xf32>
  check.expect_eq_const %sums#3, dense<[1011.0, 2022.0]> : tensor<2xf32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %sent:4 = "interpreter.run_parallel"(%a, %one, %b, %zero, %c, %one, %d, %one) {
      programs=[[@broadcast], [@broadcast], [@broadcast], [@broadcast]]}
      : (tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<1xi32>, tensor<2xf32>,
         tensor<1xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %sent#0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %sent#1, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %sent#2, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %sent#3, dense<[1.0, 2.0]> : tensor<2xf32>
  %first:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs=[[@to_first], [@to_first], [@to_first], [@to_first]]}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %first#0, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %first#1, dense<[110.0, 220.0]> : tensor<2xf32>
  check.expect_eq_const %first#2, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %first#3, dense<[1001.0, 2002.0]> : tensor<2xf32>
  %rooted:4 = "interpreter.run_parallel"(%a, %one, %b, %zero, %c, %zero, %d, %one) {
      programs=[[@to_root], [@to_root], [@to_root], [@to_root]]}
      : (tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<1xi32>, tensor<2xf32>,
         tensor<1xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %rooted#0, dense<[1001.0, 2002.0]> : tensor<2xf32>
  check.expect_eq_const %rooted#1, dense<[110.0, 220.0]> : tensor<2xf32>
  check.expect_eq_const %rooted#2, dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_eq_const %rooted#3, dense<[0.0, 0.0]> : tensor<2xf32>
  return
}
