// A loop nest over a domain: which group values it computes, where it reads them from, which axes merge, and the scalar
// code of any value at the nest's indices.
//
// Life: construct with the domain; AddRoot and AddStore name what is wanted; Analyse walks the group from there,
// chooses axes and merges them (an axis pair becomes one where every access is contiguous over it); then, inside a
// phase, loops are opened by the schedule, their indices bound to the merged axes, and Value makes code. Scopes follow
// the plan's blocks: a value made in a block is forgotten when its scope closes.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_NEST_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_NEST_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/schedules/index_space.h"
#include "compiler/plan/schedules/kernel.h"

namespace treadle::plan {

struct Axis {
  int64_t size = 1;
  bool reduced = false;
};

class Nest {
 public:
  using IndexOf = std::function<Index(IndexSpace&)>;

  // Axes of size 1 are dropped.
  Nest(Kernel& kernel, std::vector<Axis> axes);

  // The domain's index as one of a tensor with as many elements as all axes, as the axes that are not reduced, or as
  // those that are.
  static Index Whole(IndexSpace& space, const std::vector<int64_t>& dims);
  Index Kept(IndexSpace& space, const std::vector<int64_t>& dims) const { return Part(space, false, dims); }
  Index Reduced(IndexSpace& space, const std::vector<int64_t>& dims) const { return Part(space, true, dims); }

  using NumberOf = std::function<Affine(IndexSpace&)>;

  // These return a number, to be used with Root, StoreAccess and Number after Analyse.
  int AddRoot(graph::ValueId value, IndexOf at);
  int AddStore(uint16_t buffer, const std::vector<int64_t>& dims, IndexOf at);

  int AddNumber(NumberOf number);  // index arithmetic that the schedule needs for itself; without starts of windows

  // Values that the schedule provides (results of reductions): the walk ends there. Set their value with Provide.
  void AddProvided(graph::ValueId value) { provided_.insert(value); }

  Status Analyse();

  // After Analyse. Items are values at an index: the nodes of what is to be computed, operands first.
  const std::vector<Axis>& axes() const { return merged_; }  // outermost first
  int Root(int number) const { return roots_[number].item; }
  int items() const { return static_cast<int>(items_.size()); }
  graph::ValueId ItemValue(int item) const { return items_[item].value; }
  const std::vector<int>& ItemOperands(int item) const { return items_[item].operands; }
  bool ItemIsLoad(int item) const { return items_[item].kind == Item::kLoad; }
  bool ItemIsProvided(int item) const { return items_[item].kind == Item::kProvided; }
  int ItemUops(int item) const;
  // Whether the item itself reads at a place that changes along the merged axis.
  bool UsesAxis(int item, int axis) const;
  // Places along the innermost axis of the domain, `size` long, where a choice of pad or concatenate turns. Empty if
  // the axis was cut in two.
  std::vector<int64_t> TurnsAlongInnermost(int64_t size) const;
  uint16_t StoreBuffer(int store) const { return stores_[store].buffer; }
  // Bytes that the nest reads and writes, each element of each buffer once; operations an iteration, vector operations
  // in all.
  double Bytes() const;
  int UopsPerIteration() const;
  double Uops() const;
  double Iterations() const;
  // Numbers of the input buffers that are read only where `stores`, all of one output, write. Before Kernel::Finish.
  std::vector<int16_t> SharedInputs(std::span<const int> stores) const;
  // The first of them, or -1.
  int16_t SharedInput(std::span<const int> stores) const;
  int16_t SharedInput(int store) const { return SharedInput({&store, 1}); }

