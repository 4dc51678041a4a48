// A StableHLO program to an executable: the one door to the compiler. No MLIR in this header.
#ifndef TREADLE_COMPILER_COMPILE_H_
#define TREADLE_COMPILER_COMPILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/code_sink.h"
#include "executable/executable.h"
#include "executable/target.h"

namespace treadle::compiler {

struct CompileOptions {
  executable::Target target;
  int32_t num_replicas = 1;
  int32_t num_partitions = 1;
  // A program for several partitions is written for their arrays together, with shardings. Not with several replicas:
  // such a program says what each of them does.
  bool spmd = true;
  std::string function = "main";
  std::string name = "<program>";  // of the file, for diagnostics
  // Of arguments whose types leave sizes open, where known (by number; may be shorter).
  std::vector<std::optional<std::vector<int64_t>>> argument_shapes = {};
  // Where given, kernels may come as quick code (Object::quick) where that gets the program running sooner, and their
  // good code goes here as it is made in the background (base/background.h).
  std::shared_ptr<executable::CodeSink> better_code = {};
};

// `program`: StableHLO text, MLIR bytecode or a portable artifact. Thread-safe; needs no more than 512 KiB of stack.
// Errors: INVALID_ARGUMENT with file, line and operation for programs that do not parse or verify; UNIMPLEMENTED naming
// the operation, its types and its source location.
StatusOr<executable::Executable> Compile(std::string_view program, const CompileOptions& options);

// Where to stop and what to print.
enum class Stage : uint8_t {
  kStablehlo,  // as read: verified text
  kExported,   // the same without the sdy dialect (stablehlo/export_shardings.h)
  kOptimized,  // StableHLO after compiler/optimize
  kPlan,       // loop plans and steps
  kLlvm,       // LLVM IR
  kAssembly,
  kObject,  // ELF bytes
};
StatusOr<std::string> CompileTo(Stage stage, std::string_view program, const CompileOptions& options);

// From now on kernels are kept on disk for later processes, and looked for there, as the environment says
// (compiler/cache): for programs of users, not for tests of the compiler. Calls after the first change nothing.
// Thread-safe. Errors: INVALID_ARGUMENT for an environment variable that is not what it should be.
Status UseDiskCache();

// Prepares compilation in the background of whatever happens next; returns at once. Call once a process.
void WarmUpInBackground(const executable::Target& target);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_COMPILE_H_
