// Elementwise operations: the specification's examples, and where its rules have corners.
func.func @arithmetic() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %sum = stablehlo.add %a, %b : tensor<2x2xi32>
  check.expect_eq_const %sum, dense<[[6, 8], [10, 12]]> : tensor<2x2xi32>
  %difference = stablehlo.subtract %a, %b : tensor<2x2xi32>
  check.expect_eq_const %difference, dense<-4> : tensor<2x2xi32>
  %product = stablehlo.multiply %a, %b : tensor<2x2xi32>
  check.expect_eq_const %product, dense<[[5, 12], [21, 32]]> : tensor<2x2xi32>
  %and = stablehlo.and %a, %b : tensor<2x2xi32>
  check.expect_eq_const %and, dense<[[1, 2], [3, 0]]> : tensor<2x2xi32>
  %or = stablehlo.or %a, %b : tensor<2x2xi32>
  check.expect_eq_const %or, dense<[[5, 6], [7, 12]]> : tensor<2x2xi32>
  %xor = stablehlo.xor %a, %b : tensor<2x2xi32>
  check.expect_eq_const %xor, dense<[[4, 4], [4, 12]]> : tensor<2x2xi32>
  %most = stablehlo.maximum %a, %b : tensor<2x2xi32>
  check.expect_eq_const %most, dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %least = stablehlo.minimum %a, %b : tensor<2x2xi32>
  check.expect_eq_const %least, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return
}

func.func @division() {
  %x = stablehlo.constant dense<[17.1, -17.1, 17.1, -17.1]> : tensor<4xf32>
  %y = stablehlo.constant dense<[3.0, 3.0, -3.0, -3.0]> : tensor<4xf32>
  %quotient = stablehlo.divide %x, %y : tensor<4xf32>
  check.expect_eq_const %quotient, dense<[5.70000029, -5.70000029, -5.70000029, 5.70000029]> : tensor<4xf32>
  %i = stablehlo.constant dense<[17, -17, 17, -17, 5, -128, -128]> : tensor<7xi8>
  %j = stablehlo.constant dense<[3, 3, -3, -3, 0, -1, 0]> : tensor<7xi8>
  %cut = stablehlo.divide %i, %j : tensor<7xi8>
  check.expect_eq_const %cut, dense<[5, -5, -5, 5, -1, -128, -1]> : tensor<7xi8>
  %rest = stablehlo.remainder %i, %j : tensor<7xi8>
  check.expect_eq_const %rest, dense<[2, -2, 2, -2, 5, 0, -128]> : tensor<7xi8>
  return
}

func.func @power() {
  %x = stablehlo.constant dense<[-2.0, -0.0, -36.0, 5.0, 3.0, 10000.0]> : tensor<6xf64>
  %y = stablehlo.constant dense<[2.0, 2.0, 1.1, 2.0, -1.0, 10.0]> : tensor<6xf64>
  %0 = stablehlo.power %x, %y : tensor<6xf64>
  check.expect_almost_eq_const %0, dense<[4.0, 0.0, 0x7FF8000000000000, 25.0, 0.33333333333333331, 1.0e40]> : tensor<6xf64>
  %i = stablehlo.constant dense<[2, -1, -1, 3, 0, 7]> : tensor<6xi8>
  %j = stablehlo.constant dense<[7, -3, -2, -1, 0, 3]> : tensor<6xi8>
  %1 = stablehlo.power %i, %j : tensor<6xi8>
  check.expect_eq_const %1, dense<[-128, -1, 1, 0, 1, 87]> : tensor<6xi8>
  return
}

func.func @shifts() {
  %x = stablehlo.constant dense<[-1, 0, 8, -128]> : tensor<4xi8>
  %y = stablehlo.constant dense<[1, 2, 3, 9]> : tensor<4xi8>
  %left = stablehlo.shift_left %x, %y : tensor<4xi8>
  check.expect_eq_const %left, dense<[-2, 0, 64, 0]> : tensor<4xi8>
  %arithmetic = stablehlo.shift_right_arithmetic %x, %y : tensor<4xi8>
  check.expect_eq_const %arithmetic, dense<[-1, 0, 1, -1]> : tensor<4xi8>
  %logical = stablehlo.shift_right_logical %x, %y : tensor<4xi8>
  check.expect_eq_const %logical, dense<[127, 0, 1, 0]> : tensor<4xi8>
  return
}

