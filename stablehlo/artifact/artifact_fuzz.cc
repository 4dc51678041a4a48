// Reads whatever it is given as a portable artifact: an error or a module, never a crash. Seeds: testdata/.
#include <cstddef>
#include <cstdint>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/artifact/artifact.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic&) { return mlir::success(); });
  const llvm::StringRef bytes(reinterpret_cast<const char*>(data), size);
  auto module = treadle::stablehlo::ReadPortableArtifact(context, bytes);
  if (module) {
    llvm::raw_null_ostream stream;
    module->print(stream);
  }
  return 0;
}
