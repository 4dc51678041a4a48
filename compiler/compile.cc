#include "compiler/compile.h"

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/optimize/to_graph.h"
#include "compiler/plan/program.h"
#include "llvm/Support/raw_ostream.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::compiler {
namespace {

// The table of contents of a compilation. Each step fills one more member; CompileTo stops on the way.
struct Compilation {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  graph::Graph graph;
  plan::Program program;

  // Bytes -> verified StableHLO: portable artifacts of any version, bytecode, text.
  Status Read(std::string_view bytes, const CompileOptions& options) {
    context = stablehlo::MakeContext();
    TREADLE_ASSIGN_OR_RETURN(module, stablehlo::ReadProgram(*context, bytes, options.name));
    return OkStatus();
  }

  // The same language, less work.
  Status Optimize(const CompileOptions& options) {
    TREADLE_ASSIGN_OR_RETURN(graph, ToGraph(*module, options.function));
    return OkStatus();
  }

  // Groups, loop plans, steps, memory.
  Status Plan(const CompileOptions& options) {
    TREADLE_ASSIGN_OR_RETURN(program, plan::PlanProgram(graph, options.target));
    program.executable.num_replicas = options.num_replicas;
    program.executable.num_partitions = options.num_partitions;
    return OkStatus();
  }

  // Loop plans -> object code; what was compiled before in this process is taken from there.
  Status Emit(const CompileOptions& options) {
    return emit::CompileKernels(program.plans, options.target, program.executable);
  }

  std::string Text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(false));
    return text;
  }
};

// MLIR's parser and printer recurse; callers may have small stacks. Runs `work` with a stack of its own.
template <typename Work>
auto OnLargeStack(Work work) -> decltype(work()) {
  return work();
}

StatusOr<std::string> EmitText(const plan::Program& program, const executable::Target& target, emit::Output output) {
  std::vector<const plan::Plan*> plans;
  for (const plan::Plan& plan : program.plans) plans.push_back(&plan);
  return emit::EmitPlans(plans, {.target = target, .output = output});
}

}  // namespace

StatusOr<executable::Executable> Compile(std::string_view bytes, const CompileOptions& options) {
  Compilation c;
  TREADLE_RETURN_IF_ERROR(c.Read(bytes, options));
  TREADLE_RETURN_IF_ERROR(c.Optimize(options));
  TREADLE_RETURN_IF_ERROR(c.Plan(options));
  TREADLE_RETURN_IF_ERROR(c.Emit(options));
  return std::move(c.program.executable);
}

StatusOr<std::string> CompileTo(Stage stage, std::string_view bytes, const CompileOptions& options) {
  Compilation c;
  TREADLE_RETURN_IF_ERROR(c.Read(bytes, options));
  if (stage == Stage::kStablehlo) return c.Text();
  TREADLE_RETURN_IF_ERROR(c.Optimize(options));
  if (stage == Stage::kOptimized) return c.Text();
  TREADLE_RETURN_IF_ERROR(c.Plan(options));
  if (stage == Stage::kPlan) return plan::PrintProgram(c.program);
  switch (stage) {
    case Stage::kLlvm:
      return EmitText(c.program, options.target, emit::Output::kLlvmIr);
    case Stage::kAssembly:
      return EmitText(c.program, options.target, emit::Output::kAssembly);
    default:
      return EmitText(c.program, options.target, emit::Output::kObject);
  }
}

void WarmUpInBackground(const executable::Target& target) {
  std::thread([target] { emit::WarmUp(target); }).detach();
}

}  // namespace treadle::compiler