func.func @bits() {
  %x = stablehlo.constant dense<[[0, 1], [128, -1]]> : tensor<2x2xi64>
  %zeros = stablehlo.count_leading_zeros %x : tensor<2x2xi64>
  check.expect_eq_const %zeros, dense<[[64, 63], [56, 0]]> : tensor<2x2xi64>
  %n = stablehlo.constant dense<[0, 1, 2, 127, -1]> : tensor<5xi8>
  %ones = stablehlo.popcnt %n : tensor<5xi8>
  check.expect_eq_const %ones, dense<[0, 1, 1, 7, 8]> : tensor<5xi8>
  %not = stablehlo.not %n : tensor<5xi8>
  check.expect_eq_const %not, dense<[-1, -2, -3, -128, 0]> : tensor<5xi8>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %q = stablehlo.not %p : tensor<2xi1>
  check.expect_eq_const %q, dense<[false, true]> : tensor<2xi1>
  return
}

func.func @signs() {
  %x = stablehlo.constant dense<[0xFF800000, -1.5, -0.0, 0.0, 2.0, 0x7FC00000]> : tensor<6xf32>
  %abs = stablehlo.abs %x : tensor<6xf32>
  check.expect_eq_const %abs, dense<[0x7F800000, 1.5, 0.0, 0.0, 2.0, 0x7FC00000]> : tensor<6xf32>
  %sign = stablehlo.sign %x : tensor<6xf32>
  check.expect_eq_const %sign, dense<[-1.0, -1.0, -0.0, 0.0, 1.0, 0x7FC00000]> : tensor<6xf32>
  %finite = stablehlo.is_finite %x : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %finite, dense<[false, true, true, true, true, false]> : tensor<6xi1>
  %i = stablehlo.constant dense<[-128, -2, 0, 2]> : tensor<4xi8>
  %magnitude = stablehlo.abs %i : tensor<4xi8>
  check.expect_eq_const %magnitude, dense<[-128, 2, 0, 2]> : tensor<4xi8>
  %negative = stablehlo.negate %i : tensor<4xi8>
  check.expect_eq_const %negative, dense<[-128, 2, 0, -2]> : tensor<4xi8>
  return
}

func.func @roundings() {
  %x = stablehlo.constant dense<[-2.5, -0.8, 0.5, 1.5, 2.5]> : tensor<5xf64>
  %ceil = stablehlo.ceil %x : tensor<5xf64>
  check.expect_eq_const %ceil, dense<[-2.0, -0.0, 1.0, 2.0, 3.0]> : tensor<5xf64>
  %floor = stablehlo.floor %x : tensor<5xf64>
  check.expect_eq_const %floor, dense<[-3.0, -1.0, 0.0, 1.0, 2.0]> : tensor<5xf64>
  %away = stablehlo.round_nearest_afz %x : tensor<5xf64>
  check.expect_eq_const %away, dense<[-3.0, -1.0, 1.0, 2.0, 3.0]> : tensor<5xf64>
  %even = stablehlo.round_nearest_even %x : tensor<5xf64>
  check.expect_eq_const %even, dense<[-2.0, -1.0, 0.0, 2.0, 2.0]> : tensor<5xf64>
  return
}

