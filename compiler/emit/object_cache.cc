#include "compiler/emit/object_cache.h"

#include <chrono>
#include <optional>

#include "base/background.h"

namespace treadle::emit {
namespace {

// Most programs run right after they are compiled; that first run should not have to share the CPUs.
constexpr std::chrono::milliseconds kStoreDelay{20};

}  // namespace

ObjectCache& ObjectCache::Get() {
  static ObjectCache* const cache = new ObjectCache;  // lives until the process ends: threads may still compile
  return *cache;
}

void ObjectCache::UseDisk(cache::DiskCacheOptions options) {
  const std::lock_guard lock(mutex_);
  if (disk_ == nullptr) disk_ = new cache::DiskCache(std::move(options));  // lives until the process ends, like this
}

bool ObjectCache::IsInMemory(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second->done;
}

bool ObjectCache::Load(const std::string& key) {
  cache::DiskCache* disk = disk_;
  if (disk == nullptr) return false;
  std::optional<cache::Entry> stored = disk->Load(key);
  if (!stored) return false;
  const auto object = std::make_shared<executable::Object>(std::move(stored->object));
  const std::lock_guard lock(mutex_);
  for (std::string& other : stored->keys) {
    const auto [found, fresh] = entries_.try_emplace(std::move(other));
    if (fresh) found->second = std::make_shared<Entry>(Entry{true, OkStatus(), object, /*from_disk=*/true});
  }
  return true;
}

void ObjectCache::Store(std::vector<std::string> keys, CachedObject object) {
  cache::DiskCache* disk = disk_;
  if (disk == nullptr) return;
  auto store = [disk, keys = std::move(keys), object = std::move(object)] { disk->Store({keys, *object}); };
  RunInBackground(std::move(store), kStoreDelay, AtExit::kRun);
}

std::pair<std::shared_ptr<ObjectCache::Entry>, bool> ObjectCache::Claim(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto [found, fresh] = entries_.try_emplace(key);
  if (fresh) found->second = std::make_shared<Entry>();
  return {found->second, fresh};
}

void ObjectCache::Finish(const std::string& key, Entry& entry, const Status& status, CachedObject object) {
  const std::lock_guard lock(mutex_);
  entry.status = status;
  entry.object = std::move(object);
  entry.done = true;
  if (!status.ok()) entries_.erase(key);
  changed_.notify_all();
}

StatusOr<CachedObject> ObjectCache::Wait(Entry& entry) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return entry.done; });
  if (!entry.status.ok()) return entry.status;
  return entry.object;
}

bool ObjectCache::TakeFromDisk(Entry& entry) {
  const std::lock_guard lock(mutex_);
  return std::exchange(entry.from_disk, false);
}

}  // namespace treadle::emit
