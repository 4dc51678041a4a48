#include "runtime/link/link.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/log.h"
#include "kernels/builtin_code.h"
#include "kernels/table.h"
#include "runtime/link/libcalls.h"
#include "runtime/link/perf_map.h"

namespace treadle::link {
namespace {

namespace orc = llvm::orc;

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::string, void*> symbols;

  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }
};

std::atomic<uint64_t> generation{0};

// Answers what an object refers to and does not define.
class References : public orc::DefinitionGenerator {
 public:
  explicit References(executable::Target target) : target_(std::move(target)) {}

  llvm::Error tryToGenerate(orc::LookupState&, orc::LookupKind, orc::JITDylib& dylib, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet& wanted) override {
    orc::SymbolMap found;
    for (const auto& [name, flags] : wanted) {
      void* address = Find(std::string_view((*name).data(), (*name).size()));
      if (address == nullptr) continue;
      found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    return found.empty() ? llvm::Error::success() : dylib.define(orc::absoluteSymbols(std::move(found)));
  }

 private:
  void* Find(std::string_view name) const {
    if (void* address = FindSymbol(name)) return address;
    if (void* address = FindBuiltinCode(name)) return address;
    if (void* address = FindLibcall(name)) return address;
    return reinterpret_cast<void*>(FindKernel(name, target_));
  }

  const executable::Target target_;
};

}  // namespace

// LLVM's linker and what it has linked. Lives until the process ends: threads may run linked code to the last moment.
class Linker {
 public:
  static Linker& Get() {
    static Linker* const linker = new Linker;
    return *linker;
  }

  StatusOr<std::vector<const LinkedKernel*>> Link(const executable::Object& object,
                                                  std::span<const std::string> symbols,
                                                  const executable::Target& target) {
    // One link at a time: it takes 0.1 ms, and errors of a session arrive without a name.
    const std::lock_guard lock(mutex_);
    std::vector<const LinkedKernel*> kernels;
    if (FindAll(symbols, object.quick, &kernels)) return kernels;
    TREADLE_RETURN_IF_ERROR(Start());
    TREADLE_RETURN_IF_ERROR(LinkNew(object, symbols, target));
    ++linked_objects_;
    FindAll(symbols, /*quick=*/true, &kernels);
    return kernels;
  }

  int64_t linked_objects() {
    const std::lock_guard lock(mutex_);
    return linked_objects_;
  }

 private:
  // Whether all are linked, from good code unless `quick` will do.
  bool FindAll(std::span<const std::string> symbols, bool quick, std::vector<const LinkedKernel*>* kernels) const {
    kernels->clear();
    for (const std::string& symbol : symbols) {
      const auto found = linked_.find(symbol);
      if (found == linked_.end() || (found->second->quick_ && !quick)) return false;
      kernels->push_back(found->second.get());
    }
    return true;
  }

  Status Start() {
    if (session_ != nullptr) return OkStatus();
    auto control = orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
    if (!control) return Internal("the linker does not start: " + llvm::toString(control.takeError()));
    session_ = std::make_unique<orc::ExecutionSession>(std::move(*control));
    session_->setErrorReporter([this](llvm::Error error) { reported_ += llvm::toString(std::move(error)) + "; "; });
    layer_ = std::make_unique<orc::ObjectLinkingLayer>(*session_);
    if (!Environment("TREADLE_PERF").empty()) layer_->addPlugin(MakePerfMap());
    return OkStatus();
  }

  Status LinkNew(const executable::Object& object, std::span<const std::string> symbols,
                 const executable::Target& target) {
    reported_.clear();
    orc::JITDylib& dylib = session_->createBareJITDylib("object " + std::to_string(next_dylib_++));
    dylib.addGenerator(std::make_unique<References>(target));
    auto bytes = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(object.bytes), dylib.getName(),
                                                  /*RequiresNullTerminator=*/false);
    if (llvm::Error error = layer_->add(dylib, std::move(bytes))) {
      return InvalidArgument("not an object file that can be linked: " + llvm::toString(std::move(error)));
    }
    orc::SymbolLookupSet wanted;
    for (const std::string& symbol : symbols) wanted.add(session_->intern(symbol));
    auto found = session_->lookup(orc::makeJITDylibSearchOrder(&dylib), std::move(wanted));
    if (!found) {
      const bool missing = found.errorIsA<orc::SymbolsNotFound>();
      const std::string message = "linking failed: " + reported_ + llvm::toString(found.takeError());
      return missing || reported_.find("not found") != std::string::npos ? NotFound(message) : InvalidArgument(message);
    }
    for (const auto& [name, definition] : *found) {
      Put((*name).str(), definition.getAddress().toPtr<TreadleKernel>(), object.quick);
    }
    return OkStatus();
  }

  void Put(const std::string& symbol, TreadleKernel code, bool quick) {
    std::unique_ptr<LinkedKernel>& kernel = linked_[symbol];
    if (kernel == nullptr) {
      kernel = std::make_unique<LinkedKernel>();
    } else if (!kernel->quick_ || quick) {
      return;
    }
    const bool replaced = kernel->code_.exchange(code, std::memory_order_acq_rel) != nullptr;
    kernel->quick_ = quick;
    if (replaced) generation.fetch_add(1, std::memory_order_acq_rel);
  }

  std::mutex mutex_;
  std::unique_ptr<orc::ExecutionSession> session_;
  std::unique_ptr<orc::ObjectLinkingLayer> layer_;
  std::unordered_map<std::string, std::unique_ptr<LinkedKernel>> linked_;
  std::string reported_;
  int64_t linked_objects_ = 0;
  int64_t next_dylib_ = 0;
};

StatusOr<std::vector<const LinkedKernel*>> LinkObject(const executable::Object& object,
                                                      std::span<const std::string> symbols,
                                                      const executable::Target& target) {
  return Linker::Get().Link(object, symbols, target);
}

uint64_t Generation() { return generation.load(std::memory_order_acquire); }

void RegisterSymbol(std::string_view name, void* address) {
  Registry& registry = Registry::Get();
  const std::lock_guard lock(registry.mutex);
  registry.symbols.emplace(name, address);
}

void* FindSymbol(std::string_view name) {
  Registry& registry = Registry::Get();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.symbols.find(std::string(name));
  return found == registry.symbols.end() ? nullptr : found->second;
}

int64_t LinkedObjects() { return Linker::Get().linked_objects(); }

}  // namespace treadle::link
