// Functions of numbers, real or complex, on all elements of a tensor.
#ifndef TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_H_
#define TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_H_

#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

using RealFunction = Extended (*)(Extended);
using ComplexFunction = ComplexExtended (*)(ComplexExtended);

// The function that fits the first operand's elements, rounded to the element type.
StatusOr<Tensor> EvaluateFunction(Frame& frame, RealFunction real, ComplexFunction complex);

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_FUNCTIONS_H_
