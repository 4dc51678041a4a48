// RUN: treadle-opt --expand-composites %s | FileCheck %s
// RUN: treadle-opt --expand-composites --locations %s | FileCheck --check-prefix=LOCATION %s

// CHECK-LABEL: func.func public @main
// CHECK-NEXT: %[[A:.*]] = stablehlo.add %arg0, %arg0
// CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %[[A]], %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.add %[[M]], %[[M]]
// CHECK-NEXT: return %[[B]], %[[M]]
// The user's line, not that of the decomposition.
// LOCATION: stablehlo.add %arg0, %arg0 : tensor<4xf32> loc(#[[USER:.*]])
// LOCATION: #[[USER]] = loc("train.py":7:3)
func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.composite "my.outer" %a {decomposition = @outer} : (tensor<4xf32>) -> tensor<4xf32> loc("train.py":7:3)
  %1 = stablehlo.composite "my.twice" %0 {decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}

// Nobody needs them any more.
// CHECK-NOT: func.func private @outer
// CHECK-NOT: func.func private @twice
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.twice" %a {decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.multiply %0, %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// One that is called as well stays.
// CHECK: func.func private @kept
// CHECK-NOT: composite
func.func private @kept(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func public @caller(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.kept" %a {decomposition = @kept} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @kept(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
