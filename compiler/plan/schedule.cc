#include "compiler/plan/schedule.h"

#include <algorithm>
#include <optional>

#include "compiler/plan/operation_class.h"
#include "compiler/plan/schedules/map.h"
#include "compiler/plan/schedules/map_loop.h"
#include "compiler/plan/schedules/pieces.h"
#include "compiler/plan/schedules/reduce_group.h"
#include "compiler/plan/schedules/scan.h"
#include "compiler/plan/schedules/scatter.h"
#include "compiler/plan/schedules/serial.h"
#include "compiler/plan/schedules/sort.h"
#include "compiler/plan/schedules/transpose.h"
#include "compiler/plan/schedules/window.h"
#include "compiler/plan/verify.h"

namespace treadle::plan {

namespace {

// Nothing to write: one phase without tiles.
Instance EmptyInstance(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  Kernel kernel("empty", graph, group, target);
  kernel.b().BeginPhase();
  kernel.EndPhase(0, {});
  return kernel.Finish();
}

StatusOr<Instance> BuildInstance(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  if (ClassOf(graph, graph.ops[group.ops.front()]) == OperationClass::kControl) {
    const bool maps = IsMapLoop(graph, group.ops.front());
    return maps ? ScheduleMapLoop(graph, group, target) : ScheduleSerial(graph, group, target);
  }
  bool empty = std::all_of(group.outputs.begin(), group.outputs.end(),
                           [&](graph::ValueId output) { return graph.shape(output).elements() == 0; });
  if (empty) return EmptyInstance(graph, group, target);
  for (graph::OpId number : group.ops) {
    const graph::Op& op = graph.ops[number];
    if (ClassOf(graph, op) == OperationClass::kReduce) {
      std::vector<Extent> extents = ReductionOf(graph.shape(op.operands[0]).dims, op.attrs.dims);
      if (extents.size() > 1 && !extents.back().reduced) return ScheduleCols(graph, group, target);
      TREADLE_ASSIGN_OR_RETURN(std::optional<Instance> all, ScheduleAll(graph, group, target));
      if (all) return *std::move(all);
      return ScheduleRows(graph, group, target);
    }
  }
  const graph::Op& last = graph.ops[group.ops.back()];
  if (ClassOf(graph, last) == OperationClass::kSort) return ScheduleSort(graph, group, target);
  if (last.code == graph::OpCode::kReduceWindow) {
    const std::optional<ScanShape> scan = ScanOf(graph, last);
    return scan ? ScheduleScan(graph, group, *scan, target) : ScheduleWindow(graph, group, target);
  }
  if (last.code == graph::OpCode::kScatter) return ScheduleScatter(graph, group, target);
  if (ClassOf(graph, last) == OperationClass::kTranspose) return ScheduleTranspose(graph, group, target);
  const bool pieces = ClassOf(graph, last) == OperationClass::kPieces;
  if (pieces && last.code == graph::OpCode::kConcatenate) return ScheduleConcatenate(graph, group, target);
  if (pieces) return SchedulePad(graph, group, target);
  return ScheduleMap(graph, group, target);
}

}  // namespace

StatusOr<Instance> ScheduleGroup(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  TREADLE_ASSIGN_OR_RETURN(Instance instance, BuildInstance(graph, group, target));
#ifndef NDEBUG
  TREADLE_RETURN_IF_ERROR(Verify(instance.plan));
#endif
  return instance;
}

}  // namespace treadle::plan
