func.func @main(%a: tensor<4x6xf32>, %i: tensor<i32>, %p: tensor<f32>) -> tensor<6x9xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.slice %0 [0:6:2, 1:4] : (tensor<6x4xf32>) -> tensor<3x3xf32>
  %2 = stablehlo.pad %1, %p, low = [1, -1], high = [2, 0], interior = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<6x4xf32>
  %3 = stablehlo.concatenate %0, %2, dim = 1 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<6x8xf32>
  %5 = stablehlo.reshape %4 : (tensor<6x8xf32>) -> tensor<48xf32>
  %6 = stablehlo.reshape %5 : (tensor<48xf32>) -> tensor<6x8xf32>
  %7 = stablehlo.dynamic_slice %6, %i, %i, sizes = [6, 1] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<6x1xf32>
  %8 = stablehlo.dynamic_update_slice %6, %7, %i, %i : (tensor<6x8xf32>, tensor<6x1xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>
  %9 = stablehlo.concatenate %8, %7, dim = 1 : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x9xf32>
  return %9 : tensor<6x9xf32>
}
