// What leaves a program while it runs, and what comes into it.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// CHECK: 1 file, 15 checks, 0 failed

// Two programs send to each other, each after it has received: in the order of their tokens.
func.func @first(%x: tensor<2xf32>, %token: !stablehlo.token) -> tensor<2xf32> {
  %sent = "stablehlo.send"(%x, %token) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}
      : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %back:2 = "stablehlo.recv"(%sent) {channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %back#0 : tensor<2xf32>
}
func.func @second(%token: !stablehlo.token) -> (tensor<2xf32>, tensor<2xcomplex<f32>>) {
  %got:2 = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %twice = stablehlo.add %got#0, %got#0 : tensor<2xf32>
  %sent = "stablehlo.send"(%twice, %got#1) {channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>}
      : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %pair = stablehlo.complex %got#0, %twice : tensor<2xcomplex<f32>>
  %own = "stablehlo.send"(%pair, %sent) {channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>}
      : (tensor<2xcomplex<f32>>, !stablehlo.token) -> !stablehlo.token
  %same:2 = "stablehlo.recv"(%own) {channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>}
      : (!stablehlo.token) -> (tensor<2xcomplex<f32>>, !stablehlo.token)
  return %got#0, %same#0 : tensor<2xf32>, tensor<2xcomplex<f32>>
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %token = stablehlo.after_all : !stablehlo.token
  %got:3 = "interpreter.run_parallel"(%x, %token, %token) {programs=[[@first, @second]]}
      : (tensor<2xf32>, !stablehlo.token, !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>)
  check.expect_eq_const %got#0, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %got#1, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %got#2, dense<[(1.0, 2.0), (2.0, 4.0)]> : tensor<2xcomplex<f32>>
  return
}

// -----

// One program on four devices: from 0 to 1 and from 1 to 2. Who is no target gets zeros.
func.func @shift(%x: tensor<1xi32>, %token: !stablehlo.token) -> tensor<1xi32> {
  %sent = "stablehlo.send"(%x, %token) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<1xi32>, !stablehlo.token) -> !stablehlo.token
  %got:2 = "stablehlo.recv"(%sent) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<1xi32>, !stablehlo.token)
  return %got#0 : tensor<1xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<10> : tensor<1xi32>
  %b = stablehlo.constant dense<11> : tensor<1xi32>
  %c = stablehlo.constant dense<12> : tensor<1xi32>
  %token = stablehlo.after_all : !stablehlo.token
  %got:3 = "interpreter.run_parallel"(%a, %token, %b, %token, %c, %token) {programs=[[@shift, @shift, @shift]]}
      : (tensor<1xi32>, !stablehlo.token, tensor<1xi32>, !stablehlo.token, tensor<1xi32>, !stablehlo.token)
      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %got#0, dense<0> : tensor<1xi32>
  check.expect_eq_const %got#1, dense<10> : tensor<1xi32>
  check.expect_eq_const %got#2, dense<11> : tensor<1xi32>
  return
}

// -----

// The host feeds a loop, as long as it feeds what is positive; a branch feeds too.
func.func @sum(%token: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %first:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
  %end:3 = stablehlo.while(%sum = %zero, %last = %first#0, %t = %first#1) : tensor<i64>, tensor<i64>, !stablehlo.token
  cond {
    %more = stablehlo.compare GT, %last, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %new = stablehlo.add %sum, %last : tensor<i64>
    %next:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    stablehlo.return %new, %next#0, %next#1 : tensor<i64>, tensor<i64>, !stablehlo.token
  }
  %even = stablehlo.compare LT, %end#1, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %fed = "stablehlo.if"(%even) ({
    %extra:2 = "stablehlo.infeed"(%end#2) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
    stablehlo.return %extra#0 : tensor<i64>
  }, {
    stablehlo.return %zero : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %end#0, %fed : tensor<i64>, tensor<i64>
}
func.func @one() -> tensor<i64> {
  %x = stablehlo.constant dense<1> : tensor<i64>
  return %x : tensor<i64>
}
func.func @ten() -> tensor<i64> {
  %x = stablehlo.constant dense<10> : tensor<i64>
  return %x : tensor<i64>
}
func.func @less() -> tensor<i64> {
  %x = stablehlo.constant dense<-1> : tensor<i64>
  return %x : tensor<i64>
}
func.func @main() {
  %token = stablehlo.after_all : !stablehlo.token
  %got:2 = "interpreter.run_parallel"(%token) {infeed=[@one, @ten, @one, @less, @ten], programs=[[@sum]]}
      : (!stablehlo.token) -> (tensor<i64>, tensor<i64>)
  check.expect_eq_const %got#0, dense<12> : tensor<i64>
  check.expect_eq_const %got#1, dense<10> : tensor<i64>
  return
}

// -----

// Probes see every turn of a loop whose results nobody reads, of its condition and of a called function.
func.func private @square(%x: tensor<i64>) -> tensor<i64> {
  %y = stablehlo.multiply %x, %x : tensor<i64>
  %seen = interpreter.probe %y, probe_id = "square" : tensor<i64>
  return %seen : tensor<i64>
}
func.func @probes() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %end = stablehlo.while(%i = %one) : tensor<i64>
  cond {
    %bound = interpreter.probe %i, probe_id = "condition" : tensor<i64>
    %more = stablehlo.compare LE, %bound, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %squared = func.call @square(%i) : (tensor<i64>) -> tensor<i64>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next : tensor<i64>
  }
  %three = stablehlo.constant dense<3> : tensor<i64>
  check.expect_serialized_eq %one, probe_id = "square", iter = 0 : tensor<i64>
  check.expect_serialized_eq %four, probe_id = "square", iter = 1 : tensor<i64>
  check.expect_serialized_eq %one, probe_id = "condition", iter = 0 : tensor<i64>
  check.expect_serialized_eq %two, probe_id = "condition", iter = 1 : tensor<i64>
  check.expect_serialized_eq %three, probe_id = "condition", iter = 2 : tensor<i64>
  return
}

// -----

// A loop that does nothing but send, in its condition alone.
func.func @only_condition() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.while(%i = %zero) : tensor<i64>
  cond {
    %seen = interpreter.probe %i, probe_id = "only" : tensor<i64>
    %more = stablehlo.compare LT, %seen, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next : tensor<i64>
  }
  check.expect_serialized_eq %zero, probe_id = "only", iter = 0 : tensor<i64>
  check.expect_serialized_eq %one, probe_id = "only", iter = 1 : tensor<i64>
  return
}
