// Computations on scalars that branch, loop, call and hold small arrays.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// CHECK: 1 file, 17 checks, 0 failed

func.func private @larger(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}

// Euclid.
func.func private @gcd(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0:2 = "stablehlo.while"(%a, %b) ({
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare NE, %v, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %w = stablehlo.remainder %u, %v : tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
  }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %0#0 : tensor<i32>
}

func.func @branches() {
  %x = stablehlo.constant dense<[4.0, -2.0, 9.0, -1.0]> : tensor<4xf32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.compare LT, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = "stablehlo.if"(%p) ({
      %s = stablehlo.negate %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }, {
      %s = stablehlo.sqrt %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[2.0, 2.0, 3.0, 1.0]> : tensor<4xf32>
  return
}

// An index that names no branch takes the last.
func.func @cases() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, -1]> : tensor<5xi32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %c = "stablehlo.case"(%a) ({
      %s = stablehlo.constant dense<10> : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }, {
      %s = stablehlo.add %a, %a : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }, {
      %s = stablehlo.negate %a : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<5xi32>) -> tensor<5xi32>
  check.expect_eq_const %0, dense<[10, 2, -2, -3, 1]> : tensor<5xi32>
  return
}

func.func @loop() {
  %x = stablehlo.constant dense<[[12, 18, 7], [5, 0, 100]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[[18, 12, 3], [5, 9, 75]]> : tensor<2x3xi32>
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = func.call @gcd(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[6, 6, 1], [5, 9, 25]]> : tensor<2x3xi32>
  return
}

// Steps until 1 of 3n + 1 or n / 2; a branch in a loop, and a scalar from outside.
func.func @branch_in_loop() {
  %x = stablehlo.constant dense<[1, 6, 7, 27]> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = "stablehlo.while"(%a, %zero) ({
      ^bb0(%n: tensor<i32>, %steps: tensor<i32>):
        %p = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }, {
      ^bb0(%n: tensor<i32>, %steps: tensor<i32>):
        %odd = stablehlo.and %n, %one : tensor<i32>
        %next = "stablehlo.case"(%odd) ({
          %half = stablehlo.shift_right_logical %n, %one : tensor<i32>
          stablehlo.return %half : tensor<i32>
        }, {
          %three = stablehlo.constant dense<3> : tensor<i32>
          %m = stablehlo.multiply %n, %three : tensor<i32>
          %m1 = stablehlo.add %m, %one : tensor<i32>
          stablehlo.return %m1 : tensor<i32>
        }) : (tensor<i32>) -> tensor<i32>
        %more = stablehlo.add %steps, %one : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    stablehlo.return %r#1 : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[0, 8, 16, 111]> : tensor<4xi32>
  return
}

// A polynomial with coefficients from outside, by arrays inside.
func.func @arrays() {
  %x = stablehlo.constant dense<[1.0, 2.0, -1.0]> : tensor<3xf32>
  %coefficients = stablehlo.constant dense<[[5.0, 3.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %one = stablehlo.constant dense<1.0> : tensor<1xf32>
    %a1 = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %a2 = stablehlo.multiply %a1, %a1 : tensor<1xf32>
    %a3 = stablehlo.multiply %a2, %a1 : tensor<1xf32>
    %powers = stablehlo.concatenate %one, %a1, %a2, %a3, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
    %flat = stablehlo.reshape %coefficients : (tensor<2x2xf32>) -> tensor<4xf32>
    %terms = stablehlo.multiply %powers, %flat : tensor<4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = "stablehlo.reduce"(%terms, %zero) <{dimensions = array<i64: 0>}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %e = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %e : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[11.0, 31.0, 1.0]> : tensor<3xf32>
  return
}

// Moved about and mapped: 1 + 20 a + 300 a.
func.func @moved() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %iota = stablehlo.iota dim = 1 : tensor<2x4xi32>
    %turned = stablehlo.transpose %iota, dims = [1, 0] : (tensor<2x4xi32>) -> tensor<4x2xi32>
    %back = stablehlo.reverse %turned, dims = [0] : tensor<4x2xi32>
    %part = stablehlo.slice %back [0:3:2, 1:2] : (tensor<4x2xi32>) -> tensor<2x1xi32>
    %weights = stablehlo.constant dense<[100, 20]> : tensor<2xi32>
    %wide = stablehlo.broadcast_in_dim %weights, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %terms = stablehlo.multiply %part, %wide : tensor<2x1xi32>
    %scaled = "stablehlo.map"(%terms) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%c: tensor<i32>):
        %d = stablehlo.multiply %c, %a : tensor<i32>
        stablehlo.return %d : tensor<i32>
    }) : (tensor<2x1xi32>) -> tensor<2x1xi32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %sum = "stablehlo.reduce"(%scaled, %one) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%c: tensor<i32>, %d: tensor<i32>):
        %e = stablehlo.add %c, %d : tensor<i32>
        stablehlo.return %e : tensor<i32>
    }) : (tensor<2x1xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[321, 641]> : tensor<2xi32>
  return
}

func.func @reduce_by_a_loop() {
  %x = stablehlo.constant dense<[[[12, 18], [30, 42]], [[9, 6], [25, 35]]]> : tensor<2x2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 2, 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = func.call @gcd(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2x2x2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[3, 1]> : tensor<2xi32>
  return
}

func.func @reduce_by_branches() {
  %x = stablehlo.constant dense<[[3, -9, 4], [1, 2, -2]]> : tensor<2x3xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %least) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = func.call @larger(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[4, 2]> : tensor<2xi32>
  return
}

func.func @windows() {
  %x = stablehlo.constant dense<[3, -9, 4, 1, 2]> : tensor<5xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = func.call @larger(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[3, 4, 4, 2]> : tensor<4xi32>
  return
}

func.func @scatter() {
  %x = stablehlo.constant dense<[5, 5, 5]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2], [0], [2], [7]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[9, 1, 7, 100]> : tensor<4xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = func.call @larger(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[5, 5, 9]> : tensor<3xi32>
  return
}

// Even numbers first, upwards; then odd ones, downwards.
func.func @sort() {
  %x = stablehlo.constant dense<[4, 3, 9, 2, 5, 8]> : tensor<6xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %odd_a = stablehlo.and %a, %one : tensor<i32>
    %odd_b = stablehlo.and %b, %one : tensor<i32>
    %same = stablehlo.compare EQ, %odd_a, %odd_b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = "stablehlo.if"(%same) ({
      %d = "stablehlo.case"(%odd_a) ({
        %s = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      }, {
        %s = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      }) : (tensor<i32>) -> tensor<i1>
      stablehlo.return %d : tensor<i1>
    }, {
      %s = stablehlo.compare LT, %odd_a, %odd_b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<i1>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<6xi32>) -> tensor<6xi32>
  check.expect_eq_const %0, dense<[2, 4, 8, 9, 5, 3]> : tensor<6xi32>
  return
}

// The one farthest from 0 of each window takes what is scattered.
func.func @select() {
  %x = stablehlo.constant dense<[1, -5, 3, 2]> : tensor<4xi32>
  %s = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %far_a = stablehlo.abs %a : tensor<i32>
    %far_b = stablehlo.abs %b : tensor<i32>
    %c = func.call @larger(%far_a, %far_b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %d = stablehlo.compare EQ, %c, %far_a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %d : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[0, 10, 20, 0]> : tensor<4xi32>
  return
}

func.func @one_branch() {
  %x = stablehlo.constant dense<[0, 5]> : tensor<2xi32>
  %out = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %c = "stablehlo.case"(%a) ({
      stablehlo.return %out : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[7, 7]> : tensor<2xi32>
  return
}
func.func @two_results() {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %inf, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %m: tensor<i32>, %b: tensor<f32>, %n: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c:2 = "stablehlo.if"(%p) ({
      stablehlo.return %a, %m : tensor<f32>, tensor<i32>
    }, {
      stablehlo.return %b, %n : tensor<f32>, tensor<i32>
    }) : (tensor<i1>) -> (tensor<f32>, tensor<i32>)
    stablehlo.return %c#0, %c#1 : tensor<f32>, tensor<i32>
  }) : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<1.0> : tensor<f32>
  check.expect_eq_const %0#1, dense<1> : tensor<i32>
  return
}
func.func @empty_map() {
  %x = stablehlo.constant dense<> : tensor<0x3xi32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>):
    %r = "stablehlo.while"(%a) ({
      ^bb0(%u: tensor<i32>):
        %z = stablehlo.constant dense<0> : tensor<i32>
        %p = stablehlo.compare GT, %u, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }, {
      ^bb0(%u: tensor<i32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %w = stablehlo.subtract %u, %one : tensor<i32>
        stablehlo.return %w : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<0x3xi32>) -> tensor<0x3xi32>
  check.expect_eq_const %0, dense<> : tensor<0x3xi32>
  return
}
func.func @nested_loops() {
  %x = stablehlo.constant dense<[0, 1, 4]> : tensor<3xi32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = "stablehlo.while"(%z, %z) ({
      ^bb0(%i: tensor<i32>, %s: tensor<i32>):
        %p = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }, {
      ^bb0(%i: tensor<i32>, %s: tensor<i32>):
        %q:2 = "stablehlo.while"(%z, %s) ({
          ^bb0(%j: tensor<i32>, %t: tensor<i32>):
            %p = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
        }, {
          ^bb0(%j: tensor<i32>, %t: tensor<i32>):
            %jn = stablehlo.add %j, %one : tensor<i32>
            %tn = stablehlo.add %t, %j : tensor<i32>
            stablehlo.return %jn, %tn : tensor<i32>, tensor<i32>
        }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
        %in = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %in, %q#1 : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    stablehlo.return %r#1 : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 0, 10]> : tensor<3xi32>
  return
}
