func.func @main(%x: tensor<2x9x9x4xf32>, %k: tensor<3x3x2x6xf32>) -> tensor<2x5x5x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x9x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x5x5x6xf32>
  return %0 : tensor<2x5x5x6xf32>
}
