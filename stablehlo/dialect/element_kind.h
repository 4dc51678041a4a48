// Kinds of tensor elements, as flags, for the type constraints of the operation definitions.
#ifndef TREADLE_STABLEHLO_DIALECT_ELEMENT_KIND_H_
#define TREADLE_STABLEHLO_DIALECT_ELEMENT_KIND_H_

#include "mlir/IR/Types.h"

namespace treadle::stablehlo {

enum ElementKind : unsigned {
  kPredElement = 1,     // i1
  kIntElement = 2,      // signless or unsigned, 2 to 64 bits
  kFloatElement = 4,    // every float type of MLIR up to f64
  kComplexElement = 8,  // of f32 or f64
  kQuantElement = 16,   // !quant.uniform
  kIndexElement = 32,   // in shape operands
  kAnyElement = 63,
};

// The kind of `element`, 0 if tensors of this language cannot hold it.
unsigned KindOfElement(mlir::Type element);

// Whether `type` is a ranked tensor whose element is of one of `kinds`; scales per axis go with an axis of it.
bool IsTensorOf(mlir::Type type, unsigned kinds);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_ELEMENT_KIND_H_
