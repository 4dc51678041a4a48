#include "stablehlo/dialect/quantized_rules.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

namespace {

UniformQuantizedPerAxisType PerAxis(Type element) { return llvm::dyn_cast<UniformQuantizedPerAxisType>(element); }

// The product of sizes; none where one is unknown or the product overflows.
std::optional<int64_t> Product(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(product, size, product)) return std::nullopt;
  }
  return product;
}

}  // namespace

unsigned BitsOf(Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) return 2 * BitsOf(complex.getElementType());
  if (auto quantized = llvm::dyn_cast<QuantizedType>(element)) return BitsOf(quantized.getStorageType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

bool IsQuantized(Type element) { return llvm::isa<QuantizedType>(element); }

bool SameBaseline(Type a, Type b) {
  if (a == b) return true;
  auto left = llvm::dyn_cast<QuantizedType>(a);
  auto right = llvm::dyn_cast<QuantizedType>(b);
  return left && right && left.getStorageType() == right.getStorageType() &&
         left.getStorageTypeMin() == right.getStorageTypeMin() &&
         left.getStorageTypeMax() == right.getStorageTypeMax() && left.getExpressedType() == right.getExpressedType() &&
         !PerAxis(left) == !PerAxis(right);
}

LogicalResult CheckBaseline(Operation* op, mlir::TypeRange types) {
  RankedTensorType first;
  for (Type type : types) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor) continue;
    if (!first) first = tensor;
    if (!SameBaseline(first.getElementType(), tensor.getElementType()))
      return op->emitOpError() << "needs one element type, got " << first << " and " << tensor;
  }
  return success();
}

bool IsPromotable(Type from, Type to) {
  if (llvm::isa<mlir::FloatType>(from) && llvm::isa<mlir::FloatType>(to)) return true;
  auto quantized_from = llvm::dyn_cast<QuantizedType>(from);
  auto quantized_to = llvm::dyn_cast<QuantizedType>(to);
  const bool one_kind =
      (llvm::isa<mlir::IntegerType>(from) && llvm::isa<mlir::IntegerType>(to)) ||
      (llvm::isa<mlir::ComplexType>(from) && llvm::isa<mlir::ComplexType>(to)) ||
      (quantized_from && quantized_to && quantized_from.getExpressedType() == quantized_to.getExpressedType());
  return from == to || (one_kind && BitsOf(from) <= BitsOf(to));
}

LogicalResult CheckSameScales(Operation* op, RankedTensorType operand, RankedTensorType result) {
  const Type from = operand.getElementType();
  const Type to = result.getElementType();
  if (from == to || !IsQuantized(from) || !IsQuantized(to)) return success();
  const auto from_axis = PerAxis(from);
  const auto to_axis = PerAxis(to);
  const bool same = from_axis && to_axis && from_axis.getScales() == to_axis.getScales() &&
                    from_axis.getZeroPoints() == to_axis.getZeroPoints();
  if (same) return success();
  return op->emitOpError() << "changes scales or zero points, from " << operand << " to " << result;
}

LogicalResult CheckReshapedAxis(Operation* op, RankedTensorType operand, RankedTensorType result) {
  const auto from = PerAxis(operand.getElementType());
  const auto to = PerAxis(result.getElementType());
  if (!from || !to) return success();
  const int64_t a = from.getQuantizedDimension();
  const int64_t b = to.getQuantizedDimension();
  auto same = [](std::optional<int64_t> left, std::optional<int64_t> right) {
    return !left || !right || *left == *right;
  };
  if (same(Product(operand.getShape().take_front(a)), Product(result.getShape().take_front(b))) &&
      same(Product(operand.getShape().slice(a, 1)), Product(result.getShape().slice(b, 1))) &&
      same(Product(operand.getShape().drop_front(a + 1)), Product(result.getShape().drop_front(b + 1)))) {
    return success();
  }
  return op->emitOpError() << "moves the quantized dimension " << a << " of " << operand << " to dimension " << b
                           << " of " << result << ", which holds other elements";
}

