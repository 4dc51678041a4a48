// Operations and places as people read them, for errors.
#ifndef TREADLE_COMPILER_OPTIMIZE_DESCRIBE_H_
#define TREADLE_COMPILER_OPTIMIZE_DESCRIBE_H_

#include <string>
#include <string_view>

#include "base/shape.h"
#include "base/status.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace treadle::compiler {

// "model.py:12:8 (jit(step)/dot_general)": the innermost file position and the outermost name that the location has. An
// operation of a called function may know its name alone; the file is then that of the innermost of `calls` (outermost
// first) which has one.
std::string LocationText(mlir::Location location, llvm::ArrayRef<mlir::Location> calls = {});

// "stablehlo.add (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)".
std::string Describe(mlir::Operation* op);

// "tensor<3xf32>".
std::string TypeText(mlir::Type type);

// UNIMPLEMENTED: Describe(op) is not implemented yet[: why]. Where the operation stands is for the caller to add.
Status NotYet(mlir::Operation* op, std::string_view why = "");

// The shape of a value of `op`; tokens are arrays without elements. UNIMPLEMENTED for types that the planner does not
// know; RESOURCE_EXHAUSTED for sizes beyond 64 bits.
StatusOr<Shape> ShapeOf(mlir::Type type, mlir::Operation* op);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_DESCRIBE_H_
