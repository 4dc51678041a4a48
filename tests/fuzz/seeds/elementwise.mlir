func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %s: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xi1>) {
  %0 = stablehlo.add %a, %b : tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %3 = stablehlo.maximum %1, %2 : tensor<4x8xf32>
  %4 = stablehlo.compare LT, %3, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %5 = stablehlo.select %4, %3, %b : tensor<4x8xi1>, tensor<4x8xf32>
  %6 = stablehlo.power %5, %a : tensor<4x8xf32>
  %7 = stablehlo.clamp %s, %6, %s : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %7, %4 : tensor<4x8xf32>, tensor<4x8xi1>
}
