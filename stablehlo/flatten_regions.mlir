// Of branches both are computed; what stays beside operations on scalars is a loop over them.
// RUN: treadle-opt --flatten-regions %s | FileCheck %s

// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<3xf32>, %init: tensor<f32>) -> tensor<f32> {
  // CHECK: stablehlo.reduce
  // CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>)
  // CHECK-NEXT: %[[P:.*]] = stablehlo.compare LT, %[[A]], %[[B]]
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]]
  // CHECK-NEXT: %[[CHOSEN:.*]] = stablehlo.select %[[P]], %[[SUM]], %[[B]]
  // CHECK-NEXT: stablehlo.return %[[CHOSEN]]
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = "stablehlo.if"(%p) ({
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }, {
      stablehlo.return %b : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: stablehlo.map
  // CHECK: stablehlo.while(%{{.*}} = %[[A:.*]], %{{.*}} = %[[A]]) : tensor<f32>, tensor<f32>
  // CHECK: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<f32>
  // CHECK: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<f32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %pair = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %r = "stablehlo.while"(%pair) ({
      ^bb0(%v: tensor<2xf32>):
        %bound = stablehlo.constant dense<100.0> : tensor<f32>
        %first = stablehlo.slice %v [0:1] : (tensor<2xf32>) -> tensor<1xf32>
        %number = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
        %p = stablehlo.compare LT, %number, %bound : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }, {
      ^bb0(%v: tensor<2xf32>):
        %w = stablehlo.multiply %v, %v : tensor<2xf32>
        stablehlo.return %w : tensor<2xf32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %last = stablehlo.slice %r [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %result = stablehlo.reshape %last : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %result : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What has no such form stays.
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: stablehlo.dot_general
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %pair = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.dot_general %pair, %pair, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
