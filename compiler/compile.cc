#include "compiler/compile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/background.h"
#include "base/large_stack.h"
#include "base/log.h"
#include "compiler/cache/disk_cache.h"
#include "compiler/emit/better_code.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/graph/print_stablehlo.h"
#include "compiler/optimize/describe.h"
#include "compiler/optimize/read_attributes.h"
#include "compiler/optimize/simplify.h"
#include "compiler/optimize/to_graph.h"
#include "compiler/plan/program.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/expand_async.h"
#include "stablehlo/expand_chlo.h"
#include "stablehlo/expand_custom_calls.h"
#include "stablehlo/expand_legacy.h"
#include "stablehlo/expand_narrow.h"
#include "stablehlo/expand_quantized.h"
#include "stablehlo/export_shardings.h"
#include "stablehlo/flatten_regions.h"
#include "stablehlo/read.h"
#include "stablehlo/settle_shapes.h"

namespace treadle::compiler {
namespace {

// "{1,0}" of a matrix.
std::string RowMajor(mlir::Type type) {
  std::string text = "{";
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  for (int64_t i = tensor ? tensor.getRank() : 0; i-- > 0;) text += std::to_string(i) + (i > 0 ? "," : "");
  return text + "}";
}

// The table of contents of a compilation. Each step fills one more member; CompileTo stops on the way.
struct Compilation {
  stablehlo::BorrowedContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  graph::Graph graph;
  plan::Program program;

  // Bytes -> verified StableHLO: portable artifacts of any version, text. What only texts hold, CHLO, legacy operations
  // and shapes as operands, is expanded; element types that loop plans do not know become wider ones.
  Status Read(std::string_view bytes, const CompileOptions& options) {
    TREADLE_ASSIGN_OR_RETURN(module, stablehlo::ReadProgram(*context, bytes, options.name));
    stablehlo::DiagnosticCollector errors(context.get());
    if (failed(stablehlo::SettleArguments(*module, options.function, options.argument_shapes)))
      return errors.TakeStatus("arguments that do not fit");
    if (failed(stablehlo::SettleShapes(*module))) return errors.TakeStatus("shapes that are no shapes");
    if (failed(stablehlo::ExpandAsync(*module))) return errors.TakeUnimplemented("asynchronous operations");
    if (failed(stablehlo::ExpandCustomCalls(*module))) return errors.TakeUnimplemented("custom calls");
    if (failed(stablehlo::FlattenRegions(*module))) return errors.TakeUnimplemented("regions");
    if (failed(stablehlo::ExpandLegacy(*module))) return errors.TakeUnimplemented("legacy operations");
    const auto is_graph_operation = [](mlir::Operation* op) {
      return CodeOf(op->getName().getStringRef()).has_value();
    };
    if (failed(stablehlo::ExpandChlo(*module, is_graph_operation))) return errors.TakeUnimplemented("CHLO");
    if (failed(stablehlo::ExpandQuantized(*module))) return errors.TakeUnimplemented("quantized types");
    if (failed(stablehlo::ExpandNarrow(*module, options.function))) return errors.TakeUnimplemented("narrow types");
    return OkStatus();
  }

  // The same language, less work.
  Status Optimize(const CompileOptions& options) {
    TREADLE_RETURN_IF_ERROR(CheckLayouts(options.function));
    TREADLE_ASSIGN_OR_RETURN(graph::Graph imported,
                             ToGraph(*module, options.function, {options.num_replicas, options.num_partitions},
                                     options.spmd && options.num_replicas == 1));
    graph = Simplify(imported);
    return OkStatus();
  }

  // Groups, loop plans, steps, memory.
  Status Plan(const CompileOptions& options) {
    TREADLE_ASSIGN_OR_RETURN(program, plan::PlanProgram(graph, options.target));
    program.executable.num_replicas = options.num_replicas;
    program.executable.num_partitions = options.num_partitions;
    ReadMemoryKinds(options.function);
    RestoreNarrowTypes(options.function);
    return OkStatus();
  }

