// The operations of a map work on whole tensors.
// RUN: treadle-opt --expand-legacy %s | FileCheck %s

// CHECK-LABEL: func.func @scaled
func.func @scaled(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK-NOT: stablehlo.map
  // CHECK-DAG: %[[Z:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  // CHECK-DAG: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>
  // CHECK: %[[PRODUCT:.*]] = stablehlo.multiply %arg0, %[[TWO]] : tensor<2x3xf32>
  // CHECK: %[[SUM:.*]] = stablehlo.add %[[PRODUCT]], %arg1
  // CHECK: %[[ALL:.*]] = stablehlo.add %[[SUM]], %[[Z]]
  // CHECK: return %[[ALL]]
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.multiply %a, %two : tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    %3 = stablehlo.add %2, %z : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
