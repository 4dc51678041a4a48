#include "stablehlo/diagnostics.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/OperationSupport.h"

namespace treadle::stablehlo {

namespace {

constexpr int kMaxErrors = 10;

std::string FileLineColumn(mlir::FileLineColLoc location) {
  return (location.getFilename().getValue() + ":" + llvm::Twine(location.getLine()) + ":" +
          llvm::Twine(location.getColumn()))
      .str();
}

void AppendLine(mlir::Location location, std::string_view kind, const mlir::Diagnostic& diagnostic, std::string* text) {
  if (!text->empty()) *text += '\n';
  if (std::string line = SourceLine(location); !line.empty()) *text += line + ": ";
  *text += kind;
  *text += ": ";
  *text += diagnostic.str();
}

}  // namespace

std::string SourceLine(mlir::Location location) {
  // Iterative along the usual chains; fused locations try their parts in order.
  llvm::SmallVector<mlir::Location> pending = {location};
  while (!pending.empty()) {
    const mlir::Location next = pending.pop_back_val();
    if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(next)) return FileLineColumn(file);
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(next)) {
      pending.push_back(name.getChildLoc());
    } else if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(next)) {
      pending.push_back(call.getCaller());
      pending.push_back(call.getCallee());
    } else if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(next)) {
      for (mlir::Location part : llvm::reverse(fused.getLocations())) pending.push_back(part);
    } else if (auto opaque = llvm::dyn_cast<mlir::OpaqueLoc>(next)) {
      pending.push_back(opaque.getFallbackLocation());
    }
  }
  return "";
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext* context)
    : handler_(context, [this](mlir::Diagnostic& diagnostic) { return Collect(diagnostic); }) {}

mlir::LogicalResult DiagnosticCollector::Collect(mlir::Diagnostic& diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
  if (++count_ > kMaxErrors) return mlir::success();
  AppendLine(diagnostic.getLocation(), "error", diagnostic, &text_);
  for (mlir::Diagnostic& note : diagnostic.getNotes()) {
    // MLIR appends the whole operation as a note, which may be megabytes.
    if (llvm::StringRef(note.str()).starts_with("see current operation")) continue;
    AppendLine(note.getLocation(), "note", note, &text_);
  }
  return mlir::success();
}

Status DiagnosticCollector::TakeStatus(std::string_view fallback) {
  if (count_ == 0) return Internal(std::string(fallback));
  if (count_ > kMaxErrors) text_ += "\nand " + std::to_string(count_ - kMaxErrors) + " more errors";
  count_ = 0;
  return InvalidArgument(std::exchange(text_, ""));
}

Status DiagnosticCollector::TakeUnimplemented(std::string_view fallback) {
  const Status status = TakeStatus(fallback);
  return Unimplemented(status.message());
}

std::string Describe(mlir::Operation* op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName() << " (";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << ") -> ";
  llvm::interleaveComma(op->getResultTypes(), stream);
  if (std::string line = SourceLine(op->getLoc()); !line.empty()) stream << " at " << line;
  return text;
}

}  // namespace treadle::stablehlo
