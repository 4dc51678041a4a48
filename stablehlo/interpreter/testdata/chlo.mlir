// Functions of CHLO at known places.
func.func @real_functions() {
  %x = stablehlo.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf64>
  %0 = chlo.lgamma %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %0, dense<[0.57236494292470008, 0.0, 0.0]> : tensor<3xf64>
  %1 = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %1, dense<[-1.9635100260214235, -0.57721566490153287, 0.42278433509846713]> : tensor<3xf64>
  %2 = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %2, dense<[0.52049987781304654, 0.84270079294971487, 0.99532226501895273]> : tensor<3xf64>
  %3 = chlo.erf_inv %2 : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq %3, %x : tensor<3xf64>
  %4 = chlo.bessel_i1e %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %4, dense<[0.15642080318487168, 0.20791041534970845, 0.21526928924893770]> : tensor<3xf64>
  %q = stablehlo.constant dense<1.0> : tensor<3xf64>
  %s = stablehlo.constant dense<[2.0, 4.0, 1.5]> : tensor<3xf64>
  %5 = chlo.zeta %s, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %5, dense<[1.6449340668482264, 1.0823232337111381, 2.6123753486854882]> : tensor<3xf64>
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %6 = chlo.polygamma %n, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %6, dense<[-0.57721566490153287, 1.6449340668482264, -2.4041138063191885]> : tensor<3xf64>
  return
}

func.func @others() {
  %x = stablehlo.constant dense<[3, 1, 3, 2]> : tensor<4xi32>
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<4xi32> -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %values, dense<[3, 3, 2]> : tensor<3xi32>
  check.expect_eq_const %indices, dense<[0, 2, 3]> : tensor<3xi32>
  %a = stablehlo.constant dense<-1> : tensor<1xi64>
  %b = stablehlo.constant dense<1> : tensor<1xi64>
  %high = chlo.mulhi %a, %b : tensor<1xi64>, tensor<1xi64> -> tensor<1xi64>
  check.expect_eq_const %high, dense<-1> : tensor<1xi64>
  %f = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %g = stablehlo.constant dense<[-1.0, 2.0, 0.0]> : tensor<3xf32>
  %next = chlo.next_after %f, %g : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_eq_const %next, dense<[-1.401298464e-45, 1.00000012, -0.99999994]> : tensor<3xf32>
  return
}

// Two groups of one row and of two; the last row belongs to none.
func.func @ragged_dot() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %b = stablehlo.constant dense<[[[1], [0]], [[10], [100]]]> : tensor<2x2x1xi32>
  %g = stablehlo.constant dense<[1, 2]> : tensor<2xui8>
  %rows = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xi32>, tensor<2x2x1xi32>, tensor<2xui8>) -> tensor<4x1xi32>
  check.expect_eq_const %rows, dense<[[1], [430], [650], [0]]> : tensor<4x1xi32>
  %sums = "chlo.ragged_dot"(%a, %a, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0],
    rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>} : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<2xui8>) -> tensor<2x2x2xi32>
  check.expect_eq_const %sums, dense<[[[1, 2], [2, 4]], [[34, 42], [42, 52]]]> : tensor<2x2x2xi32>
  %each = "chlo.ragged_dot"(%a, %a, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0],
    rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<2xui8>) -> tensor<4xi32>
  check.expect_eq_const %each, dense<[5, 25, 61, 113]> : tensor<4xi32>
  return
}

// Powers of two counted down from the end, and what is left; then a scan without inputs.
func.func @scan() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %c = stablehlo.constant dense<1> : tensor<2xi32>
  %0, %1 = chlo.scan(%x) inits(%c) dimension = 1 attributes {is_reverse = true} {
  ^bb0(%input: tensor<2xi32>, %carry: tensor<2xi32>):
    %sum = stablehlo.add %input, %carry : tensor<2xi32>
    %twice = stablehlo.add %carry, %carry : tensor<2xi32>
    stablehlo.return %sum, %twice : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %0, dense<[[5, 4, 4], [8, 7, 7]]> : tensor<2x3xi32>
  check.expect_eq_const %1, dense<8> : tensor<2xi32>
  %n = stablehlo.constant dense<1> : tensor<i32>
  %2, %3 = chlo.scan() inits(%n) dimension=0 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%carry: tensor<i32>):
    %next = stablehlo.add %carry, %carry : tensor<i32>
    stablehlo.return %carry, %next : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %2, dense<[1, 2, 4, 8]> : tensor<4xi32>
  check.expect_eq_const %3, dense<16> : tensor<i32>
  return
}

// asin and acos are made of it.
func.func @asin_acos_kernel() {
  %z = stablehlo.constant dense<[(0.5, 0.0), (2.0, 1.0), (-0.5, -3.0)]> : tensor<3xcomplex<f64>>
  %w = chlo._asin_acos_kernel %z : tensor<3xcomplex<f64>> -> tensor<3xcomplex<f64>>
  check.expect_almost_eq_const %w, dense<[(0.8660254037844386, 0.0), (1.1117859405028425, 1.4693517443681852), (3.1584096378993953, 1.8301947623375088)]> : tensor<3xcomplex<f64>>
  return
}
