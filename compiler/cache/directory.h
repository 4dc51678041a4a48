// A directory that nobody but its user can write to, and files in it that appear whole or not at all.
#ifndef TREADLE_COMPILER_CACHE_DIRECTORY_H_
#define TREADLE_COMPILER_CACHE_DIRECTORY_H_

#include <sys/stat.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace treadle::cache {

// All names are of files in the directory. Thread-safe, and safe between processes.
class Directory {
 public:
  // NOT_FOUND where there is none. PERMISSION_DENIED where it belongs to another user or others can write to it.
  static StatusOr<Directory> Open(const std::string& path);
  // Makes it and what is missing above it, for the user alone.
  static StatusOr<Directory> Create(const std::string& path);

  Directory(Directory&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Directory& operator=(Directory&&) = delete;
  ~Directory();

  // The bytes of a file, which counts as used from now on. NOT_FOUND where there is none; PERMISSION_DENIED where it is
  // not the user's or others can write to it; DATA_LOSS where it is nothing that Write has made; UNAVAILABLE where
  // reading fails.
  StatusOr<std::string> Read(const std::string& name) const;

  // Writes a file that has all of `names`, those apart that exist already. A process that ends on the way leaves a file
  // whose name IsTemporary, at worst.
  Status Write(std::span<const std::string> names, std::string_view bytes) const;
  static bool IsTemporary(std::string_view name);

  // Calls `visit` with each regular file; there may be several names of one.
  void List(const std::function<void(const std::string& name, const struct stat& file)>& visit) const;

  // Does nothing where there is no such file.
  void Remove(const std::string& name) const;

 private:
  explicit Directory(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace treadle::cache

#endif  // TREADLE_COMPILER_CACHE_DIRECTORY_H_
