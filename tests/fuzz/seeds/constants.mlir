func.func @main() -> (tensor<3x4xf32>, tensor<3x4xi64>, tensor<4xi1>, tensor<2xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1.5> : tensor<3x4xf32>
  %1 = stablehlo.iota dim = 1 : tensor<3x4xi64>
  %2 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
  %3 = stablehlo.constant dense<[(1.0, 2.0), (0.5, -1.0)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.convert %1 : (tensor<3x4xi64>) -> tensor<3x4xf32>
  %5 = stablehlo.multiply %0, %4 : tensor<3x4xf32>
  %6 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  return %5, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xi64>, tensor<4xi1>, tensor<2xcomplex<f32>>
}
