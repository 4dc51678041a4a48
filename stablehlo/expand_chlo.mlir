// RUN: treadle-opt --expand-chlo %s | FileCheck %s

// CHECK-NOT: chlo.
// CHECK-LABEL: func.func @square
func.func @square(%a: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-NEXT: stablehlo.multiply %arg0, %arg0 : tensor<4xbf16>
  %0 = chlo.square %a : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @small_types_are_computed_in_f32
func.func @small_types_are_computed_in_f32(%a: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: %[[Y:.*]] = stablehlo.atan2 %[[X]], %{{.*}} : tensor<4xf32>
  // CHECK: stablehlo.convert %[[Y]] : (tensor<4xf32>) -> tensor<4xbf16>
  %0 = chlo.atan %a : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%a: tensor<3x4xf32>, %b: tensor<3xf32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<3x4xi1>) {
  // CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  // CHECK: stablehlo.subtract %arg0, %[[B]] : tensor<3x4xf32>
  %0 = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  // CHECK: %[[S:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
  // CHECK: stablehlo.compare GE, %arg0, %[[S]]
  %1 = chlo.broadcast_compare %a, %s {comparison_direction = #chlo<comparison_direction GE>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xi1>
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%a: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  // CHECK: %[[I:.*]] = stablehlo.iota dim = 1 : tensor<2x8xi32>
  // CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %[[I]]) <{dimension = 1 : i64, is_stable = true}>
  // CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
  // CHECK: stablehlo.slice %[[S]]#0 [0:2, 0:3]
  // CHECK: stablehlo.slice %[[S]]#1 [0:2, 0:3]
  %0, %1 = chlo.top_k(%a, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}
