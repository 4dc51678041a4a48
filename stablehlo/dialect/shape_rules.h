// Checks that verifiers of operations share. Each emits its error at `op` and fails; sizes that are unknown fit
// everything. What they promise later stages: dimension numbers are in range, ranks fit, sizes do not overflow.
#ifndef TREADLE_STABLEHLO_DIALECT_SHAPE_RULES_H_
#define TREADLE_STABLEHLO_DIALECT_SHAPE_RULES_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// Every dimension in [0, rank), none twice.
mlir::LogicalResult CheckDimensions(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions,
                                    int64_t rank);
// 0 <= dimension < rank (or <= rank where `at_end`).
mlir::LogicalResult CheckDimension(mlir::Operation* op, llvm::StringRef name, int64_t dimension, int64_t rank,
                                   bool at_end = false);
// `count` entries.
mlir::LogicalResult CheckCount(mlir::Operation* op, llvm::StringRef name, int64_t got, int64_t count);
// No entry below `least`.
mlir::LogicalResult CheckAtLeast(mlir::Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> values,
                                 int64_t least);
// The tensor has this shape; sizes known of one and unknown of the other stay within bounds.
mlir::LogicalResult CheckShape(mlir::Operation* op, llvm::StringRef name, mlir::ShapedType type,
                               llvm::ArrayRef<int64_t> shape);
// A tensor of rank 0.
bool IsScalar(mlir::Type type);
mlir::LogicalResult CheckScalar(mlir::Operation* op, llvm::StringRef name, mlir::Type type);
mlir::LogicalResult CheckSameSize(mlir::Operation* op, llvm::StringRef what, int64_t a, int64_t b);
// `whole` is a multiple of `part` >= 0; where one is not known nothing is asked.
mlir::LogicalResult CheckMultiple(mlir::Operation* op, llvm::StringRef what, int64_t whole, int64_t part);
// Whether the shapes can be those of one tensor: equal ranks and sizes, where both are known, and within bounds.
bool CompatibleShapes(mlir::RankedTensorType a, mlir::RankedTensorType b);
// How many elements a tensor of this shape has, none where a size is unknown; fails on overflow.
mlir::FailureOr<std::optional<int64_t>> CountElements(mlir::Operation* op, llvm::StringRef name,
                                                      mlir::RankedTensorType type);
// Types that name the same values: equal, or tensors of one element type with compatible shapes.
bool Compatible(mlir::Type a, mlir::Type b);
// The types that an operation's verifier expects of its results by their operands and attributes, in order, as far as
// it says; none where the operation is not valid. Nothing is emitted.
llvm::SmallVector<mlir::Type> ExpectedResults(mlir::Operation* op);
mlir::LogicalResult CheckElement(mlir::Operation* op, mlir::ShapedType a, mlir::ShapedType b);
mlir::LogicalResult CheckTypes(mlir::Operation* op, llvm::StringRef what, mlir::TypeRange got, mlir::TypeRange want);
// Of one value. (A TypeRange of a RankedTensorType would refer to a Type that is gone.)
mlir::LogicalResult CheckTypes(mlir::Operation* op, llvm::StringRef what, mlir::Type got, mlir::Type want);

// The region takes `arguments` (unless null) and its stablehlo.return yields `results` (unless null).
mlir::LogicalResult CheckRegion(mlir::Operation* op, llvm::StringRef name, mlir::Region& region,
                                const llvm::SmallVectorImpl<mlir::Type>* arguments,
                                const llvm::SmallVectorImpl<mlir::Type>* results);
// A region that folds scalars: 2 n arguments, accumulators then values, n results, all tensors of rank 0, the
// accumulators' and the results' types equal, values of the same element types (floats may differ in width).
mlir::LogicalResult CheckReducer(mlir::Operation* op, llvm::StringRef name, mlir::Region& region, int64_t n);
// A region that passed CheckReducer folds elements of these types: what comes in can be promoted to the accumulators,
// and `results` hold their element types. Where the region has fewer accumulators, the first stands for all.
mlir::LogicalResult CheckFolds(mlir::Operation* op, mlir::Region& region, mlir::TypeRange inputs,
                               mlir::TypeRange results);

// The size of a dimension `i` of `size` elements after padding, unknown for an unknown size; fails where it would be
// negative and on overflow.
mlir::FailureOr<int64_t> PaddedSize(mlir::Operation* op, int64_t i, int64_t size, int64_t low, int64_t high,
                                    int64_t interior);

// Pairs of source and target: no source and no target twice, none negative. How many devices there are is not known
// here.
mlir::LogicalResult CheckSourcesAndTargets(mlir::Operation* op, mlir::DenseIntElementsAttr pairs);

// Dimensions of two tensors that are multiplied: in range, none named twice, as many and of equal sizes on both sides.
mlir::LogicalResult CheckDotDimensions(mlir::Operation* op, mlir::RankedTensorType lhs,
                                       llvm::ArrayRef<int64_t> lhs_batch, llvm::ArrayRef<int64_t> lhs_contract,
                                       mlir::RankedTensorType rhs, llvm::ArrayRef<int64_t> rhs_batch,
                                       llvm::ArrayRef<int64_t> rhs_contract);

// A window over `rank` dimensions; absent parts are ones (strides, dilations) and zeros (padding).
struct Window {
  llvm::SmallVector<int64_t> size;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  llvm::SmallVector<int64_t> base_dilations;
  llvm::SmallVector<int64_t> window_dilations;
};
mlir::FailureOr<Window> CheckWindow(mlir::Operation* op, llvm::ArrayRef<int64_t> size,
                                    std::optional<llvm::ArrayRef<int64_t>> strides, mlir::DenseIntElementsAttr padding,
                                    std::optional<llvm::ArrayRef<int64_t>> base_dilations,
                                    std::optional<llvm::ArrayRef<int64_t>> window_dilations);
// How many places the window has along dimension `i` of `size` elements; fails on overflow.
mlir::FailureOr<int64_t> WindowPlaces(mlir::Operation* op, const Window& window, int64_t i, int64_t size);

// n x 2 pairs of i64 (padding, source and target).
mlir::LogicalResult CheckPairs(mlir::Operation* op, llvm::StringRef name, mlir::DenseIntElementsAttr pairs);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_SHAPE_RULES_H_