LogicalResult CheckTransposedAxis(Operation* op, RankedTensorType operand, RankedTensorType result,
                                  llvm::ArrayRef<int64_t> permutation) {
  const auto from = PerAxis(operand.getElementType());
  const auto to = PerAxis(result.getElementType());
  if (!from || !to || permutation[to.getQuantizedDimension()] == from.getQuantizedDimension()) return success();
  return op->emitOpError() << "moves the quantized dimension " << from.getQuantizedDimension() << " of " << operand
                           << " elsewhere than to dimension " << to.getQuantizedDimension() << " of " << result;
}

LogicalResult CheckBroadcastAxis(Operation* op, RankedTensorType operand, RankedTensorType result,
                                 llvm::ArrayRef<int64_t> dimensions) {
  const auto from = PerAxis(operand.getElementType());
  const auto to = PerAxis(result.getElementType());
  if (!from || !to) return success();
  const int64_t axis = from.getQuantizedDimension();
  if (dimensions[axis] != to.getQuantizedDimension()) {
    return op->emitOpError() << "moves the quantized dimension " << axis << " of " << operand << " to dimension "
                             << dimensions[axis] << ", but the result is " << result;
  }
  if (operand.getDimSize(axis) != 1) return success();
  auto repeats = [](auto many, auto one) {
    return llvm::all_of(many, [&](auto value) { return value == one.front(); });
  };
  if (repeats(to.getScales(), from.getScales()) && repeats(to.getZeroPoints(), from.getZeroPoints())) return success();
  return op->emitOpError() << "repeats the one scale and zero point of " << operand << ", got " << result;
}

LogicalResult CheckQuantizedSum(Operation* op, Type lhs, Type rhs, Type result) {
  const auto a = llvm::dyn_cast<QuantizedType>(lhs);
  const auto b = llvm::dyn_cast<QuantizedType>(rhs);
  const auto sum = llvm::dyn_cast<QuantizedType>(result);
  auto refuse = [&](llvm::StringRef why) {
    return op->emitOpError() << why << ", got " << lhs << ", " << rhs << " and " << result;
  };
  if (!a || !b || !sum) return refuse("needs operands and a result that are all quantized");  // (C2)
  if (a.getStorageType() != b.getStorageType() || a.getStorageType() != sum.getStorageType())
    return refuse("needs one storage type");  // (C3)
  if (a.getExpressedType() != b.getExpressedType() || a.getExpressedType() != sum.getExpressedType())
    return refuse("needs one expressed type");  // (C4)
  const auto axis = PerAxis(sum);
  if ((PerAxis(a) || PerAxis(b)) != static_cast<bool>(axis))
    return refuse("needs scales per axis in the result exactly if an operand has them");  // (C5)
  for (Type operand : {lhs, rhs}) {                                                       // (C6) (C7)
    const auto operand_axis = PerAxis(operand);
    if (operand_axis && operand_axis.getQuantizedDimension() != axis.getQuantizedDimension())
      return refuse("needs one quantized dimension");
  }
  return success();
}

LogicalResult CheckQuantizedProduct(Operation* op, Type lhs, Type rhs, Type result) {
  const auto a = llvm::dyn_cast<QuantizedType>(lhs);
  const auto b = llvm::dyn_cast<QuantizedType>(rhs);
  const auto product = llvm::dyn_cast<QuantizedType>(result);
  auto refuse = [&](llvm::StringRef why) {
    return op->emitOpError() << why << ", got " << lhs << ", " << rhs << " and " << result;
  };
  if (!b || static_cast<bool>(a) != static_cast<bool>(product))
    return refuse("needs a quantized rhs, and lhs and result both quantized or neither");
  if (!a) {
    if (lhs == b.getExpressedType() && lhs == result) return success();
    return refuse("needs lhs and result of the type that rhs expresses");
  }
  if (a.getStorageType() != b.getStorageType()) return refuse("needs one storage type of lhs and rhs");
  if (a.getExpressedType() != b.getExpressedType() || a.getExpressedType() != product.getExpressedType())
    return refuse("needs one expressed type");
  if (!PerAxis(b) && PerAxis(product)) return refuse("of one scale in rhs gives one scale in the result");
  return success();
}

}  // namespace treadle::stablehlo
