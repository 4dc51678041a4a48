// The bridge from MLIR's diagnostics to Status.
#ifndef TREADLE_STABLEHLO_DIAGNOSTICS_H_
#define TREADLE_STABLEHLO_DIAGNOSTICS_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// "file.py:12:8" of the place in the user's source where an operation came from: of call stacks the innermost frame, of
// names and fused locations the first that has a file. Empty where no file is known.
std::string SourceLine(mlir::Location location);

// While it lives it takes the errors that the context emits on this thread (warnings and remarks go to the log). Nests.
class DiagnosticCollector {
 public:
  // With the text of the file `file` (which must outlive it) errors show the line that they are about, and a caret.
  explicit DiagnosticCollector(mlir::MLIRContext* context, std::string_view file = {}, std::string_view text = {});
  DiagnosticCollector(const DiagnosticCollector&) = delete;
  DiagnosticCollector& operator=(const DiagnosticCollector&) = delete;

  bool has_errors() const { return count_ > 0; }
  // Everything collected since the last call as one InvalidArgument: "model.mlir:3:10: error: ...", a line an error
  // with its notes below. At most 10 errors are told. Without errors: `fallback` as Internal error (something failed
  // silently).
  Status TakeStatus(std::string_view fallback);
  // The same as Unimplemented.
  Status TakeUnimplemented(std::string_view fallback);

 private:
  mlir::LogicalResult Collect(mlir::Diagnostic& diagnostic);

  void Append(mlir::Location location, std::string_view kind, const mlir::Diagnostic& diagnostic);

  std::string_view file_;
  std::string_view source_;
  std::string text_;
  int count_ = 0;
  mlir::ScopedDiagnosticHandler handler_;
};

// "stablehlo.add (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> at train.py:12:8": how errors name an operation.
std::string Describe(mlir::Operation* op);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_DIAGNOSTICS_H_
