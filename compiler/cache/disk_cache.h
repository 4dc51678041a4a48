// Object code of kernels in files, from one process to the next.
//
// A file holds what was compiled together, and has one name a kernel: the hash of the kernel's text and of the build of
// Treadle. What is read is checked (owner, checksum, build, the whole text of the kernel), so that a file can be
// missing but not wrong.
#ifndef TREADLE_COMPILER_CACHE_DISK_CACHE_H_
#define TREADLE_COMPILER_CACHE_DISK_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/cache/directory.h"
#include "compiler/cache/entry.h"

namespace treadle::cache {

struct DiskCacheOptions {
  std::string path;        // of a directory that is the cache's alone; made when something is stored first
  int64_t most_bytes = 0;  // of all files together, about: what was not used for longest goes first
  std::string build;       // base/build_id.h
  bool quiet = false;      // no warning where the directory cannot be made or written
};

// TREADLE_CACHE_DIR, else $XDG_CACHE_HOME/treadle, else ~/.cache/treadle; TREADLE_CACHE_MIB. Nothing where they switch
// the cache off or there is no such place. INVALID_ARGUMENT for a TREADLE_CACHE_MIB that is no number.
StatusOr<std::optional<DiskCacheOptions>> OptionsFromEnvironment();

// Thread-safe, and safe between processes. Nothing here fails: without a usable directory the cache stays empty, with a
// warning on standard error at most once.
class DiskCache {
 public:
  explicit DiskCache(DiskCacheOptions options) : options_(std::move(options)) {}

  // The entry with `key` among its keys. A damaged one is removed, with a warning on standard error. A miss costs three
  // microseconds, a hit five and one more for every 4 KB.
  std::optional<Entry> Load(std::string_view key);

  // Keys that are stored already stay as they are. Takes some 100 us; now and then sweeps.
  void Store(const Entry& entry);

  // Removes old temporary files, and so much of what was not used for longest that the rest is well below the bound.
  void Sweep();

 private:
  std::string NameOf(std::string_view key) const;
  const Directory* directory(bool create);
  void WarnOnce(const Status& status);

  const DiskCacheOptions options_;
  std::mutex mutex_;
  std::optional<Directory> directory_;  // stays once it is there
  std::atomic<const Directory*> opened_ = nullptr;
  std::atomic<bool> broken_ = false;     // nothing is stored any more
  std::atomic<bool> untrusted_ = false;  // and nothing read
};

}  // namespace treadle::cache

#endif  // TREADLE_COMPILER_CACHE_DISK_CACHE_H_
