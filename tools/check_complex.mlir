// Reductions of complex numbers that are no sums: across devices, and where windows select.
// RUN: treadle run --check %s | FileCheck %s
// RUN: treadle run --check --reference %s | FileCheck %s
// CHECK: 1 file, 7 checks, 0 failed

func.func @product(%x: tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>) {
  %all = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
      %c = stablehlo.multiply %a, %b : tensor<complex<f32>>
      stablehlo.return %c : tensor<complex<f32>>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %six = stablehlo.concatenate %x, %x, %x, dim = 0 : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  %some = "stablehlo.slice"(%six) <{start_indices = array<i64: 0>, limit_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<6xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  %own = "stablehlo.reduce_scatter"(%some) ({
    ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
      %c = stablehlo.multiply %a, %b : tensor<complex<f32>>
      stablehlo.return %c : tensor<complex<f32>>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, scatter_dimension = 0 : i64} : (tensor<3xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  return %all, %own : tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>
}

// The element of the largest imaginary part; sources are multiplied in.
func.func @select(%x: tensor<6xcomplex<f64>>, %s: tensor<2xcomplex<f64>>) -> tensor<6xcomplex<f64>> {
  %one = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f64>>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %one) <{window_dimensions = array<i64: 4>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
      %i = stablehlo.imag %a : (tensor<complex<f64>>) -> tensor<f64>
      %j = stablehlo.imag %b : (tensor<complex<f64>>) -> tensor<f64>
      %c = stablehlo.compare GE, %i, %j : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
      %c = stablehlo.multiply %a, %b : tensor<complex<f64>>
      stablehlo.return %c : tensor<complex<f64>>
  }) : (tensor<6xcomplex<f64>>, tensor<2xcomplex<f64>>, tensor<complex<f64>>) -> tensor<6xcomplex<f64>>
  return %0 : tensor<6xcomplex<f64>>
}

func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 1.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %b = stablehlo.constant dense<[(0.0, 2.0), (1.0, 3.0)]> : tensor<2xcomplex<f32>>
  %c = stablehlo.constant dense<[(3.0, -1.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %r:6 = "interpreter.run_parallel"(%a, %b, %c) {programs=[[@product], [@product], [@product]]}
      : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>)
      -> (tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>)
  check.expect_eq_const %r#0, dense<[(-4.0, 8.0), (-6.0, 2.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %r#2, dense<[(-4.0, 8.0), (-6.0, 2.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %r#4, dense<[(-4.0, 8.0), (-6.0, 2.0)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %r#1, dense<[(-4.0, 8.0)]> : tensor<1xcomplex<f32>>
  check.expect_eq_const %r#3, dense<[(-6.0, 2.0)]> : tensor<1xcomplex<f32>>
  check.expect_eq_const %r#5, dense<[(-4.0, 8.0)]> : tensor<1xcomplex<f32>>
  %x = stablehlo.constant dense<[(9.0, 1.0), (0.0, 2.0), (5.0, 3.0), (1.0, 3.0), (7.0, -1.0), (0.0, 0.5)]> : tensor<6xcomplex<f64>>
  %s = stablehlo.constant dense<[(0.0, 1.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
  %picked = func.call @select(%x, %s) : (tensor<6xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<6xcomplex<f64>>
  check.expect_eq_const %picked, dense<[(2.0, 0.0), (2.0, 0.0), (0.0, 6.0), (2.0, 0.0), (2.0, 0.0), (2.0, 0.0)]> : tensor<6xcomplex<f64>>
  return
}
