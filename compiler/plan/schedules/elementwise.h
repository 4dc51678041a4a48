// The table from the graph's elementwise operations to operations of the plan, and literals.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_ELEMENTWISE_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_ELEMENTWISE_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/builder.h"

namespace treadle::plan {

// UNIMPLEMENTED: "stablehlo.x (2x3xf32) -> f32 at model.py:3: why".
Status Unsupported(const graph::Graph& graph, const graph::Op& op, std::string_view why);

// Whether plans compute with this type.
bool IsPlanType(ElementType type);

// One result element of `op` from its operands' elements. REQUIRES: an elementwise operation.
StatusOr<Id> EmitElementwise(Builder& builder, const graph::Graph& graph, const graph::Op& op,
                             std::span<const Id> args);

// Rough machine operations a vector: 1 for an add, 20 and more for mathematics. 0 for what only moves.
int UopsOf(const graph::Graph& graph, const graph::Op& op);

// The bits (as in push constants) of element `number` of a constant.
uint64_t LiteralBits(const graph::Op& constant, ElementType type, int64_t number);

// Bits of 1 and of the largest and smallest values (infinities for floats).
uint64_t OneBits(ElementType type);
uint64_t HighestBits(ElementType type);
uint64_t LowestBits(ElementType type);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_ELEMENTWISE_H_
