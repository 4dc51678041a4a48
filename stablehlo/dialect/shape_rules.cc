#include "stablehlo/dialect/shape_rules.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/dialect/quantized_rules.h"

namespace treadle::stablehlo {

using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;

LogicalResult CheckDimension(Operation* op, llvm::StringRef name, int64_t dimension, int64_t rank, bool at_end) {
  if (dimension >= 0 && (dimension < rank || (at_end && dimension == rank))) return success();
  return op->emitOpError() << name << " " << dimension << " is out of range for rank " << rank;
}

LogicalResult CheckDimensions(Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions, int64_t rank) {
  llvm::SmallVector<bool> seen(rank, false);
  for (int64_t dimension : dimensions) {
    if (failed(CheckDimension(op, name, dimension, rank))) return failure();
    if (seen[dimension]) return op->emitOpError() << name << " names dimension " << dimension << " twice";
    seen[dimension] = true;
  }
  return success();
}

LogicalResult CheckCount(Operation* op, llvm::StringRef name, int64_t got, int64_t count) {
  if (got == count) return success();
  return op->emitOpError() << name << " has " << got << " entries, expected " << count;
}

LogicalResult CheckAtLeast(Operation* op, llvm::StringRef name, llvm::ArrayRef<int64_t> values, int64_t least) {
  for (int64_t value : values) {
    if (value < least)
      return op->emitOpError() << name << " has the entry " << value << ", expected at least " << least;
  }
  return success();
}

namespace {

// The index of a dimension whose size in `shape` exceeds its bound in `type`; -1 where there is none.
int64_t DimensionBeyondBound(ShapedType type, llvm::ArrayRef<int64_t> shape) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto extensions = tensor ? llvm::dyn_cast_or_null<TypeExtensionsAttr>(tensor.getEncoding()) : TypeExtensionsAttr();
  if (!extensions) return -1;
  for (auto [index, pair] : llvm::enumerate(llvm::zip(extensions.getBounds(), shape))) {
    const auto [bound, size] = pair;
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size) && size > bound)
      return static_cast<int64_t>(index);
  }
  return -1;
}

}  // namespace

namespace {

// Where verifiers on this thread tell what they expect of results, in a call of ExpectedResults.
thread_local llvm::SmallVectorImpl<Type>* expected_results = nullptr;

constexpr llvm::StringLiteral kResult = "result";

}  // namespace

llvm::SmallVector<Type> ExpectedResults(Operation* op) {
  llvm::SmallVector<Type> types;
  const mlir::ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic&) { return success(); });
  expected_results = &types;
  const bool valid =
      succeeded(op->getName().verifyInvariants(op)) && succeeded(op->getName().verifyRegionInvariants(op));
  expected_results = nullptr;
  if (!valid || types.size() > op->getNumResults()) return {};
  return types;
}

LogicalResult CheckShape(Operation* op, llvm::StringRef name, ShapedType type, llvm::ArrayRef<int64_t> shape) {
  if (expected_results && name == kResult) expected_results->push_back(type.clone(shape));
  if (succeeded(mlir::verifyCompatibleShape(type.getShape(), shape))) {
    const int64_t beyond = DimensionBeyondBound(type, shape);
    if (beyond < 0) return success();
    return op->emitOpError() << name << " has type " << type << ", but size " << shape[beyond] << " in dimension "
                             << beyond;
  }
  mlir::InFlightDiagnostic error = op->emitOpError() << name << " has type " << type << ", expected the shape [";
  llvm::interleaveComma(shape, error, [&](int64_t size) {
    if (ShapedType::isDynamic(size)) {
      error << '?';
    } else {
      error << size;
    }
  });
  return error << ']';
}

bool IsScalar(Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

LogicalResult CheckScalar(Operation* op, llvm::StringRef name, Type type) {
  if (IsScalar(type)) return success();
  return op->emitOpError() << name << " must be a scalar tensor, got " << type;
}

LogicalResult CheckSameSize(Operation* op, llvm::StringRef what, int64_t a, int64_t b) {
  if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b) return success();
  return op->emitOpError() << what << " differ: " << a << " and " << b;
}

