func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi4>, tensor<4x8xf8E4M3FN>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x8xf32>) -> tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.add %0, %0 : tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x8xf32>
  %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xi4>
  %4 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xf8E4M3FN>
  %5 = stablehlo.reduce_precision %2, format = e5m10 : tensor<4x8xf32>
  return %5, %3, %4 : tensor<4x8xf32>, tensor<4x8xi4>, tensor<4x8xf8E4M3FN>
}
