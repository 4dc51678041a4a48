// The MLIR context in which programs live: all dialects of the language loaded, no threads of MLIR's own (compilation
// is parallel between kernels, not inside MLIR). Making one costs about 2 ms. A context and what lives in it belong to
// one thread at a time.
#ifndef TREADLE_STABLEHLO_CONTEXT_H_
#define TREADLE_STABLEHLO_CONTEXT_H_

#include <memory>

#include "mlir/IR/MLIRContext.h"

namespace treadle::stablehlo {

std::unique_ptr<mlir::MLIRContext> MakeContext();

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_CONTEXT_H_
