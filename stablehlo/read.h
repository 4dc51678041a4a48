// Bytes to a program: the one way in.
#ifndef TREADLE_STABLEHLO_READ_H_
#define TREADLE_STABLEHLO_READ_H_

#include <string_view>

#include "base/status.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace treadle::stablehlo {

// Reads text, MLIR bytecode or a portable artifact, whichever `bytes` are; `name` stands for the file in error
// messages. The module is verified. `context` must be MakeContext()'s. Whatever the bytes, the worst is an
// InvalidArgument.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ReadProgram(mlir::MLIRContext& context, std::string_view bytes,
                                                        std::string_view name);

// Structures nested deeper than this (regions, attributes, types) are refused: MLIR walks them by recursion.
inline constexpr int kMaxNesting = 256;

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_READ_H_
