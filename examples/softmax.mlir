// Softmax of the rows of a matrix.
module {
  func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %max_rows = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %shifted = stablehlo.subtract %x, %max_rows : tensor<2x4xf32>
    %exp = stablehlo.exponential %shifted : tensor<2x4xf32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %sum_rows = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %y = stablehlo.divide %exp, %sum_rows : tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
