// What async_start starts is done at once.
// RUN: treadle-opt --expand-async %s | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @both(%x: tensor<4xf32>) -> tensor<2xf32> {
  // CHECK: %[[SLICE:.*]] = stablehlo.slice %[[X]] [0:2]
  // CHECK-NOT: async
  // CHECK: %[[ABS:.*]] = stablehlo.abs %[[X]]
  // CHECK: %[[TAIL:.*]] = stablehlo.slice %[[ABS]] [2:4]
  // CHECK: stablehlo.add %[[SLICE]], %[[TAIL]]
  %future = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  %abs = stablehlo.abs %x : tensor<4xf32>
  %tail = stablehlo.slice %abs [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  %head = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %sum = stablehlo.add %head, %tail : tensor<2xf32>
  return %sum : tensor<2xf32>
}