func.func @nan_and_zero() {
  %x = stablehlo.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[0.0, 1.0, 0x7FC00000]> : tensor<3xf32>
  %most = stablehlo.maximum %x, %y : tensor<3xf32>
  %bits = stablehlo.bitcast_convert %most : (tensor<3xf32>) -> tensor<3xi32>
  %first = stablehlo.slice %bits [0:1] : (tensor<3xi32>) -> tensor<1xi32>
  check.expect_eq_const %first, dense<0> : tensor<1xi32>
  check.expect_eq_const %most, dense<[0.0, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>
  %least = stablehlo.minimum %y, %x : tensor<3xf32>
  %least_bits = stablehlo.bitcast_convert %least : (tensor<3xf32>) -> tensor<3xi32>
  %least_first = stablehlo.slice %least_bits [0:1] : (tensor<3xi32>) -> tensor<1xi32>
  check.expect_eq_const %least_first, dense<-2147483648> : tensor<1xi32>
  return
}

func.func @comparisons() {
  %x = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1.1, 2.9]> : tensor<2xf32>
  %less = stablehlo.compare LT, %x, %y, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %less, dense<[true, false]> : tensor<2xi1>
  %n = stablehlo.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<[0x7F800000, 0.0]> : tensor<2xf32>
  %quiet = stablehlo.compare GT, %n, %z, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %quiet, dense<false> : tensor<2xi1>
  %unequal = stablehlo.compare NE, %n, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %unequal, dense<[true, false]> : tensor<2xi1>
  %total = stablehlo.compare GT, %n, %z, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %total, dense<[true, false]> : tensor<2xi1>
  %total_less = stablehlo.compare LT, %n, %z, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %total_less, dense<[false, true]> : tensor<2xi1>
  %u = stablehlo.constant dense<[255, 1]> : tensor<2xui8>
  %v = stablehlo.constant dense<[1, 255]> : tensor<2xui8>
  %above = stablehlo.compare GE, %u, %v, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  check.expect_eq_const %above, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @clamp_and_select() {
  %low = stablehlo.constant dense<[5, 10, 15]> : tensor<3xi32>
  %x = stablehlo.constant dense<[3, 13, 23]> : tensor<3xi32>
  %high = stablehlo.constant dense<[10, 15, 20]> : tensor<3xi32>
  %clamped = stablehlo.clamp %low, %x, %high : tensor<3xi32>
  check.expect_eq_const %clamped, dense<[5, 13, 20]> : tensor<3xi32>
  %pred = stablehlo.constant dense<[false, true, false]> : tensor<3xi1>
  %chosen = stablehlo.select %pred, %low, %x : tensor<3xi1>, tensor<3xi32>
  check.expect_eq_const %chosen, dense<[3, 10, 23]> : tensor<3xi32>
  %all = stablehlo.constant dense<true> : tensor<i1>
  %one = stablehlo.select %all, %low, %x : tensor<i1>, tensor<3xi32>
  check.expect_eq %one, %low : tensor<3xi32>
  return
}

func.func @functions() {
  %x = stablehlo.constant dense<[0.0, 1.0, 4.0]> : tensor<3xf64>
  %0 = stablehlo.exponential %x : tensor<3xf64>
  check.expect_almost_eq_const %0, dense<[1.0, 2.7182818284590451, 54.598150033144236]> : tensor<3xf64>
  %1 = stablehlo.sqrt %x : tensor<3xf64>
  check.expect_eq_const %1, dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %2 = stablehlo.rsqrt %x : tensor<3xf64>
  check.expect_eq_const %2, dense<[0x7FF0000000000000, 1.0, 0.5]> : tensor<3xf64>
  %3 = stablehlo.log %x : tensor<3xf64>
  check.expect_almost_eq_const %3, dense<[0xFFF0000000000000, 0.0, 1.3862943611198906]> : tensor<3xf64>
  %4 = stablehlo.logistic %x : tensor<3xf64>
  check.expect_almost_eq_const %4, dense<[0.5, 0.73105857863000490, 0.98201379003790845]> : tensor<3xf64>
  %5 = stablehlo.atan2 %x, %x : tensor<3xf64>
  check.expect_almost_eq_const %5, dense<[0.0, 0.78539816339744828, 0.78539816339744828]> : tensor<3xf64>
  %6 = stablehlo.cbrt %x : tensor<3xf64>
  check.expect_almost_eq_const %6, dense<[0.0, 1.0, 1.5874010519681994]> : tensor<3xf64>
  %7 = stablehlo.exponential_minus_one %x : tensor<3xf64>
  check.expect_almost_eq_const %7, dense<[0.0, 1.7182818284590451, 53.598150033144236]> : tensor<3xf64>
  %8 = stablehlo.log_plus_one %x : tensor<3xf64>
  check.expect_almost_eq_const %8, dense<[0.0, 0.69314718055994529, 1.6094379124341003]> : tensor<3xf64>
  %9 = stablehlo.tan %x : tensor<3xf64>
  check.expect_almost_eq_const %9, dense<[0.0, 1.5574077246549023, 1.1578212823495777]> : tensor<3xf64>
  return
}

func.func @complex_numbers() {
  %re = stablehlo.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[4.0, 1.0]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  check.expect_eq_const %z, dense<[(3.0, 4.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %length = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %length, dense<[5.0, 1.0]> : tensor<2xf32>
  %square = stablehlo.multiply %z, %z : tensor<2xcomplex<f32>>
  check.expect_eq_const %square, dense<[(-7.0, 24.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>
  %one = stablehlo.divide %z, %z : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %one, dense<(1.0, 0.0)> : tensor<2xcomplex<f32>>
  %imag = stablehlo.imag %square : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %imag, dense<[24.0, 0.0]> : tensor<2xf32>
  %root = stablehlo.sqrt %square : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %root, dense<[(3.0, 4.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %sign = stablehlo.sign %z : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %sign, dense<[(0.6, 0.8), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  return
}
