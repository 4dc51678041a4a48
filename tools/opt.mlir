// Programs are read, passes run, and what they are is printed; errors can be held to what comments announce.
// RUN: not treadle opt %s --split-input-file 2>&1 | FileCheck %s
// RUN: treadle opt %s --split-input-file --verify-diagnostics
// RUN: not treadle opt %s --nonsense 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: nonsense

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: chlo.sinh
  %0 = chlo.sinh %x : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: opt.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: 'stablehlo.add' op needs equal shapes
func.func @g(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{needs equal shapes}}
  %0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
