// Which values of a plan differ between the lanes of the `lanes` loop around them, and how wide vectors can be there.
#ifndef TREADLE_COMPILER_EMIT_VARIANCE_H_
#define TREADLE_COMPILER_EMIT_VARIANCE_H_

#include <optional>
#include <vector>

#include "compiler/plan/plan.h"

namespace treadle::emit {

enum class Variance : uint8_t {
  kUniform,  // one scalar for all lanes; everything outside `lanes` loops
  kAffine,   // integer: base + lane * stride, both uniform; kept as those two as long as nobody needs the vector
  kVarying,
};

// Of every node of a phase's block, by node number (other nodes: kUniform). Carries are a fixed point. The arguments of
// a `lanes` loop's combine block are kUniform here: that block is emitted for vectors and for scalars.
std::vector<Variance> AnalyzeVariance(const plan::Plan& plan, const plan::Block& block);

// Whether an operation on these keeps base and stride apart.
Variance ResultVariance(const plan::Plan& plan, plan::Id id, const std::vector<Variance>& known);

// By how many elements an access moves from lane to lane, where that is known now and no term varies otherwise.
std::optional<int64_t> LaneStride(const plan::Plan& plan, const plan::Access& access,
                                  const std::vector<Variance>& variance);

// Floats of at most 16 bits: computed with as f32, rounded after every operation.
bool IsNarrowFloat(ElementType type);

// Bytes of a value in a vector register: 4 for narrow floats, 0 for i1 (a mask takes its user's width).
int ComputeBytes(ElementType type);

// Bytes of the widest value that becomes a vector in a `lanes` loop; at least 1.
int WidestVaryingBytes(const plan::Plan& plan, const plan::Loop& loop, const std::vector<Variance>& variance);

// Machine operations that one vector of the loop's body takes, roughly. Nested loops count once.
int BodyCost(const plan::Plan& plan, const plan::Block& block, const std::vector<Variance>& variance);

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_VARIANCE_H_
