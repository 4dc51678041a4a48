// What verifiers ask of convolution and dynamic_conv, whose padding is an operand.
#ifndef TREADLE_STABLEHLO_DIALECT_CONVOLUTION_RULES_H_
#define TREADLE_STABLEHLO_DIALECT_CONVOLUTION_RULES_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/dialect/attributes.h"

namespace treadle::stablehlo {

// What both operations have, by the names of their operands and attributes.
struct ConvolutionParts {
  mlir::RankedTensorType lhs;
  mlir::RankedTensorType rhs;
  mlir::RankedTensorType result;
  std::optional<llvm::ArrayRef<int64_t>> window_strides;
  std::optional<llvm::ArrayRef<int64_t>> lhs_dilation;
  std::optional<llvm::ArrayRef<int64_t>> rhs_dilation;
  std::optional<llvm::ArrayRef<bool>> window_reversal;
  ConvDimensionNumbersAttr numbers;
  int64_t feature_group_count;
  int64_t batch_group_count;
  std::optional<mlir::ArrayAttr> precision_config;
};

template <typename ConvOp>
ConvolutionParts PartsOf(ConvOp op) {
  return {op.getLhs().getType(),
          op.getRhs().getType(),
          op.getResult().getType(),
          op.getWindowStrides(),
          op.getLhsDilation(),
          op.getRhsDilation(),
          op.getWindowReversal(),
          op.getDimensionNumbers(),
          static_cast<int64_t>(op.getFeatureGroupCount()),
          static_cast<int64_t>(op.getBatchGroupCount()),
          op.getPrecisionConfig()};
}

// `padding` may be null, which is none; where it is not known the sizes of space in the result are not checked.
mlir::LogicalResult CheckConvolution(mlir::Operation* op, const ConvolutionParts& parts,
                                     mlir::DenseIntElementsAttr padding, bool padding_known);

// precision_config: nothing, or one entry for each of two operands.
mlir::LogicalResult CheckPrecisions(mlir::Operation* op, std::optional<mlir::ArrayAttr> precisions);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIALECT_CONVOLUTION_RULES_H_
