func.func @main(%x: tensor<8x4xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<8x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<8x4xf32>
}
