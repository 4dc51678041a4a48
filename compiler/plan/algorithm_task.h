// A call of an algorithm of kernels/ as phases.
#ifndef TREADLE_COMPILER_PLAN_ALGORITHM_TASK_H_
#define TREADLE_COMPILER_PLAN_ALGORITHM_TASK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "executable/target.h"

namespace treadle::plan {

struct AlgorithmPhase {
  std::string symbol;  // of kernels/table.h
  std::vector<uint64_t> args;
  int64_t tiles = 1;
  int64_t local_bytes = 0;
  int64_t cost_ns = 0;  // estimate, one thread
};

struct AlgorithmPlan {
  std::vector<AlgorithmPhase> phases;  // empty where no result has elements
  std::string table;                   // bytes of a constant that all phases read; may be empty
  int64_t scratch_bytes = 0;
};

// Buffers of every phase: the operands, the table if it is not empty, the results. REQUIRES: group.kind ==
// GroupKind::kAlgorithm.
AlgorithmPlan PlanAlgorithmTask(const graph::Graph& graph, const Group& group, const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_ALGORITHM_TASK_H_
