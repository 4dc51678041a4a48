// RUN: split-file %s %t
// RUN: treadle-opt --expand-custom-calls %t/first.mlir | FileCheck %s
// RUN: not treadle-opt --expand-custom-calls %t/more.mlir 2>&1 | FileCheck %s --check-prefix=MORE

// MORE: more.mlir:3:8: error: 'stablehlo.custom_call' op cannot take the first of

//--- first.mlir
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
// CHECK-LABEL: func.func @first
// CHECK: %[[SORTED:.*]]:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK-NEXT: %[[GT:.*]] = stablehlo.compare GT, %[[A]], %[[B]]
// CHECK-NEXT: stablehlo.return %[[GT]] : tensor<i1>
// CHECK: stablehlo.slice %[[SORTED]]#0 [0:2, 0:3]
// CHECK: stablehlo.slice %[[SORTED]]#1 [0:2, 0:3]
func.func @first(%x: tensor<2x8xf32>, %i: tensor<2x8xi32>, %v: tensor<f32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %v, %n) {api_version = 4 : i32, backend_config = {reduction_dim = 1 : i64, top_k = 3 : i64}, called_computations = [@greater]}
      : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
//--- more.mlir
func.func private @greater(tensor<f32>, tensor<f32>) -> tensor<i1>
func.func @more(%x: tensor<8xf32>, %v: tensor<f32>) -> tensor<9xf32> {
  %0 = stablehlo.custom_call @ApproxTopK(%x, %v) {api_version = 4 : i32, backend_config = {reduction_dim = 0 : i64}, called_computations = [@greater]} : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
