// Subnormal numbers: kept by default, zeros as in the plugin where asked.
// RUN: treadle run %s --input '3xf32=[1e-40,0,-1e-40]' | FileCheck %s
// RUN: treadle run %s --input '3xf32=[1e-40,0,-1e-40]' --reference | FileCheck %s
// RUN: treadle run %s --input '3xf32=[1e-40,0,-1e-40]' --flush-subnormals | FileCheck %s --check-prefix=FLUSHED
// CHECK: 3xf32=[1, 0, 0]
// CHECK-NEXT: 3xf32=[-1e-40, 0, 1e-40]
// CHECK-NEXT: 3xf32=[-92.10341, -inf, nan]
// FLUSHED: 3xf32=[0, 0, 0]
// FLUSHED-NEXT: 3xf32=[1e-40, 0, -1e-40]
// FLUSHED-NEXT: 3xf32=[-inf, -inf, -inf]

func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %ceil = stablehlo.ceil %x : tensor<3xf32>
  %positive = stablehlo.add %ceil, %zero : tensor<3xf32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  %log = stablehlo.log %x : tensor<3xf32>
  return %positive, %sorted, %log : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
