// Processes that exchange values.
module {
  func.func @ring(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<4xi64>, tensor<1xi64>, tensor<ui32>) {
    %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2xi64>) -> tensor<2xi64>
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids} : (tensor<2xi64>) -> tensor<4xi64>
    %2 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %sum = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %sum : tensor<i64>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids} : (tensor<2xi64>) -> tensor<1xi64>
    %3 = stablehlo.partition_id : tensor<ui32>
    return %0, %1, %2, %3 : tensor<2xi64>, tensor<4xi64>, tensor<1xi64>, tensor<ui32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %y = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
    %0:8 = "interpreter.run_parallel"(%x, %y) {programs = [[@ring, @ring]]} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<4xi64>, tensor<1xi64>, tensor<ui32>, tensor<2xi64>, tensor<4xi64>, tensor<1xi64>, tensor<ui32>)
    check.expect_eq %0#0, %y : tensor<2xi64>
    check.expect_eq %0#4, %x : tensor<2xi64>
    check.expect_eq_const %0#1, dense<[1, 2, 3, 5]> : tensor<4xi64>
    check.expect_eq_const %0#2, dense<4> : tensor<1xi64>
    check.expect_eq_const %0#6, dense<7> : tensor<1xi64>
    check.expect_eq_const %0#7, dense<1> : tensor<ui32>
    return
  }
}
