// Sorts by keys as steps of kernels.
//
// PlanSort turns a description of a sort into phases, each a kernel of kernels/table.h with its push constants, tiles
// and memory: what the compiler writes into KernelSteps, in this order. All is fixed by sizes, types and target; every
// tile is independent, and the result of a sort is one permutation, so any split over any threads gives the same bits.
//
// Meaning. Operands of equal shape [.., length, ..] are sorted together along one dimension: row by row, the elements
// take the order of the keys, the first key first; those whose keys are all equal keep their order. Outputs are
// operands' bits, moved.
//
// Buffers of a frame, in every phase: the request's, then its outputs.
//
// Thread-safe: no state.
#ifndef TREADLE_KERNELS_SORT_SORT_H_
#define TREADLE_KERNELS_SORT_SORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"
#include "executable/target.h"

namespace treadle::kernels::sort {

// An operand that is ordered by. Integers by value, i1 false first; floats by their bits as TOTALORDER has it, unless
// merged.
struct SortKey {
  int64_t buffer = 0;
  ElementType type = ElementType::kF32;
  bool descending = false;
  // Floats: zeros of both signs are equal; so are denormals where arithmetic flushes them (never in f16).
  bool merges_zeros = false;
  // Floats: all NaNs are equal, and greatest.
  bool merges_nans = false;

  bool operator==(const SortKey&) const = default;
};

struct SortOutput {
  int64_t buffer = -1;  // whose elements; -1: their numbers in the row, from 0
  ElementType type = ElementType::kF32;
};

struct SortRequest {
  int64_t outer = 1, length = 1, inner = 1;  // of the operands' shape: before, along and behind the dimension
  int64_t take = 1;                          // of each row the first so many: outputs are [outer, take, inner]
  int64_t buffers = 1;                       // operands that are read
  std::vector<SortKey> keys;
  std::vector<SortOutput> outputs;
  bool keeps_subnormals = false;  // subnormal keys are not zeros (executable::Target)
};

struct SortPhase {
  std::string symbol;  // of kernels/table.h
  std::vector<uint64_t> args;
  int64_t tiles = 1;
  int64_t local_bytes = 0;
  int64_t cost_ns = 0;  // estimate, one thread
};

struct SortPlan {
  std::vector<SortPhase> phases;  // empty where the outputs have no elements
  int64_t scratch_bytes = 0;
};

// Whether there are kernels for these keys: all together up to 64 bits wide, of rows of fewer than 2^32 elements.
bool CanSort(const std::vector<SortKey>& keys, int64_t length);

// REQUIRES: CanSort(request.keys, request.length); element types of 1, 2, 4 and 8 bytes, none complex.
SortPlan PlanSort(const SortRequest& request, const executable::Target& target);

}  // namespace treadle::kernels::sort

#endif  // TREADLE_KERNELS_SORT_SORT_H_
