// What an older version of StableHLO cannot say is an error where it is said, all of them at once.
// RUN: not treadle-opt %s --artifact=1.0.0 --allow-other-dialects 2>&1 | FileCheck %s
// RUN: not treadle-opt %s --artifact=1.20.0 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: treadle-opt %s --artifact=1.20.0 --allow-other-dialects | treadle-opt - | FileCheck %s --check-prefix=TEXT

// STRICT: write_errors.mlir:[[@LINE+2]]:1: error: 'sdy.mesh': operations of other dialects than stablehlo and func are not portable
// CHECK: write_errors.mlir:[[@LINE+1]]:1: error: 'sdy.mesh': an operation of another dialect needs StableHLO 1.11.0; the target version is 1.0.0
sdy.mesh @mesh = <["x"=2]>

func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %t: tensor<2x4xf32>) {
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.tan': the operation needs StableHLO 1.4.0; the target version is 1.0.0
  %0 = stablehlo.tan %x : tensor<4xf32>
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.exponential': attribute 'result_accuracy' needs StableHLO 1.9.0
  %1 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.gather': attribute 'operand_batching_dims' needs StableHLO 1.1.0
  %2 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0],
      start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
      : (tensor<2x4xf32>, tensor<2x1xi64>) -> tensor<2x2xf32>
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.dot_general': attribute 'algorithm' needs StableHLO 1.6.0
  %3 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f32,
      rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.custom_call': a custom call whose configuration is a dictionary needs StableHLO 1.3.0
  %4 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: [[@LINE+1]]:8: error: 'stablehlo.convert': type f8E4M3 needs StableHLO 1.7.0; the target version is 1.0.0
  %5 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf8E4M3>
  // TEXT: stablehlo.negate {{.*}} {note = {words = ["a", 1, true]}}
  %6 = stablehlo.negate %x {note = {words = ["a", 1, true]}} : tensor<4xf32>
  return
}
