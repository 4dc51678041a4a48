// Sizes that follow from operands, through loops, branches and calls.
// RUN: treadle-opt --settle-shapes %s | FileCheck %s

// CHECK-LABEL: func.func @operands
// CHECK-SAME: -> (tensor<2x3x5xf32>, tensor<3x2xf32>, tensor<6xf32>, tensor<3xf32>)
func.func @operands(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x3x5xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<2x5xf32>
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.broadcast_in_dim {{.*}} -> tensor<2x3x5xf32>
  %d0 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %d1 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %s0 = stablehlo.reshape %d0 : (tensor<i32>) -> tensor<1xi32>
  %s1 = stablehlo.reshape %d1 : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %s0, %three, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %s, dims = [0, 2] : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  %2 = "stablehlo.add"(%1, %c) : (tensor<?x?x?xf32>, tensor<2x3x5xf32>) -> tensor<?x?x?xf32>
  // CHECK: stablehlo.transpose {{.*}} -> tensor<3x2xf32>
  %3 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.reduce{{.*}} -> tensor<3xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<6xf32>
  %5 = "stablehlo.concatenate"(%4, %4) <{dimension = 0 : i64}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2, %3, %5, %4 : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// One copy a shape; what nobody calls any more is gone.
// CHECK-LABEL: func.func @calls
// CHECK: call @[[THREE:.*]](%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: call @[[FIVE:.*]](%{{.*}}) : (tensor<5xf32>) -> tensor<5xf32>
// CHECK: call @[[THREE]](%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32>
func.func @calls(%a: tensor<3xf32>, %b: tensor<5xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %x = stablehlo.dynamic_reshape %a, %three : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %y = stablehlo.dynamic_reshape %b, %five : (tensor<5xf32>, tensor<1xi32>) -> tensor<?xf32>
  %0 = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @twice(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = func.call @twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %2, %1 : tensor<?xf32>, tensor<?xf32>
}
// CHECK-NOT: tensor<?
// CHECK-DAG: func.func private @[[THREE]](%arg0: tensor<3xf32>) -> tensor<3xf32>
// CHECK-DAG: func.func private @[[FIVE]](%arg0: tensor<5xf32>) -> tensor<5xf32>
func.func private @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @regions
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32>)
func.func @regions(%a: tensor<4xf32>, %p: tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.constant dense<4> : tensor<1xi32>
  %x = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  // CHECK: stablehlo.while(%iterArg = %{{.*}}, %iterArg_{{.*}} = %{{.*}}) : tensor<i32>, tensor<4xf32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %w = stablehlo.multiply %v, %v : tensor<?xf32>
    stablehlo.return %next, %w : tensor<i32>, tensor<?xf32>
  }
  %1 = "stablehlo.if"(%p) ({
    %t = stablehlo.sine %0#1 : tensor<?xf32>
    stablehlo.return %t : tensor<?xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %0#1, %1 : tensor<?xf32>, tensor<?xf32>
}
