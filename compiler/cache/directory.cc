#include "compiler/cache/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace treadle::cache {
namespace {

constexpr std::string_view kTemporary = "tmp-";
// What is marked as used more often than this costs more writes than the order of eviction is worth.
constexpr time_t kUsedSeconds = 15 * 60;
// Object code of a program is far smaller; what is larger is nothing of ours.
constexpr off_t kMostBytes = off_t{1} << 30;

StatusCode CodeOf(int error) {
  if (error == ENOENT) return StatusCode::kNotFound;
  if (error == ELOOP) return StatusCode::kDataLoss;  // a link where a file should be
  return StatusCode::kUnavailable;
}

Status FromErrno(std::string_view what, int error) {
  return {CodeOf(error), std::string(what) + ": " + std::strerror(error)};
}

// A descriptor that closes itself.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Status CheckTrusted(const struct stat& file) {
  if (file.st_uid != geteuid()) return {StatusCode::kPermissionDenied, "it belongs to another user"};
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return {StatusCode::kPermissionDenied, "others can write to it"};
  return OkStatus();
}

Status ReadAll(int fd, size_t size, std::string& bytes) {
  bytes.resize(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = read(fd, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FromErrno("read", errno);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return OkStatus();
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FromErrno("write", errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return OkStatus();
}

// Processes that share a directory may share a number, too, where they run in containers.
std::string RandomName() {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    random = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    random ^= static_cast<uint64_t>(getpid()) << 40;
  }
  char name[32];
  std::snprintf(name, sizeof name, "%s%016" PRIx64, kTemporary.data(), random);
  return name;
}

// A new file with a name of its own.
Status WriteTemporary(int directory, const std::string& name, std::string_view bytes) {
  const File file(openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok()) return FromErrno("open", errno);
  Status written = WriteAll(file.fd(), bytes);
  if (!written.ok()) unlinkat(directory, name.c_str(), 0);
  return written;
}

}  // namespace

Directory::~Directory() {
  if (fd_ >= 0) close(fd_);
}

StatusOr<Directory> Directory::Open(const std::string& path) {
  File file(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.ok()) return FromErrno("open", errno);
  struct stat directory;
  if (fstat(file.fd(), &directory) != 0) return FromErrno("fstat", errno);
  TREADLE_RETURN_IF_ERROR(CheckTrusted(directory));
  return Directory(file.Release());
}

StatusOr<Directory> Directory::Create(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string parent = path.substr(0, end);
    // EEXIST comes before lack of permission or a file system that is read only; where it is not the reason, the next
    // step fails.
    if (mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST && end == std::string::npos) {
      return FromErrno("mkdir", errno);
    }
    if (end == std::string::npos) break;
  }
  return Open(path);
}

StatusOr<std::string> Directory::Read(const std::string& name) const {
  const File file(openat(fd_, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.ok()) return FromErrno("open", errno);
  struct stat status;
  if (fstat(file.fd(), &status) != 0) return FromErrno("fstat", errno);
  TREADLE_RETURN_IF_ERROR(CheckTrusted(status));
  if (!S_ISREG(status.st_mode) || status.st_size > kMostBytes) return Status(StatusCode::kDataLoss, "no file of ours");
  std::string bytes;
  TREADLE_RETURN_IF_ERROR(ReadAll(file.fd(), static_cast<size_t>(status.st_size), bytes));
  if (status.st_mtime + kUsedSeconds < std::time(nullptr)) futimens(file.fd(), nullptr);
  return bytes;
}

Status Directory::Write(std::span<const std::string> names, std::string_view bytes) const {
  std::string temporary;
  Status status;
  for (const std::string& name : names) {
    if (temporary.empty()) {
      temporary = RandomName();
      TREADLE_RETURN_IF_ERROR(WriteTemporary(fd_, temporary, bytes));
    }
    if (linkat(fd_, temporary.c_str(), fd_, name.c_str(), 0) == 0 || errno == EEXIST) continue;
    // A file system without links: a file for each name.
    if (renameat(fd_, temporary.c_str(), fd_, name.c_str()) != 0) {
      status = FromErrno("rename", errno);
      break;
    }
    temporary.clear();
  }
  if (!temporary.empty()) Remove(temporary);
  return status;
}

bool Directory::IsTemporary(std::string_view name) { return name.starts_with(kTemporary); }

void Directory::List(const std::function<void(const std::string& name, const struct stat& file)>& visit) const {
  const int fd = openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  DIR* stream = fdopendir(fd);
  if (stream == nullptr) {
    close(fd);
    return;
  }
  while (const dirent* item = readdir(stream)) {
    struct stat file;
    if (fstatat(fd_, item->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode)) visit(item->d_name, file);
  }
  closedir(stream);
}

void Directory::Remove(const std::string& name) const { unlinkat(fd_, name.c_str(), 0); }

}  // namespace treadle::cache
