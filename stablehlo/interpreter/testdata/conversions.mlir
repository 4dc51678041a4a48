// convert, bitcast_convert, reduce_precision, quantized numbers; narrow element types.
func.func @float_to_integer() {
  %x = stablehlo.constant dense<[-1.5, 300.0, 0x7FC00000, 0x7F800000, 0xFF800000, 2.9]> : tensor<6xf32>
  %0 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xi8>
  check.expect_eq_const %0, dense<[-1, 127, 0, 127, -128, 2]> : tensor<6xi8>
  %1 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xui8>
  check.expect_eq_const %1, dense<[0, 255, 0, 255, 0, 2]> : tensor<6xui8>
  %2 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %2, dense<true> : tensor<6xi1>
  return
}

func.func @integer_to_float() {
  %x = stablehlo.constant dense<[9007199254740993, 9223372036854775807]> : tensor<2xi64>
  %0 = stablehlo.convert %x : (tensor<2xi64>) -> tensor<2xf64>
  check.expect_eq_const %0, dense<[9007199254740992.0, 9223372036854775808.0]> : tensor<2xf64>
  %y = stablehlo.constant dense<18446744073709551615> : tensor<1xui64>
  %1 = stablehlo.convert %y : (tensor<1xui64>) -> tensor<1xf32>
  check.expect_eq_const %1, dense<18446744073709551616.0> : tensor<1xf32>
  return
}

func.func @narrow_integers() {
  %x = stablehlo.constant dense<[-8, -1, 7]> : tensor<3xi4>
  %y = stablehlo.constant dense<[-1, -1, 1]> : tensor<3xi4>
  %0 = stablehlo.add %x, %y : tensor<3xi4>
  check.expect_eq_const %0, dense<[7, -2, -8]> : tensor<3xi4>
  %u = stablehlo.constant dense<[10, 15, 7]> : tensor<3xui4>
  %s = stablehlo.constant dense<[1, 5, 1]> : tensor<3xui4>
  %shifted = stablehlo.shift_right_arithmetic %u, %s : tensor<3xui4>
  check.expect_eq_const %shifted, dense<[13, 15, 3]> : tensor<3xui4>
  %1 = stablehlo.convert %x : (tensor<3xi4>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[-8, -1, 7]> : tensor<3xi32>
  %2 = stablehlo.convert %1 : (tensor<3xi32>) -> tensor<3xui2>
  check.expect_eq_const %2, dense<[0, 3, 3]> : tensor<3xui2>
  return
}

func.func @narrow_floats() {
  %x = stablehlo.constant dense<[0.3, 500.0, -0.0, 1.0e-9]> : tensor<4xf32>
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %1 = stablehlo.convert %0 : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  check.expect_eq_const %1, dense<[0.3125, 0x7FC00000, -0.0, 0.0]> : tensor<4xf32>
  %2 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf8E5M2>
  %3 = stablehlo.convert %2 : (tensor<4xf8E5M2>) -> tensor<4xf32>
  check.expect_eq_const %3, dense<[0.3125, 512.0, -0.0, 0.0]> : tensor<4xf32>
  %4 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %5 = stablehlo.convert %4 : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  check.expect_eq_const %5, dense<[0.5, 6.0, -0.0, 0.0]> : tensor<4xf32>
  %6 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf6E3M2FN>
  %7 = stablehlo.convert %6 : (tensor<4xf6E3M2FN>) -> tensor<4xf32>
  check.expect_eq_const %7, dense<[0.3125, 28.0, -0.0, 0.0]> : tensor<4xf32>
  %8 = stablehlo.constant dense<[3.0, 1.0, 0.7]> : tensor<3xf32>
  %9 = stablehlo.convert %8 : (tensor<3xf32>) -> tensor<3xf8E8M0FNU>
  %10 = stablehlo.convert %9 : (tensor<3xf8E8M0FNU>) -> tensor<3xf32>
  check.expect_eq_const %10, dense<[4.0, 1.0, 0.5]> : tensor<3xf32>
  return
}

func.func @bits() {
  %x = stablehlo.constant dense<0x0123456789ABCDEF> : tensor<f64>
  %0 = stablehlo.bitcast_convert %x : (tensor<f64>) -> tensor<4xf16>
  check.expect_eq_const %0, dense<[0xCDEF, 0x89AB, 0x4567, 0x0123]> : tensor<4xf16>
  %1 = stablehlo.bitcast_convert %0 : (tensor<4xf16>) -> tensor<i64>
  check.expect_eq_const %1, dense<81985529216486895> : tensor<i64>
  %y = stablehlo.constant dense<[[1, -8], [7, 0]]> : tensor<2x2xi4>
  %2 = stablehlo.bitcast_convert %y : (tensor<2x2xi4>) -> tensor<2xui8>
  check.expect_eq_const %2, dense<[129, 7]> : tensor<2xui8>
  return
}

func.func @reduced_precision() {
  %x = stablehlo.constant dense<[0x7F800000, 0x7F9D0000, 0.000002, 65504.0, 65520.0, -1.00048828125]> : tensor<6xf32>
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<6xf32>
  check.expect_eq_const %0, dense<[0x7F800000, 0x7FC00000, 0.0, 65504.0, 0x7F800000, -1.0]> : tensor<6xf32>
  %1 = stablehlo.reduce_precision %x, format = e5m0 : tensor<6xf32>
  check.expect_eq_const %1, dense<[0x7F800000, 0x7F800000, 0.0, 0x7F800000, 0x7F800000, -1.0]> : tensor<6xf32>
  return
}

func.func @quantized() {
  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %bits = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xi8>
  check.expect_eq_const %bits, dense<[-12, 10]> : tensor<2xi8>
  %back = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xf32>
  check.expect_eq_const %back, dense<[4.0, 15.0]> : tensor<2xf32>
  %sum = stablehlo.add %q, %q : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %real = stablehlo.uniform_dequantize %sum : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xf32>
  check.expect_eq_const %real, dense<[8.0, 30.0]> : tensor<2xf32>
  return
}

func.func @quantized_per_axis() {
  %x = stablehlo.constant dense<[[1.0, 1.0], [100.0, -100.0]]> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 1.0:10}>>
  %bits = stablehlo.bitcast_convert %q : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 1.0:10}>>) -> tensor<2x2xi8>
  check.expect_eq_const %bits, dense<[[2, 11], [127, -90]]> : tensor<2x2xi8>
  return
}
