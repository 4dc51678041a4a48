func.func @main(%a: tensor<4x4xf32>, %x: tensor<8xcomplex<f32>>, %k: tensor<2xui64>) -> (tensor<4x4xf32>, tensor<8xcomplex<f32>>, tensor<5xui32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %1 = "stablehlo.triangular_solve"(%0, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %3, %4 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %1, %2, %4 : tensor<4x4xf32>, tensor<8xcomplex<f32>>, tensor<5xui32>
}
