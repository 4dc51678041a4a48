// Reads whatever it is given as a text of MLIR and verifies it; what is read can be printed, expanded, and written as
// an artifact: an error or a program, never a crash.
#include <cstddef>
#include <cstdint>
#include <string>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/context.h"
#include "stablehlo/expand_chlo.h"
#include "stablehlo/expand_composites.h"
#include "stablehlo/expand_legacy.h"
#include "stablehlo/flatten_regions.h"
#include "stablehlo/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace stablehlo = treadle::stablehlo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("ML\xEFR")) return 0;  // artifact/read_fuzz.cc
  const auto context = stablehlo::MakeContext();
  mlir::ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic&) { return mlir::success(); });
  auto program = stablehlo::ReadProgram(*context, text, "input.mlir");
  if (!program.ok()) return 0;
  llvm::raw_null_ostream stream;
  (*program)->print(stream);
  std::string bytes;
  for (const auto& version : {stablehlo::kOldestArtifact, stablehlo::kNewestArtifact}) {
    (void)stablehlo::WritePortableArtifact(**program, {.target = version, .allow_other_dialects = true}, bytes);
  }
  if (succeeded(stablehlo::ExpandComposites(**program)) && succeeded(stablehlo::ExpandChlo(**program)) &&
      succeeded(stablehlo::FlattenRegions(**program)) && succeeded(stablehlo::ExpandLegacy(**program))) {
    (*program)->print(stream);
  }
  return 0;
}
