// Index arithmetic of a loop nest: where in each operand an iteration reads, as affine expressions of the nest's axes.
//
// An axis is one loop of the nest. Reshapes, slices, broadcasts, transposes and the like between the nest's domain and
// an operand change only these expressions, never data. What is not affine (a reshape that splits an axis unevenly, the
// start of a dynamic_slice) becomes one more variable with a known range. Plain values; nothing here knows the plan's
// nodes.
#ifndef TREADLE_COMPILER_PLAN_SCHEDULES_INDEX_SPACE_H_
#define TREADLE_COMPILER_PLAN_SCHEDULES_INDEX_SPACE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace treadle::plan {

// offset + sum of coefficient * variable; terms sorted by variable, no zero coefficients.
struct Affine {
  int64_t offset = 0;
  std::vector<std::pair<int, int64_t>> terms;

  static Affine Variable(int variable) { return {0, {{variable, 1}}}; }
  int64_t Coefficient(int variable) const;
  void Add(const Affine& other, int64_t times);  // this += other * times
  bool operator==(const Affine&) const = default;
  auto operator<=>(const Affine&) const = default;
};

// One expression a dimension.
using Index = std::vector<Affine>;

struct Variable {
  enum Kind : uint8_t {
    kAxis,
    kQuotient,   // of / by
    kRemainder,  // of % by
    kClamped,    // `of`, clamped to [0, size - 1]
    kStart,      // the element of `start` at `at`, clamped to [0, size - 1]: a window's place
  };
  Kind kind = kAxis;
  int64_t size = 0;  // values are 0 to size - 1
  Affine of;
  int64_t by = 0;
  graph::ValueId start = -1;
  Index at = {};
  bool operator==(const Variable&) const = default;
};

// An element of a gather's result, or of a scatter's updates, taken apart: which index vector it goes by (a position in
// the indices without the dimension of index vectors), and where in the operand it lies for an index vector of zeros.
struct IndexedPlace {
  Index index_vector;
  Index window;
};
IndexedPlace PlaceOf(const graph::IndexedWindows& windows, const Index& index, size_t operand_rank);

// Where component `component` of that index vector lies in the indices, which have rank `indices_rank`.
Index ComponentPlace(const graph::IndexedWindows& windows, const IndexedPlace& place, size_t component,
                     int64_t indices_rank);

// Sizes of a scatter's windows along the dimensions of its operand; `updates`: the dimensions of the updates.
std::vector<int64_t> WindowSizes(const graph::IndexedWindows& windows, const std::vector<int64_t>& updates,
                                 size_t operand_rank);

class IndexSpace {
 public:
  // Variables 0 to axes.size() - 1 are the axes, outermost first.
  explicit IndexSpace(std::vector<int64_t> axes, bool may_split = true);

  int axes() const { return axes_; }
  const Variable& variable(int number) const { return variables_[number]; }
  int variables() const { return static_cast<int>(variables_.size()); }

  // The axes as an index of their own shape.
  Index Identity() const;

  // `index` of a tensor of dims `from`, as an index of its reshape to `to`.
  Index Reshape(const Index& index, const std::vector<int64_t>& from, const std::vector<int64_t>& to);

  // Where operand `operand` of `op` is read when its result is read at `index`. Elementwise and movement operations but
  // concatenate, pad, dynamic_update_slice and constants, and reductions of nothing; nullopt for all else. Of
  // operations that read at places given by other operands (dynamic_slice, gather), operand 0 alone: the others are in
  // its index.
  std::optional<Index> OperandIndex(const graph::Graph& graph, const graph::Op& op, int operand, const Index& index);

  // 0 <= value < size always; never.
  bool InRange(const Affine& value, int64_t size) const;
  bool OutOfRange(const Affine& value, int64_t size) const;

  // `value` clamped to [0, size - 1]; `value` itself if it always lies there.
  Affine Clamp(const Affine& value, int64_t size);

  // value / by and value % by of a value that is never negative.
  std::pair<Affine, Affine> DivMod(const Affine& value, int64_t by);

  // The variable that stands for a window's start along a dimension: the element of `start` at `at`; `limit`: its
  // largest value.
  Affine Start(graph::ValueId start, Index at, int64_t limit);

  // Element number in a dense row-major tensor.
  Affine Linear(const Index& index, const std::vector<int64_t>& dims) const;

  // Set when an axis cut in two (outer, `inner`) would make an expression affine. The caller starts again with such
  // axes.
  struct Split {
    int axis;
    int64_t inner;
  };
  const std::optional<Split>& wanted_split() const { return wanted_; }

 private:
  Index GatherIndex(const graph::Graph& graph, const graph::Op& op, const Index& index);
  void Rejoin(Affine& value) const;
  int Intern(Variable variable);
  std::pair<int64_t, int64_t> Limits(const Affine& value) const;  // least and greatest value

  std::vector<Variable> variables_;
  int axes_;
  bool may_split_;
  std::optional<Split> wanted_;
};

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_SCHEDULES_INDEX_SPACE_H_
