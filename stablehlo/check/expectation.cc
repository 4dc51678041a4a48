#include "stablehlo/check/expectation.h"

#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/check/ops.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::check {

namespace {

using Kind = Rule::Kind;

// The targets of custom calls that check two operands, with their tolerances.
std::optional<Expectation> OfCustomCall(stablehlo::CustomCallOp op) {
  const llvm::StringRef target = op.getCallTargetName();
  if (!target.starts_with("check.") || op.getNumOperands() != 2) return std::nullopt;
  if (target == "check.expect_eq") return Expectation{.rule = {.kind = Kind::kEqual}};
  if (target == "check.expect_close") return Expectation{.rule = {.kind = Kind::kClose, .max_ulp = 3}};
  if (target == "check.expect_almost_eq")
    return Expectation{.rule = {.kind = Kind::kAlmost, .tolerance = 1e-3, .max_ulp = 3}};
  // Takes the expected value first.
  if (target == "check.eq") return Expectation{.rule = {.kind = Kind::kAlmost}, .actual = 1, .expected = 0};
  return std::nullopt;
}

}  // namespace

std::optional<Expectation> ExpectationOf(mlir::Operation* op) {
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) return OfCustomCall(call);
  if (llvm::isa<ExpectEqOp>(op)) return Expectation{.rule = {.kind = Kind::kEqual}};
  if (auto equal = llvm::dyn_cast<ExpectEqConstOp>(op)) {
    return Expectation{.rule = {.kind = Kind::kEqual}, .expected = -1, .value = equal.getValue()};
  }
  if (auto almost = llvm::dyn_cast<ExpectAlmostEqOp>(op)) {
    return Expectation{.rule = {.kind = Kind::kAlmost, .tolerance = almost.getTolerance().convertToDouble()}};
  }
  if (auto almost = llvm::dyn_cast<ExpectAlmostEqConstOp>(op)) {
    return Expectation{.rule = {.kind = Kind::kAlmost, .tolerance = almost.getTolerance().convertToDouble()},
                       .expected = -1,
                       .value = almost.getValue()};
  }
  if (auto close = llvm::dyn_cast<ExpectCloseOp>(op)) {
    return Expectation{
        .rule = {.kind = Kind::kClose, .max_ulp = close.getMaxUlpDifference(), .min_ulp = close.getMinUlpDifference()}};
  }
  if (auto probed = llvm::dyn_cast<ExpectSerializedEqOp>(op)) {
    return Expectation{.rule = {.kind = Kind::kEqual},
                       .expected = -1,
                       .probe = probed.getProbeId().str(),
                       .iteration = static_cast<int64_t>(probed.getIteration())};
  }
  return std::nullopt;
}

}  // namespace treadle::check
