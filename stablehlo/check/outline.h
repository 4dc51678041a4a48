// Conformance programs as programs that compile: expectations leave them and become results. No MLIR.
#ifndef TREADLE_STABLEHLO_CHECK_OUTLINE_H_
#define TREADLE_STABLEHLO_CHECK_OUTLINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "base/status.h"
#include "stablehlo/check/compare.h"

namespace treadle::check {

// An expectation about a result of the outlined function.
struct OutlinedExpectation {
  Rule rule;
  std::string place;  // "file:line:col: error: 'check.expect_eq' op": how a miss begins
  int actual = 0;     // results of the function
  int expected = -1;  // likewise; -1: `value`, or what a probe saw
  Shape value_shape = {};
  std::string value = {};
  std::string probe = {};  // the outfeed_config of what is expected, the `iteration`-th time
  int64_t iteration = 0;
};

inline constexpr std::string_view kProbeConfig = "probe ";

struct OutlinedFunction {
  std::string name;
  std::vector<Shape> parameters;
  std::vector<OutlinedExpectation> expectations;
  int results = 0;          // that it has now; 0: nothing is left to run
  bool runs_grids = false;  // holds interpreter.run_parallel: it was left as it is
};

struct OutlinedProgram {
  std::string text;
  std::vector<OutlinedFunction> functions;  // those that interpreter::Check runs
};

// Probes become outfeeds whose configuration is kProbeConfig and the probe's name. UNIMPLEMENTED for expectations that
// are not in the body of a function that is run.
StatusOr<OutlinedProgram> Outline(std::string_view program, std::string_view name);

}  // namespace treadle::check

#endif  // TREADLE_STABLEHLO_CHECK_OUTLINE_H_
