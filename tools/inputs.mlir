// What the inputs of a program may be. A file is read once, so that it may be a pipe, and says the shape of an argument
// whose program leaves it open.
// RUN: treadle run %s --input '3xf32=[1,2,3]' --output %t.npy
// RUN: treadle run %s --input @%t.npy | FileCheck %s
// RUN: cat %t.npy | treadle run %s --input @/dev/stdin | FileCheck %s
// RUN: cat %t.npy | treadle run %s --input @/dev/stdin --reference | FileCheck %s
// RUN: not treadle run %s --input @%t.none.npy 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: 3xf32=[4, 8, 12]
// NONE: argument 0: cannot read '{{.*}}.none.npy'

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %twice = stablehlo.add %x, %x : tensor<?xf32>
  return %twice : tensor<?xf32>
}
