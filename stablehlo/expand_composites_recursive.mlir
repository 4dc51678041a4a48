// RUN: not treadle-opt --expand-composites %s 2>&1 | FileCheck %s

// CHECK: INVALID_ARGUMENT: {{.*}}expand_composites_recursive.mlir:5:8: error: 'stablehlo.composite' op is part of its own decomposition
func.func private @self(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.self" %a {decomposition = @self} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
