// What an operation of a conformance program expects, whichever form it has.
#ifndef TREADLE_STABLEHLO_CHECK_EXPECTATION_H_
#define TREADLE_STABLEHLO_CHECK_EXPECTATION_H_

#include <optional>
#include <string>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "stablehlo/check/compare.h"

namespace treadle::check {

struct Expectation {
  Rule rule;
  int actual = 0;                 // operand
  int expected = 1;               // operand; -1: `value` or the probe
  mlir::ElementsAttr value = {};  // where the expected value is a constant
  std::string probe = {};         // where it is what interpreter.probe saw, the `iteration`-th time
  int64_t iteration = 0;
};

// nullopt where the operation expects nothing: it is neither of the dialect `check` nor a custom_call @check.*.
std::optional<Expectation> ExpectationOf(mlir::Operation* op);

}  // namespace treadle::check

#endif  // TREADLE_STABLEHLO_CHECK_EXPECTATION_H_
