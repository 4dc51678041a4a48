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

// The line of `text` with that number (from 1); empty where there is none.
std::string_view LineOf(std::string_view text, unsigned number) {
  for (unsigned line = 1; line < number; ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// The line and a caret under `column` (from 1). Of long lines (constants) what is near the caret.
std::string WithCaret(std::string_view line, size_t column) {
  constexpr size_t kBefore = 80;
  constexpr size_t kWidth = 120;
  const size_t caret = column > 0 ? column - 1 : 0;
  if (line.empty() || caret > line.size()) return "";
  const size_t start = caret > kBefore ? caret - kBefore : 0;
  std::string under(line.substr(start, caret - start));
  for (char& c : under) c = c == '\t' ? '\t' : ' ';
  return "\n" + std::string(line.substr(start, kWidth)) + "\n" + under + "^";
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

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext* context, std::string_view file, std::string_view text)
    : file_(file),
      source_(text),
      handler_(context, [this](mlir::Diagnostic& diagnostic) { return Collect(diagnostic); }) {}

void DiagnosticCollector::Append(mlir::Location location, std::string_view kind, const mlir::Diagnostic& diagnostic) {
  if (!text_.empty()) text_ += '\n';
  if (std::string line = SourceLine(location); !line.empty()) text_ += line + ": ";
  text_ += kind;
  text_ += ": ";
  text_ += diagnostic.str();
  auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location);
  if (!place || source_.empty() || place.getFilename().getValue() != llvm::StringRef(file_.data(), file_.size()))
    return;
  text_ += WithCaret(LineOf(source_, place.getLine()), place.getColumn());
}

mlir::LogicalResult DiagnosticCollector::Collect(mlir::Diagnostic& diagnostic) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
  if (++count_ > kMaxErrors) return mlir::success();
  Append(diagnostic.getLocation(), "error", diagnostic);
  for (mlir::Diagnostic& note : diagnostic.getNotes()) {
    // MLIR appends the whole operation as a note, which may be megabytes.
    if (llvm::StringRef(note.str()).starts_with("see current operation")) continue;
    Append(note.getLocation(), "note", note);
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