LogicalResult CheckMultiple(Operation* op, llvm::StringRef what, int64_t whole, int64_t part) {
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(part)) return success();
  if (part == 0 ? whole == 0 : whole % part == 0) return success();
  return op->emitOpError() << what << " " << whole << " is no multiple of " << part;
}

bool CompatibleShapes(mlir::RankedTensorType a, mlir::RankedTensorType b) {
  return succeeded(mlir::verifyCompatibleShape(a, b)) && DimensionBeyondBound(a, b.getShape()) < 0 &&
         DimensionBeyondBound(b, a.getShape()) < 0;
}

FailureOr<std::optional<int64_t>> CountElements(Operation* op, llvm::StringRef name, mlir::RankedTensorType type) {
  if (!type.hasStaticShape()) return std::optional<int64_t>();
  if (llvm::is_contained(type.getShape(), 0)) return std::optional<int64_t>(0);
  int64_t count = 1;
  for (int64_t size : type.getShape()) {
    if (llvm::MulOverflow(count, size, count)) {
      return op->emitOpError() << name << " of type " << type << " has too many elements", failure();
    }
  }
  return std::optional<int64_t>(count);
}

bool Compatible(Type a, Type b) {
  if (a == b) return true;
  auto left = llvm::dyn_cast<mlir::RankedTensorType>(a);
  auto right = llvm::dyn_cast<mlir::RankedTensorType>(b);
  return left && right && left.getElementType() == right.getElementType() && CompatibleShapes(left, right);
}

LogicalResult CheckElement(Operation* op, ShapedType a, ShapedType b) {
  if (a.getElementType() == b.getElementType()) return success();
  return op->emitOpError() << "needs one element type, got " << a << " and " << b;
}

LogicalResult CheckTypes(Operation* op, llvm::StringRef what, mlir::TypeRange got, mlir::TypeRange want) {
  if (expected_results && what == kResult) expected_results->append(want.begin(), want.end());
  if (got.size() != want.size()) {
    return op->emitOpError() << what << ": expected " << want.size() << " values, got " << got.size();
  }
  for (auto [index, pair] : llvm::enumerate(llvm::zip(got, want))) {
    const auto [have, need] = pair;
    if (!Compatible(have, need))
      return op->emitOpError() << what << " #" << index << " has type " << have << ", expected " << need;
  }
  return success();
}

LogicalResult CheckTypes(Operation* op, llvm::StringRef what, Type got, Type want) {
  if (expected_results && what == kResult) expected_results->push_back(want);
  if (Compatible(got, want)) return success();
  return op->emitOpError() << what << " has type " << got << ", expected " << want;
}

namespace {

// The operands of the region's stablehlo.return; an error where it ends in anything else.
FailureOr<mlir::OperandRange> ReturnedValues(Operation* op, llvm::StringRef name, mlir::Region& region) {
  if (region.empty() || region.front().empty()) return op->emitOpError() << name << " is empty", failure();
  auto end = llvm::dyn_cast<ReturnOp>(region.front().back());
  if (!end) return op->emitOpError() << name << " must end in stablehlo.return", failure();
  return end->getOperands();
}

}  // namespace

LogicalResult CheckRegion(Operation* op, llvm::StringRef name, mlir::Region& region,
                          const llvm::SmallVectorImpl<Type>* arguments, const llvm::SmallVectorImpl<Type>* results) {
  FailureOr<mlir::OperandRange> returned = ReturnedValues(op, name, region);
  if (failed(returned)) return failure();
  if (arguments && failed(CheckTypes(op, (name + " argument").str(), region.getArgumentTypes(), *arguments)))
    return failure();
  if (results && failed(CheckTypes(op, (name + " result").str(), returned->getTypes(), *results))) return failure();
  return success();
}

