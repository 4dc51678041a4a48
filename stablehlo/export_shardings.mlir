// What is left where a reader does not know sdy.
// RUN: treadle-opt --export-shardings %s | FileCheck %s

// CHECK-NOT: sdy
sdy.mesh @mesh = <["i"=4]>

// CHECK-LABEL: func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) {
  // CHECK: %[[PART:.*]] = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<8x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[TWICE:.*]] = stablehlo.add %[[PART]], %[[PART]] : tensor<2x4xf32>
  // CHECK: %[[WHOLE:.*]] = stablehlo.custom_call @SPMDShardToFullShape(%[[TWICE]]) : (tensor<2x4xf32>) -> tensor<8x4xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [{"i"}, {}]>] manual_axes={"i"} (%p: tensor<2x4xf32>) {
    %twice = stablehlo.add %p, %p : tensor<2x4xf32>
    sdy.return %twice : tensor<2x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.negate %[[WHOLE]]
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
