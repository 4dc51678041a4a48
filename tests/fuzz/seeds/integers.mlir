func.func @main(%a: tensor<4x8xi32>, %b: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %c = stablehlo.constant dense<7> : tensor<4x8xi32>
  %0 = stablehlo.divide %a, %c : tensor<4x8xi32>
  %1 = stablehlo.remainder %0, %b : tensor<4x8xi32>
  %2 = stablehlo.shift_left %1, %c : tensor<4x8xi32>
  %3 = stablehlo.popcnt %2 : tensor<4x8xi32>
  %4 = stablehlo.convert %3 : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %5 = stablehlo.convert %4 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %6 = stablehlo.bitcast_convert %5 : (tensor<4x8xi32>) -> tensor<4x8xf32>
  %7 = stablehlo.bitcast_convert %6 : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %8 = stablehlo.xor %7, %a : tensor<4x8xi32>
  return %8 : tensor<4x8xi32>
}
