func.func @main(%a: tensor<2x5x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<7xf32>) -> tensor<2x5x7xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x5x3xf32>, tensor<2x3x7xf32>) -> tensor<2x5x7xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<7xf32>) -> tensor<2x5x7xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x5x7xf32>
  return %2 : tensor<2x5x7xf32>
}
