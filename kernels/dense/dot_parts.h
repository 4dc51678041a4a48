// What conv.cc needs of dot.cc beyond PlanDot.
#ifndef TREADLE_KERNELS_DENSE_DOT_PARTS_H_
#define TREADLE_KERNELS_DENSE_DOT_PARTS_H_

#include <cstdint>
#include <vector>

#include "base/element_type.h"
#include "base/status.h"
#include "kernels/dense/dot.h"

namespace treadle::kernels::dense {

// Whether kernels may read or write elements of `type` as their accumulators, without conversion.
bool SameInMemory(ElementType type, ElementType accumulator);

// A phase that copies buffer 0 or 1 to scratch from byte `to` on: row after row, elements of the accumulator's type.
// The dims' lhs strides count. REQUIRES: real types.
StatusOr<DotPhase> PlanCopy(int buffer, ElementType type, const std::vector<DotDim>& rows,
                            const std::vector<DotDim>& columns, ElementType accumulator, int64_t to);

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_DOT_PARTS_H_
