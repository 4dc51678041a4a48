func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %i: tensor<3xi32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %3 = stablehlo.tuple %0, %1 : tuple<tensor<2x4xf32>, tensor<2x4xf32>>
  %4 = stablehlo.get_tuple_element %3[0] : (tuple<tensor<2x4xf32>, tensor<2x4xf32>>) -> tensor<2x4xf32>
  return %4, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>
}
