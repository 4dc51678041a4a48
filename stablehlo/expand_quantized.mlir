// Quantized numbers become the integers that are stored; what computes does so on real numbers.
// RUN: treadle-opt --expand-quantized %s | FileCheck %s

// CHECK-LABEL: func.func @add(%arg0: tensor<2xi8>) -> tensor<2xi8>
func.func @add(%x: tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-20>> {
  // CHECK: %[[REAL:.*]] = stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xf32>
  // CHECK: stablehlo.subtract %[[REAL]]
  // CHECK: stablehlo.multiply
  // CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}} : tensor<2xf32>
  // CHECK: stablehlo.divide %[[SUM]]
  // CHECK: stablehlo.clamp
  // CHECK: %[[WHOLE:.*]] = stablehlo.round_nearest_even
  // CHECK: %[[STORED:.*]] = stablehlo.convert %[[WHOLE]] : (tensor<2xf32>) -> tensor<2xi8>
  // CHECK: return %[[STORED]]
  %0 = stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
}

// Movement moves the integers; those without a sign stay so.
// CHECK-LABEL: func.func @moved
func.func @moved() -> tensor<2x1x!quant.uniform<u8:f32, 0.5>> {
  // CHECK: stablehlo.constant dense<[1, 255]> : tensor<2xui8>
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<2xui8>) -> tensor<2x1xui8>
  %0 = "stablehlo.constant"() <{value = dense<[1, -1]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<u8:f32, 0.5>>
  %1 = stablehlo.reshape %0 : (tensor<2x!quant.uniform<u8:f32, 0.5>>) -> tensor<2x1x!quant.uniform<u8:f32, 0.5>>
  return %1 : tensor<2x1x!quant.uniform<u8:f32, 0.5>>
}
