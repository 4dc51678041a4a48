#include "compiler/emit/kernel_cache.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/math.h"

namespace treadle::emit {
namespace {

using Bytes = std::shared_ptr<const std::string>;

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
  Bytes bytes;
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

  // Ends a claim. A failure is told to those who wait for it and then forgotten.
  void Finish(const std::string& key, Entry& entry, const Status& status, Bytes bytes) {
    std::lock_guard lock(mutex_);
    entry.status = status;
    entry.bytes = std::move(bytes);
    entry.done = true;
    if (!status.ok()) entries_.erase(key);
    changed_.notify_all();
  }

  StatusOr<Bytes> Wait(Entry& entry) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entry.done; });
    if (!entry.status.ok()) return entry.status;
    return entry.bytes;
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

int CompileThreads() {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::clamp(count, 1, 8);
}

// LLVM recurses deeply on large blocks, and hosts call us on small stacks.
constexpr size_t kStackBytes = size_t{16} << 20;

void* RunFunction(void* function) {
  (*static_cast<std::function<void()>*>(function))();
  return nullptr;
}

// Runs all of `work`, each on a thread of its own; where threads run out, here.
void RunOnThreads(std::vector<std::function<void()>>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<pthread_t> threads;
  for (std::function<void()>& piece : work) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, RunFunction, &piece) == 0) {
      threads.push_back(thread);
    } else {
      piece();
    }
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

struct Missing {
  const plan::Plan* plan;
  std::string key;
  std::shared_ptr<Entry> entry;
};

// Machine operations of a kernel, roughly: a node is written several times (whole vectors, tails), a mathematical
// function is long, and every kernel has its frame and loops.
int64_t CostOf(const plan::Plan& plan) {
  int64_t cost = 60 + 3 * static_cast<int64_t>(plan.nodes.size());
  for (const plan::Node& node : plan.nodes) cost += plan::IsMathOp(node.op) ? 40 : 0;
  return cost;
}

// Below this a module of its own costs more than the thread saves.
constexpr int64_t kSmallestModule = 250;

// The missing kernels in modules of about equal cost, largest first; the same for the same plans.
std::vector<std::vector<const Missing*>> Modules(const std::vector<Missing>& missing) {
  std::vector<const Missing*> sorted;
  int64_t total = 0;
  for (const Missing& kernel : missing) {
    sorted.push_back(&kernel);
    total += CostOf(*kernel.plan);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Missing* a, const Missing* b) { return CostOf(*a->plan) > CostOf(*b->plan); });
  size_t count = std::clamp<int64_t>(total / kSmallestModule, 1, CompileThreads());
  count = std::min(count, sorted.size());
  std::vector<std::vector<const Missing*>> modules(count);
  std::vector<int64_t> costs(count, 0);
  for (const Missing* kernel : sorted) {
    size_t least = std::min_element(costs.begin(), costs.end()) - costs.begin();
    modules[least].push_back(kernel);
    costs[least] += CostOf(*kernel->plan);
  }
  return modules;
}

// Ends the claims of all, each with its module's object or error.
void CompileMissing(const std::vector<Missing>& missing, const executable::Target& target, Tier tier) {
  std::vector<std::vector<const Missing*>> modules = Modules(missing);
  std::vector<std::function<void()>> work;
  for (const std::vector<const Missing*>& module : modules) {
    work.push_back([&] {
      std::vector<const plan::Plan*> plans;
      for (const Missing* kernel : module) plans.push_back(kernel->plan);
      StatusOr<std::string> object = EmitPlans(plans, {.target = target, .tier = tier});
      Bytes bytes = object.ok() ? std::make_shared<const std::string>(*std::move(object)) : nullptr;
      for (const Missing* kernel : module) Cache::Get().Finish(kernel->key, *kernel->entry, object.status(), bytes);
    });
  }
  RunOnThreads(work);
}

}  // namespace

StatusOr<CompiledKernels> CompileKernels(std::span<const plan::Plan* const> plans, const executable::Target& target,
                                         Tier tier) {
  Cache& cache = Cache::Get();
  std::vector<std::string> keys;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
  std::vector<Missing> missing;
  for (const plan::Plan* plan : plans) {
    keys.push_back(KeyOf(*plan, target, tier));
    auto [known, fresh] = entries.try_emplace(keys.back());
    if (!fresh) continue;
    auto [entry, mine] = cache.Claim(keys.back());
    known->second = entry;
    if (mine) missing.push_back({plan, keys.back(), entry});
  }
  // Own claims are done before waiting for those of others: nobody waits in a circle.
  if (!missing.empty()) CompileMissing(missing, target, tier);
  cache.Count(static_cast<int64_t>(missing.size()), static_cast<int64_t>(plans.size() - missing.size()));

  CompiledKernels result;
  std::map<const std::string*, int32_t> numbers;
  for (const std::string& key : keys) {
    TREADLE_ASSIGN_OR_RETURN(Bytes bytes, cache.Wait(*entries[key]));
    auto [number, fresh] = numbers.try_emplace(bytes.get(), static_cast<int32_t>(result.objects.size()));
    if (fresh) result.objects.push_back({*bytes});
    result.object_of_plan.push_back(number->second);
  }
  return result;
}

KernelCounts CountKernels() { return Cache::Get().counts(); }

}  // namespace treadle::emit
