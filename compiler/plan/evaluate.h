// One operation on values: the readable definition of ops.def. The interpreter and whoever folds constants call it.
//
// Values are 64 bits: integers sign- or zero-extended from their type (i1: 0 or 1), floats as their bits in the low
// end.
#ifndef TREADLE_COMPILER_PLAN_EVALUATE_H_
#define TREADLE_COMPILER_PLAN_EVALUATE_H_

#include <cstdint>

#include "base/element_type.h"
#include "compiler/plan/plan.h"

namespace treadle::plan {

// Floating-point arithmetic that flushes denormal arguments and results, on this thread, during its life.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

// The value of a pure operation other than the structural ones. `elt`: its type; `arg_elt`: that of its last argument
// (all but select's condition share it). `fma`: see math.h. Floating-point arithmetic takes this thread's mode: with
// FlushDenormals alive the bits are those of emitted code, without it those of code that keeps subnormal numbers.
uint64_t Evaluate(Op op, ElementType elt, ElementType arg_elt, const uint64_t* args, uint64_t imm, bool fma = true);

// `bits` cut to the type's width and extended again.
uint64_t Normalize(ElementType type, uint64_t bits);

// An element of memory, and back.
uint64_t LoadElement(ElementType type, const void* from);
void StoreElement(ElementType type, void* to, uint64_t value);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_EVALUATE_H_
