#include "stablehlo/artifact/artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "stablehlo/artifact/container.h"
#include "stablehlo/artifact/entry_table.h"
#include "stablehlo/artifact/program_reader.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/sdy/sdy.h"
#include "stablehlo/tensor_sizes.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::StringRef;

constexpr StringRef kProducer = "StableHLO_v";

llvm::ArrayRef<uint8_t> Bytes(StringRef bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

// From a producer like StableHLO_v1.16.2.
std::optional<ArtifactVersion> ParseProducer(StringRef producer) {
  if (!producer.consume_front(kProducer)) return std::nullopt;
  return ParseArtifactVersion(producer);
}

bool IsKnown(const ArtifactVersion& version) {
  if (version.major == kOldestArtifact.major) return version.minor >= kOldestArtifact.minor;
  return version.major > kOldestArtifact.major && version.major <= kNewestArtifact.major;
}

}  // namespace

std::optional<ArtifactVersion> ParseArtifactVersion(StringRef text) {
  ArtifactVersion version;
  if (text.consumeInteger(10, version.major) || !text.consume_front(".") || text.consumeInteger(10, version.minor) ||
      !text.consume_front(".") || text.consumeInteger(10, version.patch) || !text.empty()) {
    return std::nullopt;
  }
  return version;
}

bool IsPortableArtifact(StringRef bytes) {
  ByteReader reader(Bytes(bytes));
  Container container;
  return ReadHeader(reader, container) && container.producer.starts_with(kProducer);
}

std::optional<ArtifactVersion> ProducerVersion(StringRef bytes) {
  ByteReader reader(Bytes(bytes));
  Container container;
  if (!ReadHeader(reader, container)) return std::nullopt;
  return ParseProducer(container.producer);
}

mlir::OwningOpRef<mlir::ModuleOp> ReadPortableArtifact(mlir::MLIRContext& context, StringRef bytes) {
  const mlir::Location location = mlir::UnknownLoc::get(&context);
  const auto fail = [&](const mlir::Twine& message) {
    mlir::emitError(location) << "cannot read portable artifact: " << message;
    return mlir::OwningOpRef<mlir::ModuleOp>();
  };
  Container container;
  const std::string error = ParseContainer(Bytes(bytes), container);
  if (!error.empty()) return fail(error);
  const std::optional<ArtifactVersion> version = ParseProducer(container.producer);
  if (!version) return fail("written by '" + container.producer + "', not by StableHLO");
  if (!IsKnown(*version)) {
    return fail("written for " + container.producer +
                "; versions 0.9 to 1.20, and what later 1.x have in common with "
                "them, are supported");
  }
  context.loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect, StablehloDialect, sdy::SdyDialect>();

  EntryTable entries(container, location);
  mlir::OwningOpRef<mlir::Operation*> op = ProgramReader(entries, Bytes(bytes).data()).Read();
  if (!op) return nullptr;
  if (!mlir::isa<mlir::ModuleOp>(*op)) return fail("its program is not a module");
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::cast<mlir::ModuleOp>(op.release());
  if (mlir::failed(CheckTensorSizes(*module)) || mlir::failed(mlir::verify(*module))) return nullptr;
  return module;
}

}  // namespace treadle::stablehlo
