#include "compiler/emit/emit.h"

#include "compiler/emit/codegen.h"
#include "compiler/emit/function_emitter.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace treadle::emit {

StatusOr<std::string> EmitPlans(std::span<const plan::Plan* const> plans, const EmitOptions& options) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(options.output == Output::kObject);
  TREADLE_ASSIGN_OR_RETURN(BorrowedMachine machine, BorrowTargetMachine(options.target, options.tier));
  llvm::Module module("treadle", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (const plan::Plan* plan : plans) {
    FunctionEmitter emitter(module, *plan, options);
    const std::vector<std::string> symbols = plan::KernelSymbols(*plan, options.target);
    for (size_t phase = 0; phase < plan->phases.size(); ++phase) {
      TREADLE_RETURN_IF_ERROR(emitter.EmitPhase(plan->phases[phase], symbols[phase]));
    }
  }
  if (options.verify) TREADLE_RETURN_IF_ERROR(VerifyModule(module));
  return GenerateCode(module, *machine, options.output);
}

void WarmUp(const executable::Target& target) {
  (void)CountKernels();  // from now on the process counts, also where it compiles nothing
  plan::Builder b("warm up");
  uint16_t x = b.AddBuffer(ElementType::kF32, plan::Role::kIn), y = b.AddBuffer(ElementType::kF32, plan::Role::kOut);
  int n = b.AddPush(ElementType::kI64);
  b.BeginPhase();
  plan::Id i = b.BeginLanes(b.ConstI64(0), b.Push(n), 4);
  plan::Id value = b.Load({x, {}, {{i, {-1, 1}}}});
  b.Store({y, {}, {{i, {-1, 1}}}}, b.Add(b.Mul(value, value), value));
  b.EndLoop();
  b.EndPhase();
  plan::Plan plan = b.Finish();
  if (IsCompiled(plan, target, Tier::kFull)) return;
  const plan::Plan* plans[] = {&plan};
  (void)EmitPlans(plans, {.target = target, .tier = Tier::kQuick});
  const KernelRequest requests[] = {{&plan, Tier::kFull}};
  (void)CompileUncounted(requests, target, /*threads=*/1);
}

}  // namespace treadle::emit
