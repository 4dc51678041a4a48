// Reads whatever it is given as a portable artifact: an error or a module, which can be printed and written again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto context = treadle::stablehlo::MakeContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic&) { return mlir::success(); });
  const llvm::StringRef bytes(reinterpret_cast<const char*>(data), size);
  auto module = treadle::stablehlo::ReadPortableArtifact(*context, bytes);
  if (module) {
    llvm::raw_null_ostream stream;
    module->print(stream);
    std::string written;
    (void)treadle::stablehlo::WritePortableArtifact(*module, {.allow_other_dialects = true}, written);
  }
  return 0;
}
