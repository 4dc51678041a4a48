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

// A product for every group, whose other rows are 0; the groups are summed over.
// CHECK-LABEL: func.func @ragged_rows
func.func @ragged_rows(%a: tensor<6x2xf32>, %b: tensor<3x2x4xf32>, %g: tensor<3xi32>) -> tensor<6x4xf32> {
  // CHECK: %[[ENDS:.*]] = "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{padding = dense<{{\[\[}}2, 0{{\]\]}}> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}>
  // CHECK: %[[BEGINS:.*]] = stablehlo.subtract %[[ENDS]]
  // CHECK: %[[LHS:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x6x2xi1>, tensor<3x6x2xf32>
  // CHECK: stablehlo.dot_general %[[LHS]], %arg1, contracting_dims = [2, 0] x [1, 0]
  %0 = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x2xf32>, tensor<3x2x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @scan
func.func @scan(%a: tensor<2x5xf32>, %c: tensor<2xf32>) -> tensor<2x5xf32> {
  // CHECK: %[[LOOP:.*]]:3 = stablehlo.while
  // CHECK: stablehlo.compare LT
  // CHECK: do {
  // CHECK: %[[AT:.*]] = stablehlo.subtract
  // CHECK: %[[SLICE:.*]] = stablehlo.dynamic_slice %arg0, %{{.*}}, %[[AT]], sizes = [2, 1]
  // CHECK: stablehlo.multiply
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK: return %[[LOOP]]#2
  %0, %1 = chlo.scan(%a) inits (%c) dimension=1 attributes {is_reverse = true} {
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    %p = stablehlo.add %x, %y : tensor<2xf32>
    %q = chlo.square %p : tensor<2xf32> -> tensor<2xf32>
    stablehlo.return %q, %p : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x5xf32>, tensor<2xf32>) -> (tensor<2x5xf32>, tensor<2xf32>)
  return %0 : tensor<2x5xf32>
}
