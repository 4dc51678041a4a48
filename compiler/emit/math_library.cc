#include "compiler/emit/math_library.h"

#include "compiler/emit/codegen.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/op_emitter.h"
#include "compiler/plan/math.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace treadle::emit {
namespace {

executable::Target TargetOf(executable::IsaLevel isa) {
  executable::Target target;
  target.isa = isa;
  target.cpu = "x86-64-v" + std::to_string(static_cast<int>(isa));
  return target;
}

int RegisterLanes(int bits, const executable::Target& target) { return target.vector_bytes() * 8 / bits; }

}  // namespace

std::string MathSymbol(plan::Op op, int bits, int lanes, const executable::Target& target) {
  std::string symbol = "treadle_math_v" + std::to_string(static_cast<int>(target.isa)) + "_" +
                       std::string(plan::OpText(op)) + "_f" + std::to_string(bits);
  return lanes == 0 ? symbol : symbol + "x" + std::to_string(lanes);
}

bool InMathLibrary(int bits, int lanes, const executable::Target& target) {
  if (target.keeps_subnormals) return false;
  return (bits == 32 || bits == 64) && (lanes == 0 || lanes == RegisterLanes(bits, target));
}

StatusOr<MathLibrary> EmitMathLibrary(executable::IsaLevel isa) {
  const executable::Target target = TargetOf(isa);
  llvm::LLVMContext context;
  TREADLE_ASSIGN_OR_RETURN(BorrowedMachine machine, BorrowTargetMachine(target, Tier::kFull));
  llvm::Module module("treadle_math", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  llvm::IRBuilder<> builder(context);
  OpEmitter ops(module, builder, target);
  MathLibrary library;
  for (int number = 0; number < 256; ++number) {
    const auto op = static_cast<plan::Op>(number);
    if (!plan::IsMathOp(op)) continue;
    for (int bits : {32, 64}) {
      llvm::Type* scalar = bits == 32 ? builder.getFloatTy() : builder.getDoubleTy();
      for (int lanes : {0, RegisterLanes(bits, target)}) {
        llvm::Type* type = lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
        library.symbols.push_back(MathSymbol(op, bits, lanes, target));
        llvm::Function* function = ops.DeclareMath(op, type, library.symbols.back());
        function->setVisibility(llvm::GlobalValue::HiddenVisibility);
        ops.DefineMath(op, *function);
      }
    }
  }
  TREADLE_ASSIGN_OR_RETURN(library.object, GenerateCode(module, *machine, Output::kObject));
  return library;
}

}  // namespace treadle::emit
