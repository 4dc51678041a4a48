// Shapes that constants tell may fit nothing: an error at the operation, not a program that is none.
// RUN: split-file %s %t
// RUN: not treadle-opt --settle-shapes %t/iota.mlir 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not treadle-opt --settle-shapes %t/broadcast.mlir 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: treadle-opt --settle-shapes %t/slice.mlir | FileCheck %s --check-prefix=SLICE
// RUN: not treadle-opt --settle-shapes %t/pad.mlir 2>&1 | FileCheck %s --check-prefix=PAD

// IOTA: iota.mlir:3:8: error: 'stablehlo.dynamic_iota' op iota_dimension
// BROADCAST: broadcast.mlir:3:8: error: 'stablehlo.broadcast_in_dim' op
// What cannot be settled stays.
// SLICE: real_dynamic_slice
// PAD: pad.mlir:3:8: error: 'stablehlo.dynamic_pad' op padding of dimension 0 gives no valid size

//--- iota.mlir
func.func @main() -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 16 : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- broadcast.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- slice.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  %l = stablehlo.constant dense<[9223372036854775807, 4]> : tensor<2xi64>
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %l : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- pad.mlir
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<?xf32> {
  %l = stablehlo.constant dense<[9223372036854775807]> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %p, %l, %l, %l : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
