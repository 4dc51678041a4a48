func.func @main(%x: tensor<4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
  %2 = stablehlo.add %0, %1 : tensor<?x?xf32>
  %3 = stablehlo.dynamic_reshape %2, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
