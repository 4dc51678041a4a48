#include "compiler/emit/kernel_cache.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/background.h"
#include "base/large_stack.h"
#include "base/log.h"
#include "compiler/emit/object_cache.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/print.h"
#include "compiler/plan/work.h"
#include "kernels/builtin_code.h"

namespace treadle::emit {
namespace {

// Counts of this process.
struct Counters {
  std::mutex mutex;
  KernelCounts counts;

  static Counters& Get() {
    static Counters* const counters = [] {
      if (LogEnabled("compile")) std::atexit(PrintCounts);
      return new Counters;  // lives until the process ends: threads may still compile
    }();
    return *counters;
  }

  static void PrintCounts() {
    FinishBackgroundWork();  // compiles, too
    const KernelCounts counts = CountKernels();
    LogLine("kernels that were there: " + OriginsText(counts));
    LogLine(std::to_string(counts.compiled) + " kernels compiled, " + std::to_string(counts.cached()) + " from cache");
  }

  void Add(const KernelCounts& more) {
    const std::lock_guard lock(mutex);
    counts.compiled += more.compiled;
    counts.from_build += more.from_build;
    counts.from_memory += more.from_memory;
    counts.from_disk += more.from_disk;
  }
};

// Everything that two kernels must share to be one, but the build of Treadle.
std::string KeyOf(std::string_view identity, const executable::Target& target, Tier tier) {
  std::string key = target.Key();
  key += tier == Tier::kQuick ? "\nquick\n" : "\nfull\n";
  key += identity;
  return key;
}

// The key of the best code that there is, at `tier` or better; else that of `tier`.
std::string BestKey(const plan::Plan& plan, const executable::Target& target, Tier tier) {
  ObjectCache& cache = ObjectCache::Get();
  const std::string identity = plan::IdentityText(plan);
  std::vector<std::string> keys = {KeyOf(identity, target, Tier::kFull)};
  if (tier == Tier::kQuick) keys.push_back(KeyOf(identity, target, Tier::kQuick));
  for (std::string& key : keys) {
    if (cache.IsInMemory(key)) return std::move(key);
  }
  for (std::string& key : keys) {
    if (cache.Load(key)) return std::move(key);
  }
  return std::move(keys.back());
}

struct Missing {
  KernelRequest request;
  std::string key;
  std::shared_ptr<ObjectCache::Entry> entry;
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
  const Status status = code.status();
  CachedObject object;
  if (code.ok()) object = std::make_shared<executable::Object>(*std::move(code), tier == Tier::kQuick);
  ObjectCache& cache = ObjectCache::Get();
  std::vector<std::string> keys;
  for (const Missing* kernel : module) {
    cache.Finish(kernel->key, *kernel->entry, status, object);
    keys.push_back(kernel->key);
  }
  if (object != nullptr) cache.Store(std::move(keys), std::move(object));
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

using Entries = std::unordered_map<std::string, std::shared_ptr<ObjectCache::Entry>>;

// Each object once, and which of them each key stands for; an empty key for none.
Status Collect(const std::vector<std::string>& keys, const Entries& entries, CompiledKernels& result) {
  std::map<const executable::Object*, int32_t> numbers;
  for (const std::string& key : keys) {
    if (key.empty()) {
      result.object_of_request.push_back(-1);
      continue;
    }
    TREADLE_ASSIGN_OR_RETURN(CachedObject object, ObjectCache::Get().Wait(*entries.at(key)));
    auto [number, fresh] = numbers.try_emplace(object.get(), static_cast<int32_t>(result.objects.size()));
    if (fresh) result.objects.push_back(*object);
    result.object_of_request.push_back(number->second);
  }
  return OkStatus();
}

StatusOr<CompiledKernels> FindOrCompile(std::span<const KernelRequest> requests, const executable::Target& target,
                                        int threads, bool log) {
  ObjectCache& cache = ObjectCache::Get();
  CompiledKernels result;
  std::vector<std::string> keys;
  Entries entries;
  std::vector<Missing> missing;
  for (const KernelRequest& request : requests) {
    if (IsBuiltin(*request.plan, target)) {
      keys.emplace_back();
      ++result.counts.from_build;
      continue;
    }
    keys.push_back(BestKey(*request.plan, target, request.tier));
    auto [known, fresh] = entries.try_emplace(keys.back());
    bool mine = false;
    if (fresh) std::tie(known->second, mine) = cache.Claim(keys.back());
    if (!mine) {
      ++(cache.TakeFromDisk(*known->second) ? result.counts.from_disk : result.counts.from_memory);
      continue;
    }
    ++result.counts.compiled;
    if (log) {
      LogLine((request.tier == Tier::kQuick ? "quick code for " : "code for ") + plan::Print(*request.plan));
    }
    missing.push_back({request, keys.back(), known->second});
  }
  // Own claims are done before waiting for those of others: nobody waits in a circle.
  if (!missing.empty()) CompileMissing(missing, target, threads);

  TREADLE_RETURN_IF_ERROR(Collect(keys, entries, result));
  return result;
}

}  // namespace

int CodegenThreads() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::clamp(count, 1, 8);
}

std::string OriginsText(const KernelCounts& counts) {
  return std::to_string(counts.from_build) + " from the build, " + std::to_string(counts.from_memory) +
         " from memory, " + std::to_string(counts.from_disk) + " from disk";
}

void UseDiskCache(cache::DiskCacheOptions options) { ObjectCache::Get().UseDisk(std::move(options)); }

bool HasDiskCache() { return ObjectCache::Get().has_disk(); }

bool IsCompiled(const plan::Plan& plan, const executable::Target& target, Tier tier) {
  return IsBuiltin(plan, target) || ObjectCache::Get().IsInMemory(BestKey(plan, target, tier));
}

StatusOr<CompiledKernels> CompileKernels(std::span<const KernelRequest> requests, const executable::Target& target,
                                         int threads) {
  StatusOr<CompiledKernels> result = FindOrCompile(requests, target, threads, LogEnabled("kernels"));
  if (result.ok()) Counters::Get().Add(result->counts);
  return result;
}

StatusOr<CompiledKernels> CompileUncounted(std::span<const KernelRequest> requests, const executable::Target& target,
                                           int threads) {
  return FindOrCompile(requests, target, threads, /*log=*/false);
}

KernelCounts CountKernels() {
  Counters& counters = Counters::Get();
  const std::lock_guard lock(counters.mutex);
  return counters.counts;
}

}  // namespace treadle::emit
