func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", has_side_effect = false} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "chlo.erf" %0 {composite_attributes = {}, decomposition = @body, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.digamma %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = stablehlo.optimization_barrier %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
