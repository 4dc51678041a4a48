// The text form of operations: what is printed is what JAX prints, and is read again.
// RUN: treadle-opt %s | FileCheck %s
// RUN: treadle-opt %s | treadle-opt - | FileCheck %s
// RUN: treadle-opt --generic %s | treadle-opt - | FileCheck %s
// RUN: treadle-opt --bytecode %s | treadle-opt - | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %s: tensor<f32>, %d: tensor<?xf32>) {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %a, %d : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %2 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %4 = stablehlo.compare EQ, %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %5 = stablehlo.select %p, %a, %a : tensor<4xi1>, tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %7 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>
  // CHECK: stablehlo.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %8 = stablehlo.real %7 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4xf32>
  %9 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<4xf32>) -> tensor<4x4xui8>
  %10 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xui8>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %11 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%m: tensor<3x4xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: %cst = stablehlo.constant {name = 1 : i32} dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %1 = stablehlo.constant {name = 1 : i32} dense<(1.0, 2.0)> : tensor<complex<f32>>
  // CHECK: stablehlo.iota dim = 1 : tensor<3x4xui8>
  %2 = stablehlo.iota dim = 1 : tensor<3x4xui8>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.transpose %m, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<3x4xf32>
  %5 = stablehlo.reverse %m, dims = [0] : tensor<3x4xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %6 = stablehlo.concatenate %m, %m, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:3:2, 1:4] : (tensor<3x4xf32>) -> tensor<2x3xf32>
  %7 = stablehlo.slice %m [0:3:2, 1:4] : (tensor<3x4xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %8 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [-1, 0], high = [0, 2], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x9xf32>
  %9 = stablehlo.pad %m, %s, low = [-1, 0], high = [0, 2], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x9xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %10 = stablehlo.dynamic_slice %m, %i, %i, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %11 = stablehlo.dynamic_slice %s, , sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.gather"(%{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}>
  %12 = "stablehlo.gather"(%m, %0) <{dimension_numbers = #stablehlo.gather<start_index_map = [0], offset_dims = [1], collapsed_slice_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @contraction
func.func @contraction(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %c: tensor<8xcomplex<f32>>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> :
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<8xcomplex<f32>>) -> tensor<2x3x4x8xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[}}[0, 1], [0, 1]{{\]}}, reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  %2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x4x4x6xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %3 = stablehlo.fft %c, type = IFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>, %f: tensor<f32>, %i: tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%a init: %f) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) (%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>)  {
  %1:2 = stablehlo.reduce(%a init: %f), (%b init: %i) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
    %3 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %3, %v : tensor<f32>, tensor<i32>
  }
  // Not commutative: the long form.
  // CHECK: reducer(
  %2 = "stablehlo.reduce"(%a, %f) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %3 = stablehlo.divide %x, %y : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.while(%iterArg = %{{.*}}, %iterArg_0 = %{{.*}}) : tensor<i32>, tensor<f32>
  // CHECK-NEXT: cond {
  // CHECK: stablehlo.compare LT, %iterArg,
  // CHECK: } do {
  // CHECK: stablehlo.add %iterArg, %iterArg
  %4:2 = stablehlo.while(%n = %i, %x = %f) : tensor<i32>, tensor<f32>
   cond {
    %5 = stablehlo.compare LT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %5 = stablehlo.add %n, %n : tensor<i32>
    stablehlo.return %5, %x : tensor<i32>, tensor<f32>
  }
  // CHECK: stablehlo.while() attributes {once}
  stablehlo.while() attributes {once}
  cond {
    %5 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    // CHECK: stablehlo.return{{ *$}}
    stablehlo.return
  }
  return
}

// CHECK-LABEL: func.func @calls
func.func @calls(%a: tensor<4xf32>, %t: !stablehlo.token, %k: tensor<2xui64>) {
  // CHECK: stablehlo.custom_call @target(%{{.*}}) {api_version = 4 : i32, backend_config = {a = 1 : i32}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.custom_call @target(%a) {api_version = 4 : i32, backend_config = {a = 1 : i32}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @"a target"() : () -> ()
  stablehlo.custom_call @"a target"() : () -> ()
  // CHECK: stablehlo.composite "my.op" %{{.*}} {composite_attributes = {a = 1 : i32}, decomposition = @impl, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "my.op" %a {composite_attributes = {a = 1 : i32}, decomposition = @impl, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, !stablehlo.token
  %2:2 = stablehlo.optimization_barrier %a, %t : tensor<4xf32>, !stablehlo.token
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4xf32>, !stablehlo.token>
  %3 = stablehlo.tuple %a, %t : tuple<tensor<4xf32>, !stablehlo.token>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  %4 = stablehlo.get_tuple_element %3[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  // CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %5 = stablehlo.after_all %t, %t : !stablehlo.token
  // CHECK: %output_state, %output = stablehlo.rng_bit_generator %{{.*}}, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %6, %7 = stablehlo.rng_bit_generator %k, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  // CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, use_global_device_ids}>
  %8 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

func.func private @impl(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// CHECK-LABEL: func.func @types
// CHECK-SAME: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %{{.*}}: !stablehlo.future<tensor<4xf32>, tensor<i32>>
// CHECK-SAME: mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>
func.func @types(%a: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [8, ?]>>, %b: !stablehlo.future<tensor<4xf32>, tensor<i32>>)
    attributes {mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>} {
  return
}

// CHECK-LABEL: func.func @chlo
func.func @chlo(%a: tensor<4xf32>, %s: tensor<f32>) {
  // CHECK: chlo.erf_inv %{{.*}} : tensor<4xf32> -> tensor<4xf32>
  %0 = chlo.erf_inv %a : tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.next_after %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: %values, %indices = chlo.top_k(%{{.*}}, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %2, %3 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  // CHECK: chlo.broadcast_compare %{{.*}}, %{{.*}} {broadcast_dimensions = array<i64>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %4 = chlo.broadcast_compare %a, %s {broadcast_dimensions = array<i64>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  // CHECK: chlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = chlo.constant dense<1.0> : tensor<f32>
  return
}

// CHECK-LABEL: func.func @check
func.func @check(%a: tensor<4xf64>) {
  // CHECK: check.expect_close %{{.*}}, %{{.*}}, max_ulp_difference = 3 : tensor<4xf64>, tensor<4xf64>
  check.expect_close %a, %a, max_ulp_difference = 3 : tensor<4xf64>, tensor<4xf64>
  // CHECK: check.expect_close %{{.*}}, %{{.*}}, max_ulp_difference = 1, min_ulp_difference = 1 : tensor<4xf64>, tensor<4xf64>
  check.expect_close %a, %a, max_ulp_difference = 1, min_ulp_difference = 1 : tensor<4xf64>, tensor<4xf64>
  // CHECK: check.expect_almost_eq_const %{{.*}}, dense<1.000000e+00> : tensor<4xf64> {tolerance = 1.000000e-01 : f64}
  check.expect_almost_eq_const %a, dense<1.0> : tensor<4xf64> {tolerance = 0.1 : f64}
  return
}
