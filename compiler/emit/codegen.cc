#include "compiler/emit/codegen.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

namespace treadle::emit {
namespace {

// The emitter writes loops, addresses and hoisted values as they should be; these passes of the code generator look for
// the same again, at a third to a half of the time of a compilation, and find nothing.
void SwitchOffPasses() {
  auto& options = llvm::cl::getRegisteredOptions();
  for (const char* name :
       {"disable-lsr", "disable-cgp", "disable-constant-hoisting", "disable-early-taildup", "disable-machine-cse"}) {
    auto option = options.find(name);
    if (option != options.end()) option->second->addOccurrence(0, name, "true");
  }
}

constexpr char kTriple[] = "x86_64-unknown-linux-gnu";

const llvm::Target* X86Target() {
  static const llvm::Target* target = [] {
    SwitchOffPasses();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
  }();
  return target;
}

}  // namespace

std::string FeatureString(const executable::Target& target) {
  std::string features;
  if (target.avx512_bf16) features += "+avx512bf16";
  if (target.avx512_vnni) features += features.empty() ? "+avx512vnni" : ",+avx512vnni";
  return features;
}

namespace {

// Machines that nobody uses now.
struct Pool {
  std::mutex mutex;
  std::unordered_map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> idle;

  static Pool& Get() {
    static Pool* pool = new Pool;  // threads may compile until the process ends
    return *pool;
  }
};

StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const executable::Target& target, Tier tier) {
  const llvm::Target* x86 = X86Target();
  if (x86 == nullptr) return Internal("LLVM was built without its x86 target");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // the bits are the program's: no fma that it did not ask for
  llvm::CodeGenOptLevel level = tier == Tier::kQuick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(
      x86->createTargetMachine(llvm::Triple(kTriple), target.cpu, FeatureString(target), options, llvm::Reloc::PIC_,
                               llvm::CodeModel::Small, level, /*JIT=*/true));
  if (machine == nullptr) return Internal("LLVM knows no CPU '" + target.cpu + "'");
  machine->setO0WantsFastISel(tier == Tier::kQuick);
  machine->setFastISel(tier == Tier::kQuick);
  return machine;
}

}  // namespace

void MachineReturn::operator()(llvm::TargetMachine* machine) const {
  std::unique_ptr<llvm::TargetMachine> owned(machine);
  Pool& pool = Pool::Get();
  std::lock_guard lock(pool.mutex);
  pool.idle[key].push_back(std::move(owned));
}

StatusOr<BorrowedMachine> BorrowTargetMachine(const executable::Target& target, Tier tier) {
  std::string key = target.cpu + ' ' + FeatureString(target) + (tier == Tier::kQuick ? " quick" : " full");
  Pool& pool = Pool::Get();
  {
    std::lock_guard lock(pool.mutex);
    std::vector<std::unique_ptr<llvm::TargetMachine>>& idle = pool.idle[key];
    if (!idle.empty()) {
      BorrowedMachine machine(idle.back().release(), {key});
      idle.pop_back();
      return machine;
    }
  }
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> made, MakeTargetMachine(target, tier));
  return BorrowedMachine(made.release(), {key});
}

void SetFunctionAttributes(llvm::Function& function, const executable::Target& target) {
  std::string bits = std::to_string(target.vector_bytes() * 8);
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr("target-cpu", target.cpu);
  if (std::string features = FeatureString(target); !features.empty()) function.addFnAttr("target-features", features);
  // Without these LLVM prefers 32-byte vectors on AVX-512 machines and splits ours.
  function.addFnAttr("prefer-vector-width", bits);
  function.addFnAttr("min-legal-vector-width", bits);
  // As MXCSR is set: nothing may fold otherwise.
  function.addFnAttr("denormal-fp-math", target.keeps_subnormals ? "ieee,ieee" : "preserve-sign,preserve-sign");
  function.addFnAttr("no-builtins");  // loops stay loops: no calls of memset or memcpy appear
}

StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine, Output output) {
  if (output == Output::kLlvmIr) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::CodeGenFileType type =
      output == Output::kObject ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
    return Internal("LLVM's x86 target cannot emit this kind of file");
  }
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

Status VerifyModule(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) return Internal("the emitter wrote invalid LLVM IR: " + text);
  return OkStatus();
}

}  // namespace treadle::emit
