// LLVM's back end as a function: a module in, an object, assembly or IR text out. No IR pass runs: the emitter writes
// what passes would have to find. Sees X86 only.
#ifndef TREADLE_COMPILER_EMIT_CODEGEN_H_
#define TREADLE_COMPILER_EMIT_CODEGEN_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "compiler/emit/emit.h"

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace treadle::emit {

// Gives a target machine back for the next borrower.
struct MachineReturn {
  std::string key;
  void operator()(llvm::TargetMachine* machine) const;
};
using BorrowedMachine = std::unique_ptr<llvm::TargetMachine, MachineReturn>;

// A target machine for one thread at a time; it serves any number of modules, one after the other. Thread-safe.
StatusOr<BorrowedMachine> BorrowTargetMachine(const executable::Target& target, Tier tier);

// LLVM's feature string of a target beyond its cpu: "+avx512bf16,+avx512vnni".
std::string FeatureString(const executable::Target& target);

// Marks a function as code for the target, so that whole vector registers are used.
void SetFunctionAttributes(llvm::Function& function, const executable::Target& target);

// `module` is used up. Errors are INTERNAL.
StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine, Output output);

// What is wrong with the module's IR, or Ok. Costs a third of building the module; for tests and debug builds.
Status VerifyModule(const llvm::Module& module);

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_CODEGEN_H_