LogicalResult CheckReducer(Operation* op, llvm::StringRef name, mlir::Region& region, int64_t n) {
  FailureOr<mlir::OperandRange> returned = ReturnedValues(op, name, region);
  if (failed(returned)) return failure();
  if (failed(CheckCount(op, (name + " argument list").str(), region.getNumArguments(), 2 * n)) ||
      failed(CheckCount(op, (name + " result list").str(), returned->size(), n))) {
    return failure();
  }
  for (Type type : region.getArgumentTypes()) {
    if (failed(CheckScalar(op, (name + " argument").str(), type))) return failure();
  }
  for (int64_t i = 0; i < n; ++i) {
    const Type kept = mlir::getElementTypeOrSelf(region.getArgument(i).getType());
    const Type value = mlir::getElementTypeOrSelf(region.getArgument(n + i).getType());
    if (kept == value || (llvm::isa<mlir::FloatType>(kept) && llvm::isa<mlir::FloatType>(value))) continue;
    return op->emitOpError() << name << " argument #" << n + i << " is of " << value << ", expected " << kept;
  }
  return CheckTypes(op, (name + " result").str(), returned->getTypes(),
                    mlir::TypeRange(region.getArgumentTypes()).take_front(n));
}

LogicalResult CheckFolds(Operation* op, mlir::Region& region, mlir::TypeRange inputs, mlir::TypeRange results) {
  const size_t n = region.getNumArguments() / 2;
  for (auto [index, pair] : llvm::enumerate(llvm::zip(inputs, results))) {
    const auto [input, result] = pair;
    const Type kept = mlir::getElementTypeOrSelf(region.getArgument(index < n ? index : 0).getType());
    if (!IsPromotable(mlir::getElementTypeOrSelf(input), kept))
      return op->emitOpError() << "cannot fold elements of " << input << " with a region on " << kept;
    if (mlir::getElementTypeOrSelf(result) != kept)
      return op->emitOpError() << "folds " << kept << " into a result of type " << result;
  }
  return success();
}

LogicalResult CheckPairs(Operation* op, llvm::StringRef name, mlir::DenseIntElementsAttr pairs) {
  if (pairs.getType().getRank() == 2 && pairs.getType().getDimSize(1) == 2) return success();
  return op->emitOpError() << name << " must be a tensor of pairs, got " << pairs.getType();
}

FailureOr<int64_t> PaddedSize(Operation* op, int64_t i, int64_t size, int64_t low, int64_t high, int64_t interior) {
  if (ShapedType::isDynamic(size)) return size;
  int64_t inside = 0;
  const bool overflow = llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior, inside) ||
                        llvm::AddOverflow(size, inside, size) || llvm::AddOverflow(size, low, size) ||
                        llvm::AddOverflow(size, high, size);
  if (overflow || size < 0)
    return op->emitOpError() << "padding of dimension " << i << " gives no valid size", failure();
  return size;
}

LogicalResult CheckSourcesAndTargets(Operation* op, mlir::DenseIntElementsAttr pairs) {
  if (failed(CheckPairs(op, "source_target_pairs", pairs))) return failure();
  llvm::SmallSet<int64_t, 16> seen[2];
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0) return op->emitOpError() << "source_target_pairs holds " << id;
    if (seen[index % 2].insert(id).second) continue;
    return op->emitOpError() << "source_target_pairs names the " << (index % 2 == 0 ? "source " : "target ") << id
                             << " twice";
  }
  return success();
}

namespace {

LogicalResult CheckSameSizes(Operation* op, llvm::StringRef what, mlir::RankedTensorType lhs,
                             llvm::ArrayRef<int64_t> lhs_dims, mlir::RankedTensorType rhs,
                             llvm::ArrayRef<int64_t> rhs_dims) {
  if (failed(CheckCount(op, what, rhs_dims.size(), lhs_dims.size()))) return failure();
  for (auto [l, r] : llvm::zip(lhs_dims, rhs_dims)) {
    if (failed(CheckSameSize(op, what, lhs.getDimSize(l), rhs.getDimSize(r)))) return failure();
  }
  return success();
}

}  // namespace

