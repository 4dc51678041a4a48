// Cumulative operations: reduce_window whose windows are prefixes, or suffixes, of one dimension.
//
// Along an innermost dimension four stretches advance side by side, for one alone would wait for its own last result:
// four rows, or four leaves of a row. Rows longer than kScanLeaf fall into leaves: first each leaf's total, then what
// lies before each leaf, then results, which are that combined with the leaf's own scan. So the order of combination
// follows from the row's length alone. Along other dimensions lanes lie across, and elements are taken one after the
// other.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_SCAN_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_SCAN_H_

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/group.h"
#include "compiler/plan/plan.h"
#include "executable/target.h"

namespace treadle::plan {

inline constexpr int64_t kScanLeaf = 4096;

struct ScanShape {
  size_t dim = 0;
  bool reverse = false;  // suffixes
};

// nullopt where the windows are others, or where padding, which holds the initial value, would show in the results;
// also for short suffixes of floats, which are combined as each window has them: from its first element on, as XLA
// does.
std::optional<ScanShape> ScanOf(const graph::Graph& graph, const graph::Op& reduce_window);

// REQUIRES: the group's last operation is a reduce_window, `shape` its ScanOf.
StatusOr<Instance> ScheduleScan(const graph::Graph& graph, const Group& group, ScanShape shape,
                                const executable::Target& target);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_SCAN_H_
