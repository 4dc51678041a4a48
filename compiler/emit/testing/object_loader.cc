#include "compiler/emit/testing/object_loader.h"

#include <deque>

#include "kernels/builtin_code.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

namespace treadle::emit {

std::vector<executable::Target> HostTargets() {
  using executable::IsaLevel;
  std::vector<executable::Target> targets;
  executable::Target host = *executable::HostTarget();
  for (IsaLevel isa : {IsaLevel::kV2, IsaLevel::kV3, IsaLevel::kV4}) {
    if (isa > host.isa) continue;
    executable::Target target = host;
    target.isa = isa;
    target.cpu = "x86-64-v" + std::to_string(static_cast<int>(isa));
    if (isa < IsaLevel::kV4) target.avx512_bf16 = target.avx512_vnni = false;
    targets.push_back(target);
  }
  return targets;
}

struct ObjectLoader::Impl {
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer;
  std::deque<std::string> objects;  // the linker reads the bytes in place
  llvm::orc::JITDylibSearchOrder order;
  llvm::orc::JITDylib* process = nullptr;
};

ObjectLoader::ObjectLoader() : impl_(std::make_unique<Impl>()) {
  auto control = llvm::cantFail(
      llvm::orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>()));
  impl_->session = std::make_unique<llvm::orc::ExecutionSession>(std::move(control));
  impl_->layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(*impl_->session);
  impl_->process = &impl_->session->createBareJITDylib("process");
  for (const BuiltinCode& code : AllBuiltinCode()) Define(std::string(code.symbol), code.address);
}

void ObjectLoader::Define(const std::string& symbol, void* address) {
  llvm::orc::SymbolMap map;
  map[impl_->session->intern(symbol)] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  llvm::cantFail(impl_->process->define(llvm::orc::absoluteSymbols(std::move(map))));
}

ObjectLoader::~ObjectLoader() { llvm::cantFail(impl_->session->endSession()); }

Status ObjectLoader::Add(std::string object) {
  impl_->objects.push_back(std::move(object));
  auto& library = impl_->session->createBareJITDylib("object" + std::to_string(impl_->objects.size()));
  library.addToLinkOrder(*impl_->process);
  auto buffer = llvm::MemoryBuffer::getMemBuffer(impl_->objects.back(), "object", /*RequiresNullTerminator=*/false);
  if (auto error = impl_->layer->add(library, std::move(buffer))) return Internal(llvm::toString(std::move(error)));
  impl_->order.emplace_back(&library, llvm::orc::JITDylibLookupFlags::MatchExportedSymbolsOnly);
  return OkStatus();
}

StatusOr<TreadleKernel> ObjectLoader::Find(const std::string& symbol) {
  auto found = impl_->session->lookup(impl_->order, impl_->session->intern(symbol));
  if (!found) return NotFound(llvm::toString(found.takeError()));
  return found->getAddress().toPtr<TreadleKernel>();
}

}  // namespace treadle::emit
