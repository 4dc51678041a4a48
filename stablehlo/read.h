// Bytes to a program: the one way in.
#ifndef TREADLE_STABLEHLO_READ_H_
#define TREADLE_STABLEHLO_READ_H_

#include <string_view>

#include "base/status.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace treadle::stablehlo {

// MLIR's own reader of bytecode trusts its input: damaged bytes abort the process or make it run for ever. So plain
// bytecode (not portable artifacts, which have a reader of their own) is refused unless the caller vouches for it.
enum class PlainBytecode { kRefuse, kTrust };

// Reads text or a portable artifact, whichever `bytes` are, and plain MLIR bytecode where that is trusted; `name`
// stands for the file in error messages. The module is verified. `context` must be MakeContext()'s. Whatever the bytes
// (with kRefuse), the worst is an InvalidArgument.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ReadProgram(mlir::MLIRContext& context, std::string_view bytes,
                                                        std::string_view name,
                                                        PlainBytecode plain_bytecode = PlainBytecode::kRefuse);

// INVALID_ARGUMENT for text that MLIR's parser must not see: nested too deep, with results of impossible
// numbers, or arrays of indices.
Status CheckText(std::string_view text, std::string_view name);

// Structures nested deeper than this (regions, attributes, types) are refused: MLIR walks them by recursion.
inline constexpr int kMaxNesting = 256;

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_READ_H_
