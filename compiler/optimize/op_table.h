// Finds operations that are there already.
#ifndef TREADLE_COMPILER_OPTIMIZE_OP_TABLE_H_
#define TREADLE_COMPILER_OPTIMIZE_OP_TABLE_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::compiler {

// Operations without regions, by region, code, operands, attributes and result shape.
class OpTable {
 public:
  std::optional<graph::OpId> Find(const graph::Graph& graph, graph::RegionId region, graph::OpCode code,
                                  const std::vector<graph::ValueId>& operands, const Shape& shape,
                                  const graph::Attributes& attrs) const;
  void Insert(const graph::Graph& graph, graph::RegionId region, graph::OpId op);

 private:
  std::unordered_multimap<uint64_t, graph::OpId> ops_;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_OP_TABLE_H_
