// A collective that is started before and awaited behind other work.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// CHECK: 1 file, 2 checks, 0 failed

func.func @exchange(%x: tensor<2xf32>) -> tensor<2xf32> {
  %future = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
        : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %twice = stablehlo.add %x, %x : tensor<2xf32>
  %other = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %difference = stablehlo.subtract %twice, %other : tensor<2xf32>
  return %difference : tensor<2xf32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %got:2 = "interpreter.run_parallel"(%a, %b) {programs=[[@exchange], [@exchange]]}
      : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %got#0, dense<[-8.0, -16.0]> : tensor<2xf32>
  check.expect_eq_const %got#1, dense<[19.0, 38.0]> : tensor<2xf32>
  return
}
