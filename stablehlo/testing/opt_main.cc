// treadle-opt: reads a program, runs the passes that the flags name in that order, verifies and prints. For lit tests.
//
//   treadle-opt [--expand-composites] [--expand-chlo] [--expand-legacy] [--settle-shapes]
//     [--generic] [--locations] [--bytecode] [--no-output] FILE
//
// FILE is text, bytecode or a portable artifact; "-" is standard input. Exits 1 with the error on standard error.

#include <cstdio>
#include <cstring>
#include <string>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/expand_chlo.h"
#include "stablehlo/expand_composites.h"
#include "stablehlo/expand_legacy.h"
#include "stablehlo/read.h"

namespace treadle::stablehlo {
namespace {

using Pass = mlir::LogicalResult (*)(mlir::ModuleOp);

struct Options {
  std::string file;
  llvm::SmallVector<Pass> passes;
  mlir::OpPrintingFlags printing;
  bool bytecode = false;
  bool output = true;
};

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--expand-composites") {
      options->passes.push_back([](mlir::ModuleOp module) { return ExpandComposites(module); });
    } else if (argument == "--expand-chlo") {
      options->passes.push_back([](mlir::ModuleOp module) { return ExpandChlo(module); });
    } else if (argument == "--expand-legacy") {
      options->passes.push_back(ExpandLegacy);
    } else if (argument == "--settle-shapes") {
      options->passes.push_back([](mlir::ModuleOp module) {
        SettleShapes(module);
        return mlir::success();
      });
    } else if (argument == "--generic") {
      options->printing.printGenericOpForm();
    } else if (argument == "--locations") {
      options->printing.enableDebugInfo();
    } else if (argument == "--bytecode") {
      options->bytecode = true;
    } else if (argument == "--no-output") {
      options->output = false;
    } else if (options->file.empty() && (argument == "-" || !argument.starts_with("-"))) {
      options->file = argument;
    } else {
      return false;
    }
  }
  return !options->file.empty();
}

Status Run(const Options& options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!buffer) return NotFound(options.file + ": " + buffer.getError().message());
  const auto context = MakeContext();
  const llvm::StringRef bytes = (*buffer)->getBuffer();
  TREADLE_ASSIGN_OR_RETURN(auto program,
                           ReadProgram(*context, {bytes.data(), bytes.size()}, options.file, PlainBytecode::kTrust));
  DiagnosticCollector errors(context.get());
  for (Pass pass : options.passes) {
    if (failed(pass(*program))) return errors.TakeStatus("a pass failed");
  }
  if (failed(mlir::verify(*program))) return errors.TakeStatus("a pass broke the program");
  if (!options.output) return OkStatus();
  if (!options.bytecode) {
    program->print(llvm::outs(), options.printing);
  } else if (failed(mlir::writeBytecodeToFile(*program, llvm::outs()))) {
    return Internal("the program cannot be written");
  }
  return OkStatus();
}

}  // namespace
}  // namespace treadle::stablehlo

int main(int argc, char** argv) {
  treadle::stablehlo::Options options;
  if (!treadle::stablehlo::ParseOptions(argc, argv, &options)) {
    std::fputs(
        "usage: treadle-opt [--expand-composites] [--expand-chlo] [--expand-legacy] [--settle-shapes] [--generic] "
        "[--locations] [--bytecode] [--no-output] "
        "FILE\n",
        stderr);
    return 2;
  }
  const treadle::Status status = treadle::stablehlo::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
