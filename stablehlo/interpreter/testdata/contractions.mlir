// Sums of products, transforms and solvers.
func.func @products() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi64>
  %y = stablehlo.constant dense<[[[1, 0], [0, 1]], [[1, 0], [0, 1]]]> : tensor<2x2x2xi64>
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
  check.expect_eq %0, %x : tensor<2x2x2xi64>
  %a = stablehlo.constant dense<100> : tensor<1x1xi8>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<1x1xi8>, tensor<1x1xi8>) -> tensor<1x1xi8>
  check.expect_eq_const %1, dense<16> : tensor<1x1xi8>
  %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<1x1xi8>, tensor<1x1xi8>) -> tensor<1x1xi32>
  check.expect_eq_const %2, dense<10000> : tensor<1x1xi32>
  %none = stablehlo.constant dense<> : tensor<3x0xf32>
  %nothing = stablehlo.constant dense<> : tensor<0x4xf32>
  %3 = stablehlo.dot_general %none, %nothing, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  check.expect_eq_const %3, dense<0.0> : tensor<3x4xf32>
  %4 = stablehlo.dot %none, %nothing : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  check.expect_eq %4, %3 : tensor<3x4xf32>
  %m = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %5 = stablehlo.einsum %m, %m, config = "ab,bc->ac" : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %5, dense<[[7, 10], [15, 22]]> : tensor<2x2xi64>
  %6 = stablehlo.unary_einsum %m, config = "ab->b" : (tensor<2x2xi64>) -> tensor<2xi64>
  check.expect_eq_const %6, dense<[4, 6]> : tensor<2xi64>
  return
}

func.func @convolved() {
  %x = stablehlo.constant dense<[[[[1], [2], [5], [6]], [[3], [4], [7], [8]], [[10], [11], [14], [15]], [[12], [13], [16], [17]]]]> : tensor<1x4x4x1xi64>
  %w = stablehlo.constant dense<1> : tensor<3x3x1x1xi64>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [4, 4], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x2x2x1xi64>
  check.expect_eq_const %0, dense<[[[[10], [26]], [[46], [62]]]]> : tensor<1x2x2x1xi64>
  return
}

// Two groups of features: each output sees its own input.
func.func @convolved_in_groups() {
  %x = stablehlo.constant dense<[[[1, 10], [2, 20], [3, 30]]]> : tensor<1x3x2xi32>
  %w = stablehlo.constant dense<[[[1, 3]], [[2, 4]]]> : tensor<2x1x2xi32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[-1, 1]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x3x2xi32>, tensor<2x1x2xi32>) -> tensor<1x2x2xi32>
  check.expect_eq_const %0, dense<[[[7, 170], [6, 120]]]> : tensor<1x2x2xi32>
  return
}

func.func @transformed() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f32>>
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_almost_eq %1, %x : tensor<4xcomplex<f32>>
  %r = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf64>
  %2 = stablehlo.fft %r, type = RFFT, length = [2, 3] : (tensor<2x3xf64>) -> tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %2, dense<[[(22.0, 0.0), (-3.5, 2.5980762113533160)], [(-10.0, 0.0), (0.5, -0.8660254037844386)]]> : tensor<2x2xcomplex<f64>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [2, 3] : (tensor<2x2xcomplex<f64>>) -> tensor<2x3xf64>
  check.expect_almost_eq %3, %r : tensor<2x3xf64>
  return
}

func.func @factored() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]]> : tensor<3x3xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  check.expect_eq_const %0, dense<[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %1 = stablehlo.cholesky %a : tensor<3x3xf32>
  check.expect_eq_const %1, dense<[[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, 6.0]]> : tensor<3x3xf32>
  %bad = stablehlo.constant dense<-1.0> : tensor<1x1xf32>
  %2 = stablehlo.cholesky %bad : tensor<1x1xf32>
  check.expect_eq_const %2, dense<0x7FC00000> : tensor<1x1xf32>
  return
}

func.func @solved() {
  %a = stablehlo.constant dense<[[1.0, 9.0, 9.0], [2.0, 4.0, 9.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[[2.0, 0.0, 0.0], [4.0, 8.0, 0.0], [6.0, 10.0, 12.0]]> : tensor<3x3xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
    : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %0, dense<[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf32>
  %c = stablehlo.constant dense<[[2.0, 4.0, 6.0]]> : tensor<1x3xf32>
  %1 = "stablehlo.triangular_solve"(%a, %c) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}
    : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  check.expect_eq_const %1, dense<[[2.0, 0.0, 0.0]]> : tensor<1x3xf32>
  return
}
