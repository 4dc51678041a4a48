// chlo.ragged_dot: a product like dot_general, where one dimension of lhs falls into consecutive groups whose sizes are
// a value.
#ifndef TREADLE_STABLEHLO_CHLO_RAGGED_DOT_H_
#define TREADLE_STABLEHLO_CHLO_RAGGED_DOT_H_

#include "stablehlo/chlo/ops.h"

namespace treadle::chlo {

// What the dimension with the groups is to the product. b: batching, m and n: free, k: contracting, g: groups.
enum class RaggedMode {
  kFree,         // [b, m, k] x [g, b, k, n] -> [b, m, n]: every group of rows has a matrix of its own
  kContracting,  // [b, m, k] x [b, k, n] -> [g, b, m, n]: a sum of its own for every group
  kBatching,     // [b, m, k] x [b, k, n] -> [b, m, n]: groups say nothing
};

struct RaggedDims {
  RaggedMode mode;
  int64_t ragged;  // the dimension of lhs
  // Dimensions of lhs that the groups may differ along: group_sizes is [prefix ..., g], or [g] for all.
  llvm::SmallVector<int64_t> prefix;
  llvm::SmallVector<int64_t> lhs_free, rhs_free;  // without that of the groups
};

// Of an operation whose dimension numbers are in range and name one ragged dimension.
RaggedDims DimsOf(RaggedDotOp op);

// The same as a dot_general of lhs with everything outside a group 0, once for each group: g times the work, which no
// shape known at compile time can save. What lies behind the last group gives 0. Types are static.
mlir::Value ExpandRaggedDot(mlir::OpBuilder& builder, RaggedDotOp op);

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_RAGGED_DOT_H_