  // Arrays are row-major. Where JAX's user wants an order of his own, it says so: "{0,1}", the fastest dimension first.
  Status CheckLayouts(const std::string& function) {
    auto func = module->lookupSymbol<mlir::func::FuncOp>(function);
    if (!func || func.isExternal()) return OkStatus();
    constexpr llvm::StringLiteral kLayout = "mhlo.layout_mode";
    auto check = [&](std::string_view what, unsigned i, mlir::StringAttr mode, mlir::Type type, mlir::Location place) {
      if (!mode || mode == "default" || mode == "auto" || mode == RowMajor(type)) return OkStatus();
      return Unimplemented("the layout " + mode.str() + " of " + std::string(what) + " " + std::to_string(i) + ", " +
                           TypeText(type) + ", is not implemented yet: arrays are row-major; at " +
                           LocationText(place, {func.getLoc()}));
    };
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      const auto mode = func.getArgAttrOfType<mlir::StringAttr>(i, kLayout);
      TREADLE_RETURN_IF_ERROR(check("argument", i, mode, func.getArgumentTypes()[i], func.getArgument(i).getLoc()));
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      const auto mode = func.getResultAttrOfType<mlir::StringAttr>(i, kLayout);
      TREADLE_RETURN_IF_ERROR(check("result", i, mode, func.getResultTypes()[i], func.getLoc()));
    }
    return OkStatus();
  }

  // What callers hold has the types of the program, of the same size in memory as those that are computed with.
  void RestoreNarrowTypes(const std::string& function) {
    auto func = module->lookupSymbol<mlir::func::FuncOp>(function);
    if (!func) return;
    auto restore = [](mlir::StringAttr name, Shape& shape) {
      if (name) shape.type = ParseElementType(name.str()).value_or(shape.type);
    };
    executable::Executable& exe = program.executable;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      restore(func.getArgAttrOfType<mlir::StringAttr>(i, stablehlo::kNarrowElement), exe.parameters[i].shape);
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      restore(func.getResultAttrOfType<mlir::StringAttr>(i, stablehlo::kNarrowElement), exe.results[i].shape);
    }
  }

  // Where JAX wants arguments and results, for instance in "pinned_host". Code does not depend on it.
  void ReadMemoryKinds(const std::string& function) {
    auto func = module->lookupSymbol<mlir::func::FuncOp>(function);
    if (!func) return;
    auto read = [](mlir::StringAttr kind, std::string& to) {
      if (kind) to = kind.str();
    };
    executable::Executable& exe = program.executable;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      read(func.getArgAttrOfType<mlir::StringAttr>(i, "mhlo.memory_kind"), exe.parameters[i].memory_kind);
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      read(func.getResultAttrOfType<mlir::StringAttr>(i, "mhlo.memory_kind"), exe.results[i].memory_kind);
    }
  }

  // Loop plans -> object code; what this process has compiled before is taken from there.
  Status Emit(const CompileOptions& options) {
    std::vector<emit::KernelRequest> requests;
    std::vector<plan::Plan> better;
    for (const plan::PlannedKernel& kernel : program.kernels) {
      const emit::Tier tier = FirstTier(kernel, options);
      requests.push_back({&kernel.plan, tier});
      if (tier == emit::Tier::kQuick && kernel.effort == plan::Effort::kSoon) better.push_back(kernel.plan);
    }
    TREADLE_ASSIGN_OR_RETURN(emit::CompiledKernels kernels,
                             emit::CompileKernels(requests, options.target, emit::CodegenThreads()));
    if (LogEnabled("compile")) {
      LogLine(program.executable.name + ": " + std::to_string(kernels.counts.compiled) + " kernels compiled, " +
              emit::OriginsText(kernels.counts));
    }
    SetObjects(std::move(kernels));
    if (!better.empty()) emit::CompileBetterCode(std::move(better), options.target, options.better_code);
    return OkStatus();
  }

  static emit::Tier FirstTier(const plan::PlannedKernel& kernel, const CompileOptions& options) {
    if (kernel.effort == plan::Effort::kAtOnce) return emit::Tier::kFull;
    if (kernel.effort == plan::Effort::kQuick) return emit::Tier::kQuick;
    const bool now = options.better_code == nullptr || emit::IsCompiled(kernel.plan, options.target, emit::Tier::kFull);
    return now ? emit::Tier::kFull : emit::Tier::kQuick;
  }

  void SetObjects(emit::CompiledKernels compiled) {
    executable::Executable& exe = program.executable;
    std::unordered_map<std::string, int32_t> object_of;
    for (size_t i = 0; i < program.kernels.size(); ++i) {
      for (const std::string& symbol : program.kernels[i].symbols) object_of[symbol] = compiled.object_of_request[i];
    }
    for (executable::Kernel& kernel : exe.kernels) {
      if (auto found = object_of.find(kernel.symbol); found != object_of.end()) kernel.object = found->second;
    }
    exe.objects = std::move(compiled.objects);
  }

  // What the code generator makes of all plans, in one text or object.
  StatusOr<std::string> Emitted(emit::Output output, const CompileOptions& options) const {
    std::vector<const plan::Plan*> plans;
    for (const plan::PlannedKernel& kernel : program.kernels) plans.push_back(&kernel.plan);
    return emit::EmitPlans(plans, {.target = options.target, .output = output});
  }

  std::string Text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(false));
    return text;
  }
};

