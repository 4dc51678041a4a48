// Control flow, calls, tuples, random bits.
func.func private @double(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %x : tensor<i32>
  return %0 : tensor<i32>
}

func.func @loops_and_calls() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %one) : tensor<i32>, tensor<i32>
  cond {
    %goes_on = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %goes_on : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %twice = func.call @double(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<1024> : tensor<i32>
  %1 = stablehlo.composite "math.double" %ten {decomposition = @double} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<20> : tensor<i32>
  return
}

func.func @branches() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %index = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%index) ({
    stablehlo.return %a : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  %pred = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%pred) ({
    stablehlo.return %a : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %1, dense<1> : tensor<i32>
  %2 = stablehlo.tuple %0, %1 : tuple<tensor<i32>, tensor<i32>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq %3, %1 : tensor<i32>
  return
}

func.func @random_bits() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  check.expect_eq_const %0, dense<[1, 6]> : tensor<2xui64>
  check.expect_eq_const %1, dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>
  return
}

func.func @random_numbers() {
  %low = stablehlo.constant dense<-2.0> : tensor<f32>
  %high = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[100]> : tensor<1xi64>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %1 = stablehlo.clamp %low, %0, %high : (tensor<f32>, tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  check.expect_eq %0, %1 : tensor<100xf32>
  return
}
