// A program without anything newer than StableHLO 0.9: what every version can write.
module @core attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32> {jax.donor = true}, %arg1: tensor<8x3xf32>, %arg2: tensor<5x1xi32>) -> (tensor<4x3xf32> {jax.result_info = "y"}, tensor<5x3xf32>, tensor<i32>) {
    %mask = stablehlo.constant dense<[[true, false, true], [false, true, true], [true, true, false], [false, false, true]]> : tensor<4x3xi1>
    %yes = stablehlo.constant dense<true> : tensor<9xi1>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %table = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi8>
    %half = stablehlo.constant dense<0.5> : tensor<4x3xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.select %mask, %0, %half : tensor<4x3xi1>, tensor<4x3xf32>
    %2 = stablehlo.tanh %1 : tensor<4x3xf32>
    %3 = "stablehlo.gather"(%2, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
    %4 = "stablehlo.scatter"(%2, %arg2, %3) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true} : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
    %count = stablehlo.constant dense<10> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %6:2 = stablehlo.while(%i = %one, %x = %5) : tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %r = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %n, %r : tensor<i32>, tensor<f32>
    }
    %7 = stablehlo.custom_call @target(%4) {backend_config = "how", has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %8 = stablehlo.pad %7, %zero, low = [0, -1], high = [0, 1], interior = [0, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    %9:2 = "stablehlo.sort"(%8, %8) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %p = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<4x3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
    return %9#1, %3, %6#0 : tensor<4x3xf32>, tensor<5x3xf32>, tensor<i32>
  }
  func.func private @twice(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<f32>
    return %0 : tensor<f32>
  }
}
