// Shardings, a manual computation with collectives, and operations as of StableHLO 1.13.
module @sharded attributes {mhlo.num_partitions = 16 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z":(1)2}p1]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}, {"y"}]> : tensor<16x8xf32>
    sdy.sharding_group %0 group_id=7 : tensor<16x8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<8x4xf32>) {
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      sdy.return %2 : tensor<8x4xf32>
    } : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.composite "my.op" %1 {composite_attributes = {k = 1 : i64}, decomposition = @impl, version = 3 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %4 = stablehlo.exponential %3 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x8xf32>
    return %4 : tensor<16x8xf32>
  }
  func.func private @impl(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    return %arg0 : tensor<16x8xf32>
  }
}
