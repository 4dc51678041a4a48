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
