func.func @main(%x: tensor<3x16xf32>, %y: tensor<3x16xi32>) -> (tensor<3x16xf32>, tensor<3x16xi32>, tensor<3x2xf32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3x16xf32>, tensor<3x16xi32>) -> (tensor<3x16xf32>, tensor<3x16xi32>)
  %1:2 = chlo.top_k(%x, k = 2) : tensor<3x16xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1, %1#0 : tensor<3x16xf32>, tensor<3x16xi32>, tensor<3x2xf32>
}
