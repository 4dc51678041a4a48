// Operations with regions that fold, scan or order elements.
func.func @reduced() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x6xi32>, tensor<i32>) -> tensor<1xi32>
  check.expect_eq_const %0, dense<15> : tensor<1xi32>
  %none = stablehlo.constant dense<> : tensor<3x0xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %1 = stablehlo.reduce(%none init: %seven) applies stablehlo.maximum across dimensions = [1] : (tensor<3x0xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<7> : tensor<3xi32>
  return
}

// The largest element and where it is: two operands, an order that counts.
func.func @argmax() {
  %x = stablehlo.constant dense<[3.0, 9.0, 1.0, 9.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
    %keep = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %value = stablehlo.select %keep, %a, %b : tensor<i1>, tensor<f32>
    %index = stablehlo.select %keep, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %value, %index : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %0#0, dense<9.0> : tensor<f32>
  check.expect_eq_const %0#1, dense<1> : tensor<i32>
  return
}

// The region takes wider elements than the operand has.
func.func @promoted() {
  %x = stablehlo.constant dense<100> : tensor<5xi8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<5xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %0, dense<500> : tensor<i32>
  return
}

func.func @windows() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>,
    window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
  return
}

func.func @selected_and_scattered() {
  %x = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %source = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{
    window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %keep = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  check.expect_eq_const %0, dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi32>
  return
}

func.func @sorted() {
  %x = stablehlo.constant dense<[[1, 2, 3], [3, 2, 1]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[3, 2, 1], [1, 2, 3]]> : tensor<2x3xi32>
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %greater = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %greater : tensor<i1>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %0#0, dense<[[3, 2, 3], [1, 2, 1]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[[1, 2, 1], [3, 2, 3]]> : tensor<2x3xi32>
  return
}

// A comparator without sense must end.
func.func @sorted_without_sense() {
  %x = stablehlo.iota dim = 0 : tensor<100xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = -1 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %yes = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %yes : tensor<i1>
  }) : (tensor<100xi32>) -> tensor<100xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<4950> : tensor<i32>
  return
}

func.func @mapped() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[4, 5], [6, 7]]> : tensor<2x2xi32>
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %product = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %product : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[0, 5], [12, 21]]> : tensor<2x2xi32>
  return
}

func.func @normalized() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  %0 = "stablehlo.batch_norm_inference"(%x, %one, %one, %mean, %one) {epsilon = 0.0 : f32, feature_index = 2 : i64}
    : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64>
  check.expect_eq_const %0, dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  %1:3 = "stablehlo.batch_norm_training"(%x, %one, %one) {epsilon = 0.0 : f32, feature_index = 2 : i64}
    : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_eq %1#0, %0 : tensor<2x2x2xf64>
  check.expect_eq %1#1, %mean : tensor<2xf64>
  check.expect_eq %1#2, %one : tensor<2xf64>
  %grad = stablehlo.constant dense<0.1> : tensor<2x2x2xf64>
  %2:3 = "stablehlo.batch_norm_grad"(%x, %one, %mean, %one, %grad) {epsilon = 0.0 : f32, feature_index = 2 : i64}
    : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %2#0, dense<0.0> : tensor<2x2x2xf64>
  check.expect_almost_eq_const %2#1, dense<0.0> : tensor<2xf64>
  check.expect_almost_eq_const %2#2, dense<0.4> : tensor<2xf64>
  return
}
