// RUN: not treadle-opt --expand-quantized %s 2>&1 | FileCheck %s

// CHECK: expand_quantized_errors.mlir:[[@LINE+2]]:8: error: 'stablehlo.uniform_quantize' op of elements 'f64' cannot give
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf64>
  return %1 : tensor<4xf64>
}
