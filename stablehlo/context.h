// The MLIR context in which programs live: all dialects of the language loaded, no threads of MLIR's own (compilation
// is parallel between kernels, not inside MLIR). Making one costs about 2 ms. A context and what lives in it belong to
// one thread at a time.
#ifndef TREADLE_STABLEHLO_CONTEXT_H_
#define TREADLE_STABLEHLO_CONTEXT_H_

#include <memory>

#include "mlir/IR/MLIRContext.h"

namespace treadle::stablehlo {

std::unique_ptr<mlir::MLIRContext> MakeContext();

// A context of this process's own that somebody has used before, or a new one; goes back when the object ends. What it
// has read stays in it (types and attributes are never freed), so a context is given up after some dozens of programs.
// Programs in it must end first. Thread-safe.
class BorrowedContext {
 public:
  BorrowedContext();
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext&) = delete;
  BorrowedContext& operator=(const BorrowedContext&) = delete;

  mlir::MLIRContext& operator*() const { return *context_; }
  mlir::MLIRContext* get() const { return context_.get(); }

 private:
  std::unique_ptr<mlir::MLIRContext> context_;
  int uses_ = 0;
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_CONTEXT_H_
