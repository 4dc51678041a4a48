// Local identities: an operation seen with the operations that made its operands.
#ifndef TREADLE_COMPILER_OPTIMIZE_IDENTITIES_H_
#define TREADLE_COMPILER_OPTIMIZE_IDENTITIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::compiler {

// An operation that is about to be made.
struct Rewrite {
  graph::OpCode code;
  std::vector<graph::ValueId> operands;
  graph::Attributes attrs;
};

// `value` >= 0: the operation is that value. Else `changed`: `rewrite` became a simpler operation, which may simplify
// further.
struct Outcome {
  graph::ValueId value = -1;
  bool changed = false;
};

// Applies the first identity that fits. `shape` is the operation's result.
Outcome ApplyIdentity(const graph::Graph& graph, Rewrite& rewrite, const Shape& shape);

// The value of a constant of one integer or i1 element (a splat counts), if that is what it is.
std::optional<int64_t> ScalarInteger(const graph::Graph& graph, graph::ValueId value);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_IDENTITIES_H_