  // Emission.
  void Bind(int axis, Id index) { axis_ids_[axis] = index; }  // kNone: its loop is closed
  // Binds `axes`, outermost first, to the digits of `number`.
  void BindDigits(const std::vector<int>& axes, Id number);
  void Unbind(const std::vector<int>& axes);
  int64_t Extent(const std::vector<int>& axes) const;  // the product of their sizes
  Id AxisId(int axis) const { return axis_ids_[axis]; }
  void OpenScope() { scopes_.emplace_back(); }
  void CloseScope();
  StatusOr<Id> Value(int item);
  void Provide(graph::ValueId value, Id id);
  // `id`, an i64, is the window's start that `item` gives, known to be in its range: not to be clamped. In the open
  // scope.
  void ProvideStart(int item, Id id);
  void SetItem(int item, Id id);  // in the open scope
  bool HasItem(int item) const { return made_[item] != kNone; }
  StatusOr<Access> StoreAccess(int store);
  StatusOr<Id> Number(int number) { return AffineId(numbers_[number].value); }  // an i64
  // Makes here what depends on bound axes alone, so that inner loops need not.
  Status Hoist();
  void SetLaneAxis(int axis) { lane_axis_ = axis; }

 private:
  struct Bound {  // low <= at < high
    Affine at;
    int64_t low, high;
  };
  struct Item {
    enum Kind : uint8_t { kLoad, kLiteral, kIota, kProvided, kOp };
    graph::ValueId value;
    Kind kind;
    Affine at;                  // kLoad: element number; kIota: the value
    std::vector<int> operands;  // of the operation, then starts of windows that `at` needs
    // Of pad: the first operand where all hold, else the second. Of concatenate: the first operand whose bound holds,
    // the last without one.
    std::vector<Bound> bounds = {};
    size_t choices = 0;  // operands to choose from
  };
  struct RootInfo {
    graph::ValueId value;
    IndexOf at;
    int item = -1;
  };
  struct StoreInfo {
    uint16_t buffer;
    std::vector<int64_t> dims;
    IndexOf at;
    Affine element;
    std::vector<int> starts;  // items
  };

  struct NumberInfo {
    NumberOf of;
    Affine value;
  };

  Index Part(IndexSpace& space, bool reduced, const std::vector<int64_t>& dims) const;
  StatusOr<int> Walk(graph::ValueId value, Index index);
  using Place = std::pair<graph::ValueId, Index>;
  // The item with its operands' places; what `at` needs for windows' starts comes last.
  StatusOr<Item> Describe(graph::ValueId value, const Index& index, std::vector<Place>& operands);
  Item DescribePad(const graph::Op& op, const Index& index, std::vector<Place>& operands);
  Item DescribeConcatenate(const graph::Op& op, const Index& index, std::vector<Place>& operands);
  StatusOr<Id> Choose(const Item& item);
  StatusOr<Id> Holds(const Bound& bound);
  void AddStarts(const Affine& at, std::vector<Place>& places) const;
  Status WalkAll();
  void Merge();
  bool Uses(const Affine& at, int axis) const;
  bool IsBound(const Affine& at) const;
  Id Clamped(Id start, int64_t limit);
  StatusOr<Id> VariableId(int variable);
  StatusOr<Id> AffineId(const Affine& at);
  StatusOr<Access> AccessTo(uint16_t buffer, const Affine& at);
  StatusOr<Id> Make(int item);

  Kernel& kernel_;
  std::vector<Axis> domain_;
  std::optional<IndexSpace> space_;
  std::set<graph::ValueId> provided_;
  std::vector<RootInfo> roots_;
  std::vector<StoreInfo> stores_;
  std::vector<NumberInfo> numbers_;
  std::vector<Item> items_;
  std::map<std::pair<graph::ValueId, Index>, int> item_of_;

  std::vector<Axis> merged_;
  std::vector<int> group_of_;   // axis of the space -> merged axis
  std::vector<int> innermost_;  // merged axis -> axis of the space
  std::vector<Id> axis_ids_;
  int lane_axis_ = -1;

  std::vector<Id> made_;  // per item
  std::map<int, Id> variable_ids_;
  struct Scope {
    std::vector<int> items, variables;
  };
  std::vector<Scope> scopes_;
  std::map<std::pair<int, int64_t>, Size> strides_;  // by variable and value
  std::map<int64_t, Size> offsets_;
};

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_NEST_H_