LogicalResult CheckDotDimensions(Operation* op, mlir::RankedTensorType lhs, llvm::ArrayRef<int64_t> lhs_batch,
                                 llvm::ArrayRef<int64_t> lhs_contract, mlir::RankedTensorType rhs,
                                 llvm::ArrayRef<int64_t> rhs_batch, llvm::ArrayRef<int64_t> rhs_contract) {
  auto check_operand = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contract,
                           int64_t rank) {
    llvm::SmallVector<int64_t> both = llvm::to_vector(batch);
    llvm::append_range(both, contract);
    return CheckDimensions(op, name, both, rank);
  };
  // Numbers: those of the constraints of dot_general.
  if (failed(check_operand("lhs dimensions", lhs_batch, lhs_contract, lhs.getRank())) ||    // (C3) (C5) (C6)
      failed(check_operand("rhs dimensions", rhs_batch, rhs_contract, rhs.getRank())) ||    // (C4) (C7) (C8)
      failed(CheckSameSizes(op, "batching dimensions", lhs, lhs_batch, rhs, rhs_batch))) {  // (C1) (C9)
    return failure();
  }
  return CheckSameSizes(op, "contracting dimensions", lhs, lhs_contract, rhs, rhs_contract);  // (C2) (C10)
}

FailureOr<Window> CheckWindow(Operation* op, llvm::ArrayRef<int64_t> size,
                              std::optional<llvm::ArrayRef<int64_t>> strides, mlir::DenseIntElementsAttr padding,
                              std::optional<llvm::ArrayRef<int64_t>> base_dilations,
                              std::optional<llvm::ArrayRef<int64_t>> window_dilations) {
  const int64_t rank = static_cast<int64_t>(size.size());
  auto list = [&](llvm::StringRef name,
                  std::optional<llvm::ArrayRef<int64_t>> given) -> FailureOr<llvm::SmallVector<int64_t>> {
    if (!given) return llvm::SmallVector<int64_t>(rank, 1);
    if (failed(CheckCount(op, name, given->size(), rank)) || failed(CheckAtLeast(op, name, *given, 1)))
      return failure();
    return llvm::to_vector(*given);
  };
  Window window;
  window.size = llvm::to_vector(size);
  auto stride = list("window strides", strides);
  auto base = list("base dilations", base_dilations);
  auto dilation = list("window dilations", window_dilations);
  if (failed(stride) || failed(base) || failed(dilation) || failed(CheckAtLeast(op, "window dimensions", size, 1))) {
    return failure();
  }
  window.strides = std::move(*stride);
  window.base_dilations = std::move(*base);
  window.window_dilations = std::move(*dilation);
  window.low.assign(rank, 0);
  window.high.assign(rank, 0);
  if (!padding) return window;
  if (failed(CheckPairs(op, "padding", padding)) ||
      failed(CheckCount(op, "padding", padding.getType().getDimSize(0), rank))) {
    return failure();
  }
  for (auto [index, value] : llvm::enumerate(padding.getValues<int64_t>())) {
    (index % 2 == 0 ? window.low : window.high)[index / 2] = value;
  }
  return window;
}

FailureOr<int64_t> WindowPlaces(Operation* op, const Window& window, int64_t i, int64_t size) {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(window.size[i])) return ShapedType::kDynamic;
  // Sizes with holes: (n - 1) * dilation + 1.
  int64_t dilated = 0;
  int64_t extent = 0;
  bool overflow = false;
  if (size > 0)
    overflow |= llvm::MulOverflow(size - 1, window.base_dilations[i], dilated) ||
                llvm::AddOverflow<int64_t>(dilated, 1, dilated);
  if (window.size[i] > 0)
    overflow |= llvm::MulOverflow(window.size[i] - 1, window.window_dilations[i], extent) ||
                llvm::AddOverflow<int64_t>(extent, 1, extent);
  overflow |= llvm::AddOverflow(dilated, window.low[i], dilated) || llvm::AddOverflow(dilated, window.high[i], dilated);
  int64_t room = 0;
  overflow |= static_cast<bool>(llvm::SubOverflow(dilated, extent, room));
  if (overflow) return op->emitOpError() << "window overflows along dimension " << i, failure();
  if (dilated <= 0 || room < 0) return int64_t{0};
  return room / window.strides[i] + 1;
}

}  // namespace treadle::stablehlo
