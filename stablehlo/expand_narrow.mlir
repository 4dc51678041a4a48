// Integers below 8 bits live in 8, floats up to 8 bits in f32; main keeps their bytes. What the caller's bytes hold
// above the narrow bits does not count.
// RUN: treadle-opt --expand-narrow %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<2xi8> {treadle.narrow_element = "i4"}, %arg1: tensor<2xui8> {treadle.narrow_element = "f8E5M2"})
// CHECK-SAME: -> (tensor<2xi8> {treadle.narrow_element = "i4"}, tensor<2xui8> {treadle.narrow_element = "f8E5M2"}, tensor<2xi8>
func.func @main(%x: tensor<2xi4>, %y: tensor<2xf8E5M2>) -> (tensor<2xi4>, tensor<2xf8E5M2>, tensor<2xi4>) {
  // CHECK: %[[HIGH:.*]] = stablehlo.shift_left %arg0
  // CHECK: %[[X:.*]] = stablehlo.shift_right_arithmetic %[[HIGH]]
  // CHECK: %[[Y:.*]] = "stablehlo.gather"(%{{.*}}, %arg1)
  // CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[X]] : tensor<2xi8>
  // CHECK: %[[LEFT:.*]] = stablehlo.shift_left %[[SUM]]
  // CHECK: %[[WRAPPED:.*]] = stablehlo.shift_right_arithmetic %[[LEFT]]
  %0 = stablehlo.add %x, %x : tensor<2xi4>
  // CHECK: stablehlo.multiply %[[Y]], %[[Y]] : tensor<2xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e8m2
  %1 = stablehlo.multiply %y, %y : tensor<2xf8E5M2>
  // CHECK: return %[[WRAPPED]], %{{.*}}, %arg0 : tensor<2xi8>, tensor<2xui8>, tensor<2xi8>
  return %0, %1, %x : tensor<2xi4>, tensor<2xf8E5M2>, tensor<2xi4>
}
