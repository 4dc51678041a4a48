func.func @main(%x: tensor<6x8xf32>, %i: tensor<f32>) -> (tensor<6xf32>, tensor<5x4xf32>, tensor<6xf32>, tensor<6xi32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<6x8xf32>, tensor<f32>) -> tensor<5x4xf32>
  %j = stablehlo.iota dim = 1 : tensor<6x8xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2:2 = stablehlo.reduce(%x init: %i), (%j init: %z) across dimensions = [1] : (tensor<6x8xf32>, tensor<6x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %0, %1, %2#0, %2#1 : tensor<6xf32>, tensor<5x4xf32>, tensor<6xf32>, tensor<6xi32>
}
