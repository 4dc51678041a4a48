#include "stablehlo/read.h"

#include <string>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/nesting.h"
#include "stablehlo/tensor_sizes.h"

namespace treadle::stablehlo {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

llvm::StringRef Ref(std::string_view text) { return {text.data(), text.size()}; }

Status TooDeep(std::string_view name, int depth) {
  return InvalidArgument(std::string(name) + ": nested " + std::to_string(depth) + " deep; at most " +
                         std::to_string(kMaxNesting) + " levels are read");
}

// Frees a program too deep for the recursion of destructors, from the inside out.
void Dismantle(Module program) {
  llvm::SmallVector<mlir::Operation*> order = {program.get()};
  for (size_t i = 0; i < order.size(); ++i) {
    for (mlir::Region& region : order[i]->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::Operation& inner : block) {
          if (inner.getNumRegions() > 0) order.push_back(&inner);
        }
      }
    }
  }
  for (mlir::Operation* op : llvm::reverse(order)) {
    for (mlir::Region& region : op->getRegions()) {
      region.dropAllReferences();
      for (mlir::Block& block : region) block.dropAllDefinedValueUses();
      region.getBlocks().clear();
    }
  }
}

// A module, or whatever else the text holds wrapped in one, as MLIR does. Not verified.
Module Parse(mlir::MLIRContext& context, std::string_view bytes, std::string_view name) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(Ref(bytes), Ref(name)), llvm::SMLoc());
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, config);
}

bool IsBytecode(std::string_view bytes) { return bytes.starts_with("ML\xefR"); }

}  // namespace

Status CheckText(std::string_view text, std::string_view name) {
  const TextExtent extent = MeasureText(text);
  if (extent.nesting > kMaxNesting) return TooDeep(name, extent.nesting);
  if (extent.too_many_results)
    return InvalidArgument(std::string(name) + ": reads results by numbers that are too large");
  if (extent.array_of_indices) return InvalidArgument(std::string(name) + ": an array attribute of type index");
  return OkStatus();
}

StatusOr<Module> ReadProgram(mlir::MLIRContext& context, std::string_view bytes, std::string_view name,
                             PlainBytecode plain_bytecode) {
  const bool is_text = !IsBytecode(bytes);
  if (is_text) {
    if (bytes.find('\0') != std::string_view::npos) {
      return InvalidArgument(std::string(name) + ": neither MLIR text, nor bytecode, nor a portable artifact");
    }
    TREADLE_RETURN_IF_ERROR(CheckText(bytes, name));
  }
  DiagnosticCollector errors(&context, name, is_text ? bytes : std::string_view());
  if (IsPortableArtifact(Ref(bytes))) {
    Module program = ReadPortableArtifact(context, Ref(bytes));
    if (!program) return errors.TakeStatus(std::string(name) + ": cannot be read");
    return program;
  }
  if (!is_text && plain_bytecode == PlainBytecode::kRefuse) {
    return InvalidArgument(
        std::string(name) +
        ": MLIR bytecode is read as a portable artifact only (StableHLO's serialize_portable_artifact "
        "writes one); text is read too");
  }
  Module program = Parse(context, bytes, name);
  if (!program) return errors.TakeStatus(std::string(name) + ": cannot be parsed");
  if (const int depth = RegionNesting(program.get()); depth > kMaxNesting) {
    Dismantle(std::move(program));
    return TooDeep(name, depth);
  }
  if (failed(CheckTensorSizes(*program))) return errors.TakeStatus(std::string(name) + ": tensors are too large");
  if (failed(mlir::verify(*program))) return errors.TakeStatus(std::string(name) + ": does not verify");
  return program;
}

}  // namespace treadle::stablehlo
