#include "compiler/cache/disk_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/log.h"

namespace treadle::cache {
namespace {

// A process that writes is not slower than this; its temporary files are left over.
constexpr time_t kTemporarySeconds = 10 * 60;
// A sweep is due after so large a part of the bound has been written, by all processes together.
constexpr int64_t kSweepsPerBound = 16;

// One file with all its names.
struct Stored {
  timespec used{};
  int64_t bytes = 0;
  std::vector<std::string> names;
};

bool UsedBefore(const Stored& a, const Stored& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

// Nobody counts what all processes have written. Instead each write draws a lot, with the file's name as a fair die.
bool IsSweepDue(const std::string& name, size_t written, int64_t most_bytes) {
  const double die = static_cast<double>(XXH3_64bits(name.data(), name.size())) /
                     static_cast<double>(std::numeric_limits<uint64_t>::max());
  return die * static_cast<double>(most_bytes) <= static_cast<double>(written) * kSweepsPerBound;
}

}  // namespace

std::optional<Entry> DiskCache::Load(std::string_view key) {
  const Directory* place = directory(/*create=*/false);
  if (place == nullptr) return std::nullopt;
  const std::string name = NameOf(key);
  const StatusOr<std::string> bytes = place->Read(name);
  const StatusCode code = bytes.status().code();
  if (code == StatusCode::kNotFound || code == StatusCode::kUnavailable) return std::nullopt;
  StatusOr<Entry> entry = bytes.ok() ? Decode(*bytes, options_.build) : bytes.status();
  if (!entry.ok()) {
    LogLine("the cached kernel " + options_.path + "/" + name + " is dropped: " + entry.status().message());
    place->Remove(name);
    return std::nullopt;
  }
  // Texts decide, not hashes of them.
  if (std::ranges::find(entry->keys, key) == entry->keys.end()) return std::nullopt;
  return *std::move(entry);
}

void DiskCache::Store(const Entry& entry) {
  if (broken_ || entry.keys.empty()) return;
  const Directory* place = directory(/*create=*/true);
  if (place == nullptr) return;
  const std::string bytes = Encode(entry, options_.build);
  if (static_cast<int64_t>(bytes.size()) > options_.most_bytes / 4) return;
  std::vector<std::string> names;
  for (const std::string& key : entry.keys) names.push_back(NameOf(key));
  if (Status written = place->Write(names, bytes); !written.ok()) {
    broken_ = true;
    if (written.code() != StatusCode::kNotFound) WarnOnce(written);  // else somebody has removed the directory
    return;
  }
  if (IsSweepDue(names.front(), bytes.size(), options_.most_bytes)) Sweep();
}

void DiskCache::Sweep() {
  const Directory* place = directory(/*create=*/false);
  if (place == nullptr) return;
  std::map<std::pair<dev_t, ino_t>, Stored> files;
  int64_t total = 0;
  const time_t now = std::time(nullptr);
  place->List([&](const std::string& name, const struct stat& file) {
    if (Directory::IsTemporary(name) && file.st_mtime + kTemporarySeconds < now) return place->Remove(name);
    const auto [found, fresh] = files.try_emplace({file.st_dev, file.st_ino});
    Stored& stored = found->second;
    if (fresh) {
      stored.used = file.st_mtim;
      stored.bytes = int64_t{file.st_blocks} * 512;
      total += stored.bytes;
    }
    if (!Directory::IsTemporary(name)) stored.names.push_back(name);
  });
  // Between two sweeps about a sixteenth of the bound is added, and seldom twice that.
  if (total <= options_.most_bytes / 8 * 7) return;
  std::vector<Stored> oldest_first;
  for (auto& [id, stored] : files) oldest_first.push_back(std::move(stored));
  std::ranges::sort(oldest_first, UsedBefore);
  for (const Stored& stored : oldest_first) {
    if (total <= options_.most_bytes / 4 * 3) break;
    for (const std::string& name : stored.names) place->Remove(name);
    total -= stored.bytes;
  }
}

std::string DiskCache::NameOf(std::string_view key) const {
  std::string text = options_.build;
  text += '\0';
  text += key;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return name;
}

// Null where there is none, or none to be used.
const Directory* DiskCache::directory(bool create) {
  if (const Directory* opened = opened_) return opened;
  if (untrusted_) return nullptr;
  const std::lock_guard lock(mutex_);
  if (opened_ != nullptr || untrusted_) return opened_;
  StatusOr<Directory> directory = create ? Directory::Create(options_.path) : Directory::Open(options_.path);
  if (directory.ok()) {
    directory_.emplace(*std::move(directory));
    opened_ = &*directory_;
  } else if (create || directory.status().code() != StatusCode::kNotFound) {
    untrusted_ = broken_ = true;
    WarnOnce(directory.status());
  }
  return opened_;
}

void DiskCache::WarnOnce(const Status& status) {
  const bool quiet = options_.quiet && status.code() != StatusCode::kPermissionDenied && !LogEnabled("compile");
  if (!quiet) LogLine("kernels are not kept in " + options_.path + ": " + status.message());
}

}  // namespace treadle::cache
