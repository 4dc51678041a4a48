// Objects by what their kernels are: in this process, and behind it on disk (compiler/cache).
#ifndef TREADLE_COMPILER_EMIT_OBJECT_CACHE_H_
#define TREADLE_COMPILER_EMIT_OBJECT_CACHE_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/cache/disk_cache.h"
#include "compiler/emit/emit.h"
#include "executable/executable.h"

namespace treadle::emit {

using CachedObject = std::shared_ptr<const executable::Object>;

// One a process. Thread-safe. Compares whole texts, not hashes of them.
class ObjectCache {
 public:
  // One kernel: code, or why there is none, once it is done.
  struct Entry {
    bool done = false;
    Status status;
    CachedObject object;
    bool from_disk = false;  // and nobody has asked for it since
  };

  static ObjectCache& Get();

  // From now on. The first call counts.
  void UseDisk(cache::DiskCacheOptions options);
  bool has_disk() const { return disk_ != nullptr; }

  bool IsInMemory(const std::string& key);

  // Whether the kernel was on disk; it is in memory from now on.
  bool Load(const std::string& key);

  // Stores what was compiled in the background, at the latest when the process ends.
  void Store(std::vector<std::string> keys, CachedObject object);

  // The kernel's entry, and whether the caller is to make it: whoever asks first.
  std::pair<std::shared_ptr<Entry>, bool> Claim(const std::string& key);

  // Ends a claim. A failure is told to those who wait for it and then forgotten.
  void Finish(const std::string& key, Entry& entry, const Status& status, CachedObject object);

  StatusOr<CachedObject> Wait(Entry& entry);

  // Whether it came from disk and nobody has asked yet.
  bool TakeFromDisk(Entry& entry);

 private:
  ObjectCache() = default;

  std::atomic<cache::DiskCache*> disk_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_OBJECT_CACHE_H_
