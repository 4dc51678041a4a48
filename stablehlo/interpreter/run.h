// The reference interpreter for those who have no MLIR: programs as bytes, tensors as plain memory.
//
// It does literally what the specification says, one operation after another, and is the oracle of the tests: simple,
// slow, with 64 bits of mantissa where rounding matters.
#ifndef TREADLE_STABLEHLO_INTERPRETER_RUN_H_
#define TREADLE_STABLEHLO_INTERPRETER_RUN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "base/status.h"

namespace treadle::interpreter {

// Dense, row-major, in memory format (elements below a byte take one each). Of quantized types the stored integers. A
// token is an array of i1 without elements.
struct HostTensor {
  Shape shape;
  std::string bytes;
};

// The arguments that a function of a program takes; those whose types leave sizes open take the sizes of `shapes` (by
// number; may be shorter). NOT_FOUND where there is no such function; UNIMPLEMENTED where it takes anything but tensors
// of known shape.
StatusOr<std::vector<Shape>> ParametersOf(std::string_view program, std::string_view name, std::string_view function,
                                          const std::vector<std::optional<std::vector<int64_t>>>& shapes = {});

// The results of a function for these arguments. `name` stands for the file in errors, which are all of the program:
// what it does not say right, what the interpreter does not have (UNIMPLEMENTED), what is too large.
StatusOr<std::vector<HostTensor>> Run(std::string_view program, std::string_view name, std::string_view function,
                                      const std::vector<HostTensor>& arguments);

// ---- Conformance programs.

// What came of a program's expectations (dialect `check`, custom calls @check.*).
struct CheckReport {
  int64_t checks = 0;               // how many there were
  std::vector<std::string> misses;  // those that did not hold: "file:line:col: error: ..."
  std::string printed;              // by interpreter.print
};

// Runs a grid of processes [replica][partition], each a function of the program, in the interpreter's place. Inputs and
// results are those of all processes, one after another; `infeed` is what the host feeds in, each time some tensors.
using RunGrid = std::function<StatusOr<std::vector<HostTensor>>(const std::vector<std::vector<std::string>>& functions,
                                                                const std::vector<HostTensor>& inputs,
                                                                const std::vector<std::vector<HostTensor>>& infeed)>;

// Runs `main` (its arguments are zeros) or, where there is none, every public function without arguments; a program
// without functions passes.
StatusOr<CheckReport> Check(std::string_view program, std::string_view name, const RunGrid& run_grid = nullptr);

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_RUN_H_
