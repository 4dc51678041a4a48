#include "compiler/emit/better_code.h"

#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/background.h"
#include "base/log.h"
#include "compiler/emit/kernel_cache.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/work.h"

namespace treadle::emit {
namespace {

// About 10 ms of code generation: what a process that ends has to wait for, and enough to spread the cost of a module.
constexpr int64_t kBatchCost = 600;
// Most programs run right after they are compiled; that first run should not have to share the CPUs.
constexpr std::chrono::milliseconds kDelay{20};

void CompileBatch(const std::vector<plan::Plan>& batch, const executable::Target& target, executable::CodeSink& sink) {
  std::vector<KernelRequest> requests;
  for (const plan::Plan& plan : batch) requests.push_back({&plan, Tier::kFull});
  StatusOr<CompiledKernels> kernels = CompileKernels(requests, target, /*threads=*/1);
  if (!kernels.ok()) {
    LogLine("kernels stay at their first tier: " + kernels.status().ToString());
    return;
  }
  std::vector<std::vector<std::string>> symbols(kernels->objects.size());
  for (size_t i = 0; i < batch.size(); ++i) {
    if (kernels->object_of_request[i] < 0) continue;
    std::vector<std::string> more = plan::KernelSymbols(batch[i], target);
    std::vector<std::string>& all = symbols[kernels->object_of_request[i]];
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  for (size_t i = 0; i < symbols.size(); ++i) sink.Take(std::move(kernels->objects[i]), std::move(symbols[i]));
}

}  // namespace

void CompileBetterCode(std::vector<plan::Plan> plans, const executable::Target& target,
                       std::shared_ptr<executable::CodeSink> sink) {
  // The next process can use it, too.
  const AtExit at_exit = HasDiskCache() ? AtExit::kRunIfTime : AtExit::kDrop;
  std::vector<plan::Plan> batch;
  int64_t cost = 0;
  auto flush = [&] {
    if (batch.empty()) return;
    RunInBackground([batch = std::move(batch), target, sink] { CompileBatch(batch, target, *sink); }, kDelay, at_exit);
    batch.clear();
    cost = 0;
  };
  for (plan::Plan& plan : plans) {
    cost += plan::CodegenCost(plan);
    batch.push_back(std::move(plan));
    if (cost >= kBatchCost) flush();
  }
  flush();
}

}  // namespace treadle::emit
