#include "compiler/emit/kernel_cache.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/large_stack.h"
#include "base/log.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/print.h"
#include "compiler/plan/work.h"
#include "kernels/builtin_code.h"

namespace treadle::emit {
namespace {

using CachedObject = std::shared_ptr<const executable::Object>;

// Everything that two kernels must share to be one.
std::string KeyOf(const plan::Plan& plan, const executable::Target& target, Tier tier) {
  std::string key = target.Key();
  key += tier == Tier::kQuick ? "\nquick\n" : "\nfull\n";
  key += plan::IdentityText(plan);
  return key;
}

// One kernel: code, or why there is none, once it is done.
struct Entry {
  bool done = false;
  Status status;
  CachedObject object;
};

class Cache {
 public:
  static Cache& Get() {
    static Cache* cache = [] {
      if (LogEnabled("compile")) std::atexit(PrintCounts);
      return new Cache;  // lives until the process ends: threads may still compile
    }();
    return *cache;
  }

  // The kernel's entry, and whether the caller is to make it: whoever asks first. Compares whole texts, not hashes of
  // them.
  std::pair<std::shared_ptr<Entry>, bool> Claim(const std::string& key) {
    std::lock_guard lock(mutex_);
    auto [found, fresh] = entries_.try_emplace(key);
    if (fresh) found->second = std::make_shared<Entry>();
    return {found->second, fresh};
  }

  bool Has(const std::string& key) {
    std::lock_guard lock(mutex_);
    auto found = entries_.find(key);
    return found != entries_.end() && found->second->done;
  }

  // Ends a claim. A failure is told to those who wait for it and then forgotten.
  void Finish(const std::string& key, Entry& entry, const Status& status, CachedObject object) {
    std::lock_guard lock(mutex_);
    entry.status = status;
    entry.object = std::move(object);
    entry.done = true;
    if (!status.ok()) entries_.erase(key);
    changed_.notify_all();
  }

  StatusOr<CachedObject> Wait(Entry& entry) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entry.done; });
    if (!entry.status.ok()) return entry.status;
    return entry.object;
  }

  void Count(int64_t compiled, int64_t cached) {
    std::lock_guard lock(mutex_);
    counts_.compiled += compiled;
    counts_.cached += cached;
  }

  KernelCounts counts() {
    std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  static void PrintCounts() {
    KernelCounts counts = CountKernels();
    LogLine(std::to_string(counts.compiled) + " kernels compiled, " + std::to_string(counts.cached) + " from cache");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
  KernelCounts counts_;
};

struct Missing {
  KernelRequest request;
  std::string key;
  std::shared_ptr<Entry> entry;
};

// Below this a module of its own costs more than the thread saves.
constexpr int64_t kSmallestModule = 250;

constexpr int64_t kLargeModule = 2'000;
constexpr size_t kSmallCodegenStack = size_t{2} << 20;

using Module = std::vector<const Missing*>;

bool IsBuiltin(const plan::Plan& plan, const executable::Target& target) {
  return FindBuiltinCode(plan::KernelSymbol(plan, target, 0)) != nullptr;
}

// The missing kernels of a tier in modules of about equal cost, largest first; the same for the same plans.
void AddModules(const std::vector<Missing>& missing, Tier tier, int threads, std::vector<Module>& modules) {
  std::vector<std::pair<int64_t, const Missing*>> sorted;
  int64_t total = 0;
  for (const Missing& kernel : missing) {
    if (kernel.request.tier != tier) continue;
    sorted.emplace_back(plan::CodegenCost(*kernel.request.plan), &kernel);
    total += sorted.back().first;
  }
  if (sorted.empty()) return;
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& kernel) { return kernel.first; });
  const size_t count = std::min<size_t>(std::clamp<int64_t>(total / kSmallestModule, 1, threads), sorted.size());
  std::vector<Module> made(count);
  std::vector<int64_t> costs(count, 0);
  for (const auto& [cost, kernel] : sorted) {
    const size_t least = std::ranges::min_element(costs) - costs.begin();
    made[least].push_back(kernel);
    costs[least] += cost;
  }
  std::ranges::move(made, std::back_inserter(modules));
}

