// RUN: treadle-opt --settle-shapes --expand-legacy %s | FileCheck %s

// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
  %0 = stablehlo.dot %a, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @einsum
func.func @einsum(%a: tensor<5x3x4xf32>, %b: tensor<4x5x2xf32>) -> tensor<2x5x3xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], contracting_dims = [2] x [0]
  // CHECK: stablehlo.transpose {{.*}} dims = [2, 0, 1]
  %0 = stablehlo.einsum %a, %b, config = "bik,kbj->jbi" : (tensor<5x3x4xf32>, tensor<4x5x2xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @tuple
// CHECK-NEXT: return %arg1
func.func @tuple(%a: tensor<f32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}

// CHECK-LABEL: func.func @map
func.func @map(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK-NOT: stablehlo.map
  // CHECK: stablehlo.multiply {{.*}} : tensor<4x5xf32>
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.multiply %x, %two : tensor<f32>
    %2 = stablehlo.add %1, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Sizes come from types, constants and arithmetic on them.
// CHECK-LABEL: func.func @shapes
// CHECK: stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<8x3xf32>
// CHECK: stablehlo.exponential {{.*}} : tensor<8x3xf32>
// CHECK: stablehlo.iota dim = 0 : tensor<8x3xf32>
func.func @shapes(%a: tensor<4x6xf32>) -> tensor<?x3xf32> {
  %rows = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4x6xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %twice = stablehlo.multiply %rows, %two : tensor<i32>
  %one = stablehlo.reshape %twice : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %one, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %1 = stablehlo.exponential %0 : tensor<?x3xf32>
  %2 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x3xf32>
  %3 = stablehlo.add %1, %2 : tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}
