// Operations that move elements: the specification's examples, empty and cropped ones.
func.func @shapes() {
  %x = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 1] : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %0, dense<[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]> : tensor<2x3x2xi32>
  %y = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = stablehlo.reshape %y : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %1, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %z = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi32>
  %2 = stablehlo.transpose %z, dims = [2, 1, 0] : (tensor<2x3x2xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %2, dense<[[[1, 7], [3, 9], [5, 11]], [[2, 8], [4, 10], [6, 12]]]> : tensor<2x3x2xi32>
  %3 = stablehlo.reverse %1, dims = [1] : tensor<3x2xi32>
  check.expect_eq_const %3, dense<[[2, 1], [4, 3], [6, 5]]> : tensor<3x2xi32>
  %4 = stablehlo.concatenate %1, %3, dim = 0 : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<6x2xi32>
  check.expect_eq_const %4, dense<[[1, 2], [3, 4], [5, 6], [2, 1], [4, 3], [6, 5]]> : tensor<6x2xi32>
  %5 = stablehlo.iota dim = 0 : tensor<4x2xi32>
  check.expect_eq_const %5, dense<[[0, 0], [1, 1], [2, 2], [3, 3]]> : tensor<4x2xi32>
  %6 = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 2>} : (tensor<1x3xi32>) -> tensor<2x1x3xi32>
  check.expect_eq_const %6, dense<[[[1, 2, 3]], [[1, 2, 3]]]> : tensor<2x1x3xi32>
  return
}

func.func @slices() {
  %x = stablehlo.constant dense<[[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]> : tensor<3x4xi32>
  %0 = stablehlo.slice %x [1:3, 2:4] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<1> : tensor<2x2xi32>
  %1 = stablehlo.slice %x [0:3:2, 0:4:3] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[0, 1], [0, 1]]> : tensor<2x2xi32>
  %i = stablehlo.constant dense<-1> : tensor<i64>
  %j = stablehlo.constant dense<3> : tensor<i64>
  %y = stablehlo.constant dense<[[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]> : tensor<4x4xi32>
  %2 = stablehlo.dynamic_slice %y, %i, %j, sizes = [2, 2] : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %2, dense<1> : tensor<2x2xi32>
  %u = stablehlo.constant dense<5> : tensor<2x2xi32>
  %3 = stablehlo.dynamic_update_slice %y, %u, %i, %j : (tensor<4x4xi32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  check.expect_eq_const %3, dense<[[0, 0, 5, 5], [0, 0, 5, 5], [0, 0, 0, 0], [0, 0, 0, 0]]> : tensor<4x4xi32>
  %huge = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %4 = stablehlo.dynamic_slice %y, %huge, %huge, sizes = [1, 2] : (tensor<4x4xi32>, tensor<ui64>, tensor<ui64>) -> tensor<1x2xi32>
  check.expect_eq_const %4, dense<0> : tensor<1x2xi32>
  return
}

func.func @pads() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  check.expect_eq_const %0, dense<[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 5, 0, 0, 6, 0],
                                   [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<5x9xi32>
  %y = stablehlo.iota dim = 0 : tensor<6xi32>
  %w = stablehlo.constant dense<9> : tensor<i32>
  %1 = stablehlo.pad %y, %w, low = [-1], high = [-2], interior = [2] : (tensor<6xi32>, tensor<i32>) -> tensor<13xi32>
  check.expect_eq_const %1, dense<[9, 9, 1, 9, 9, 2, 9, 9, 3, 9, 9, 4, 9]> : tensor<13xi32>
  return
}

func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<0x2xf32>
  %v = stablehlo.constant dense<7.0> : tensor<f32>
  %0 = stablehlo.pad %x, %v, low = [1, 0], high = [0, 0], interior = [3, 0] : (tensor<0x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  check.expect_eq_const %0, dense<7.0> : tensor<1x2xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.expect_eq %1, %0 : tensor<1x2xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<0x2xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %2, dense<> : tensor<2x0xf32>
  return
}

func.func @gathered() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]],
                                 [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  %i = stablehlo.constant dense<[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]> : tensor<2x3x2xi64>
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 2, 2>
  } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  check.expect_eq_const %0, dense<[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]],
                                   [[[9, 10], [11, 12]], [[11, 12], [13, 14]], [[17, 18], [19, 20]]]]> : tensor<2x3x2x2xi32>
  %j = stablehlo.constant dense<[[2, 0], [1, 1], [0, 5]]> : tensor<3x2xi32>
  %y = stablehlo.constant dense<[[0, 1, 2], [10, 11, 12], [20, 21, 22]]> : tensor<3x3xi32>
  %1 = "stablehlo.gather"(%y, %j) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  } : (tensor<3x3xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %1, dense<[[2, 0], [11, 11], [20, 22]]> : tensor<3x2xi32>
  return
}

func.func @scattered() {
  %x = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[1], [1], [7], [-1], [3]]> : tensor<5x1xi32>
  %u = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[10, 23, 30, 45]> : tensor<4xi32>
  return
}

func.func @dynamic() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  check.expect_eq_const %1, dense<3> : tensor<i32>
  %2 = stablehlo.add %0, %0 : tensor<?x?xi32>
  %3 = stablehlo.reshape %2 : (tensor<?x?xi32>) -> tensor<6xi32>
  check.expect_eq_const %3, dense<[2, 4, 6, 8, 10, 12]> : tensor<6xi32>
  %starts = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %limits = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %4 = stablehlo.real_dynamic_slice %x, %starts, %limits, %strides : (tensor<2x3xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %4, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %i = stablehlo.constant dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
  %5 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>
  } : (tensor<2x3xi32>, tensor<2x2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %5, dense<[[2, 3], [4, 5]]> : tensor<2x2xi32>
  return
}

func.func @selected_rows() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  return
}
