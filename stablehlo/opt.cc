#include "stablehlo/opt.h"

#include <algorithm>
#include <memory>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/expand_async.h"
#include "stablehlo/expand_chlo.h"
#include "stablehlo/expand_composites.h"
#include "stablehlo/expand_custom_calls.h"
#include "stablehlo/expand_legacy.h"
#include "stablehlo/expand_narrow.h"
#include "stablehlo/expand_quantized.h"
#include "stablehlo/export_shardings.h"
#include "stablehlo/flatten_regions.h"
#include "stablehlo/nesting.h"
#include "stablehlo/read.h"
#include "stablehlo/settle_shapes.h"
#include "stablehlo/tensor_sizes.h"

namespace treadle::stablehlo {

namespace {

struct Pass {
  PassDescription description;
  mlir::LogicalResult (*run)(mlir::ModuleOp module);
};

constexpr Pass kPasses[] = {
    {{"expand-composites", "put the decompositions of composites in their place"},
     [](mlir::ModuleOp module) { return ExpandComposites(module); }},
    {{"expand-chlo", "replace CHLO operations by StableHLO"}, [](mlir::ModuleOp module) { return ExpandChlo(module); }},
    {{"expand-async", "replace async_start and async_done by what runs between them"}, &ExpandAsync},
    {{"expand-custom-calls", "replace custom calls that other operations say"}, &ExpandCustomCalls},
    {{"expand-legacy", "replace maps, batch norms, rng and the like by other operations"}, &ExpandLegacy},
    {{"export-shardings", "write shardings as XLA's custom calls, or not at all"}, &ExportShardings},
    {{"flatten-regions", "make regions on scalars straight rows of operations"}, &FlattenRegions},
    {{"settle-shapes", "make shapes static that arguments, operands and constants tell"}, &SettleShapes},
    {{"expand-quantized", "replace quantized numbers by the integers that are stored"}, &ExpandQuantized},
    {{"expand-narrow", "replace integers below and floats up to 8 bits by wider types; @main keeps their bytes"},
     [](mlir::ModuleOp module) { return ExpandNarrow(module, "main"); }},
};

mlir::LogicalResult RunPass(std::string_view name, mlir::ModuleOp module) {
  const auto* pass = std::ranges::find(kPasses, name, [](const Pass& each) { return each.description.name; });
  if (pass != std::end(kPasses)) return pass->run(module);
  return module.emitError() << "there is no pass '" << llvm::StringRef(name.data(), name.size()) << "'";
}

mlir::LogicalResult RunPasses(const std::vector<std::string>& passes, mlir::ModuleOp module) {
  for (const std::string& pass : passes) {
    if (failed(RunPass(pass, module))) return mlir::failure();
  }
  return mlir::verify(module);
}

}  // namespace

std::vector<PassDescription> Passes() {
  std::vector<PassDescription> passes;
  for (const Pass& pass : kPasses) passes.push_back(pass.description);
  return passes;
}

StatusOr<std::string> Opt(std::string_view bytes, std::string_view name, const OptOptions& options) {
  const auto context = MakeContext();
  TREADLE_ASSIGN_OR_RETURN(auto program, ReadProgram(*context, bytes, name, PlainBytecode::kTrust));
  DiagnosticCollector errors(context.get(), name, bytes);
  if (failed(RunPasses(options.passes, *program))) return errors.TakeStatus("a pass failed");
  std::string result;
  if (!options.artifact.empty()) {
    const auto target = ParseArtifactVersion(options.artifact);
    if (!target) return InvalidArgument("'" + options.artifact + "' is no version of StableHLO; one is 1.12.0");
    const ArtifactOptions artifact = {.target = *target, .allow_other_dialects = options.allow_other_dialects};
    if (failed(WritePortableArtifact(*program, artifact, result)))
      return errors.TakeStatus("no artifact can be written");
    return result;
  }
  llvm::raw_string_ostream stream(result);
  if (options.bytecode) {
    if (failed(mlir::writeBytecodeToFile(*program, stream))) return errors.TakeStatus("the program cannot be written");
    return result;
  }
  mlir::OpPrintingFlags printing;
  if (options.generic) printing.printGenericOpForm();
  if (options.locations) printing.enableDebugInfo();
  program->print(stream, printing);
  return result;
}

std::string NewestArtifactVersion() { return kNewestArtifact.ToString(); }

Status VerifyDiagnostics(std::string_view text, std::string_view name, const std::vector<std::string>& passes) {
  TREADLE_RETURN_IF_ERROR(CheckText(text, name));
  const auto context = MakeContext();
  context->printOpOnDiagnostic(false);  // nobody announces that note
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size()),
                                                                   llvm::StringRef(name.data(), name.size())),
                              llvm::SMLoc());
  std::string differences;
  llvm::raw_string_ostream stream(differences);
  mlir::SourceMgrDiagnosticVerifierHandler announced(*sources, context.get(), stream);
  const mlir::ParserConfig config(context.get(), /*verifyAfterParse=*/false);
  if (auto program = mlir::parseSourceFile<mlir::ModuleOp>(sources, config)) {
    // What fails has said so.
    if (succeeded(CheckTensorSizes(*program)) && succeeded(mlir::verify(*program))) {
      (void)RunPasses(passes, *program);
    }
  }
  if (succeeded(announced.verify())) return OkStatus();
  return FailedPrecondition(differences);
}

}  // namespace treadle::stablehlo