// TREADLE_LOG=stages: how long each took.
class Stopwatch {
 public:
  void Lap(const char* stage) {
    if (!enabled_) return;
    auto now = std::chrono::steady_clock::now();
    char text[64];
    std::snprintf(text, sizeof text, " %s %.2f ms", stage,
                  std::chrono::duration<double, std::milli>(now - last_).count());
    line_ += text;
    last_ = now;
  }
  ~Stopwatch() {
    if (enabled_) LogLine("compiled:" + line_);
  }

 private:
  const bool enabled_ = LogEnabled("stages");
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::string line_;
};

StatusOr<executable::Executable> CompileHere(std::string_view bytes, const CompileOptions& options) {
  Compilation c;
  Stopwatch watch;
  TREADLE_RETURN_IF_ERROR(c.Read(bytes, options));
  watch.Lap("read");
  TREADLE_RETURN_IF_ERROR(c.Optimize(options));
  watch.Lap("optimize");
  TREADLE_RETURN_IF_ERROR(c.Plan(options));
  watch.Lap("plan");
  TREADLE_RETURN_IF_ERROR(c.Emit(options));
  watch.Lap("emit");
  return std::move(c.program.executable);
}

StatusOr<std::string> CompileHereTo(Stage stage, std::string_view bytes, const CompileOptions& options) {
  Compilation c;
  TREADLE_RETURN_IF_ERROR(c.Read(bytes, options));
  if (stage == Stage::kExported && failed(stablehlo::ExportShardings(*c.module))) return Internal("no export");
  if (stage == Stage::kStablehlo || stage == Stage::kExported) return c.Text();
  TREADLE_RETURN_IF_ERROR(c.Optimize(options));
  if (stage == Stage::kOptimized) return graph::PrintStablehlo(c.graph);
  TREADLE_RETURN_IF_ERROR(c.Plan(options));
  if (stage == Stage::kPlan) return plan::PrintProgram(c.program);
  switch (stage) {
    case Stage::kLlvm:
      return c.Emitted(emit::Output::kLlvmIr, options);
    case Stage::kAssembly:
      return c.Emitted(emit::Output::kAssembly, options);
    default:
      return c.Emitted(emit::Output::kObject, options);
  }
}

}  // namespace

// MLIR's parser recurses over nested regions, and callers may have small stacks. A level takes at least 8 bytes of a
// program, and 4 KiB of stack.
size_t StackFor(std::string_view program) { return std::min(kDeepStack, (size_t{1} << 20) + 512 * program.size()); }

StatusOr<executable::Executable> Compile(std::string_view bytes, const CompileOptions& options) {
  std::optional<StatusOr<executable::Executable>> result;
  RunOnLargeStack(StackFor(bytes), [&] { result = CompileHere(bytes, options); });
  return *std::move(result);
}

StatusOr<std::string> CompileTo(Stage stage, std::string_view bytes, const CompileOptions& options) {
  std::optional<StatusOr<std::string>> result;
  RunOnLargeStack(StackFor(bytes), [&] { result = CompileHereTo(stage, bytes, options); });
  return *std::move(result);
}

Status UseDiskCache() {
  TREADLE_ASSIGN_OR_RETURN(std::optional<cache::DiskCacheOptions> options, cache::OptionsFromEnvironment());
  if (options) emit::UseDiskCache(*std::move(options));
  return OkStatus();
}

void WarmUpInBackground(const executable::Target& target) {
  RunInBackground([target] {
    {
      const stablehlo::BorrowedContext made;  // left for the first compilation
    }
    emit::WarmUp(target);
  });
}

}  // namespace treadle::compiler