// Ends the claims of all kernels of the module, with its object or error.
void CompileModule(const Module& module, const executable::Target& target) {
  std::vector<const plan::Plan*> plans;
  for (const Missing* kernel : module) plans.push_back(kernel->request.plan);
  const Tier tier = module.front()->request.tier;
  StatusOr<std::string> code = EmitPlans(plans, {.target = target, .tier = tier});
  CachedObject object;
  if (code.ok()) object = std::make_shared<executable::Object>(*std::move(code), tier == Tier::kQuick);
  for (const Missing* kernel : module) Cache::Get().Finish(kernel->key, *kernel->entry, code.status(), object);
}

// LLVM recurses over large blocks. Where the stack here is small, small modules do with it.
void CompileOnStack(const Module& module, const executable::Target& target) {
  int64_t cost = 0;
  for (const Missing* kernel : module) cost += plan::CodegenCost(*kernel->request.plan);
  const size_t stack = cost < kLargeModule ? kSmallCodegenStack : kCodegenStack;
  RunOnLargeStack(stack, [&] { CompileModule(module, target); });
}

void CompileMissing(const std::vector<Missing>& missing, const executable::Target& target, int threads) {
  std::vector<Module> modules;
  for (Tier tier : {Tier::kFull, Tier::kQuick}) AddModules(missing, tier, threads, modules);
  std::vector<std::function<void()>> work;
  for (const Module& module : modules) work.push_back([&] { CompileOnStack(module, target); });
  RunSideBySide(kCodegenStack, work);
}

}  // namespace

int CodegenThreads() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::clamp(count, 1, 8);
}

bool IsCompiled(const plan::Plan& plan, const executable::Target& target, Tier tier) {
  return IsBuiltin(plan, target) || Cache::Get().Has(KeyOf(plan, target, tier));
}

StatusOr<CompiledKernels> CompileKernels(std::span<const KernelRequest> requests, const executable::Target& target,
                                         int threads) {
  Cache& cache = Cache::Get();
  std::vector<std::string> keys;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
  std::vector<Missing> missing;
  for (const KernelRequest& request : requests) {
    if (IsBuiltin(*request.plan, target)) {
      keys.emplace_back();
      continue;
    }
    keys.push_back(KeyOf(*request.plan, target, request.tier));
    auto [known, fresh] = entries.try_emplace(keys.back());
    if (!fresh) continue;
    auto [entry, mine] = cache.Claim(keys.back());
    known->second = entry;
    if (!mine) continue;
    if (LogEnabled("kernels")) {
      LogLine((request.tier == Tier::kQuick ? "quick code for " : "code for ") + plan::Print(*request.plan));
    }
    missing.push_back({request, keys.back(), entry});
  }
  // Own claims are done before waiting for those of others: nobody waits in a circle.
  if (!missing.empty()) CompileMissing(missing, target, threads);
  cache.Count(static_cast<int64_t>(missing.size()), static_cast<int64_t>(requests.size() - missing.size()));

  CompiledKernels result;
  std::map<const executable::Object*, int32_t> numbers;
  for (const std::string& key : keys) {
    if (key.empty()) {
      result.object_of_request.push_back(-1);
      continue;
    }
    TREADLE_ASSIGN_OR_RETURN(CachedObject object, cache.Wait(*entries[key]));
    auto [number, fresh] = numbers.try_emplace(object.get(), static_cast<int32_t>(result.objects.size()));
    if (fresh) result.objects.push_back(*object);
    result.object_of_request.push_back(number->second);
  }
  return result;
}

KernelCounts CountKernels() { return Cache::Get().counts(); }

}  // namespace treadle::emit
