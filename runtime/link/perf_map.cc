#include "runtime/link/perf_map.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <string>

namespace treadle::link {
namespace {

namespace orc = llvm::orc;
namespace jitlink = llvm::jitlink;

class PerfMap final : public orc::ObjectLinkingLayer::Plugin {
 public:
  PerfMap() : file_(std::fopen(("/tmp/perf-" + std::to_string(getpid()) + ".map").c_str(), "ae")) {}
  ~PerfMap() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  void modifyPassConfig(orc::MaterializationResponsibility&, jitlink::LinkGraph&,
                        jitlink::PassConfiguration& config) override {
    config.PostFixupPasses.push_back([this](jitlink::LinkGraph& graph) {
      Write(graph);
      return llvm::Error::success();
    });
  }

  llvm::Error notifyFailed(orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(orc::JITDylib&, orc::ResourceKey) override { return llvm::Error::success(); }
  void notifyTransferringResources(orc::JITDylib&, orc::ResourceKey, orc::ResourceKey) override {}

 private:
  void Write(jitlink::LinkGraph& graph) {
    if (file_ == nullptr) return;
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || !symbol->isCallable()) continue;
      std::fprintf(file_, "%" PRIx64 " %" PRIx64 " %s\n", symbol->getAddress().getValue(),
                   static_cast<uint64_t>(symbol->getSize()), (*symbol->getName()).str().c_str());
    }
    std::fflush(file_);
  }

  std::FILE* const file_;  // null where it cannot be written: profiles then lack names
};

}  // namespace

std::unique_ptr<orc::ObjectLinkingLayer::Plugin> MakePerfMap() { return std::make_unique<PerfMap>(); }

}  // namespace treadle::link
