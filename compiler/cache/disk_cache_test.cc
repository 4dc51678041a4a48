#include "compiler/cache/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "compiler/cache/testing/scratch.h"
#include "gtest/gtest.h"

namespace treadle::cache {
namespace {

namespace fs = std::filesystem;

DiskCacheOptions In(const Scratch& scratch, int64_t most_bytes = 64 << 20) {
  return {.path = scratch / "kernels", .most_bytes = most_bytes, .build = "build"};
}

// What is stored under "key N": the same each time.
Entry Numbered(int n, size_t size = 1000) {
  std::string bytes(size, '\0');
  std::minstd_rand random(n + 1);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return {{"key " + std::to_string(n), "also " + std::to_string(n)}, {std::move(bytes), n % 2 == 1}};
}

bool Has(DiskCache& cache, int n, size_t size = 1000) {
  const std::optional<Entry> found = cache.Load("key " + std::to_string(n));
  if (found) {
    EXPECT_EQ(found->object.bytes, Numbered(n, size).object.bytes) << n;
    EXPECT_EQ(found->object.quick, n % 2 == 1) << n;
  }
  return found.has_value();
}

std::vector<fs::path> Files(const Scratch& scratch) {
  std::vector<fs::path> files;
  for (const auto& item : fs::directory_iterator(scratch / "kernels")) files.push_back(item.path());
  return files;
}

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void SetUsed(const fs::path& path, std::chrono::seconds ago) {
  const timespec times[2] = {{std::time(nullptr) - ago.count(), 0}, {std::time(nullptr) - ago.count(), 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

int64_t BytesOnDisk(const Scratch& scratch) {
  int64_t bytes = 0;
  for (const fs::path& path : Files(scratch)) {
    struct stat file{};
    if (lstat(path.c_str(), &file) == 0) bytes += int64_t{file.st_blocks} * 512 / static_cast<int64_t>(file.st_nlink);
  }
  return bytes;
}

TEST(DiskCacheTest, WhatOneStoresAnotherFinds) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  EXPECT_FALSE(Has(cache, 1));
  EXPECT_FALSE(fs::exists(scratch / "kernels"));  // nothing is made for nothing
  cache.Store(Numbered(1));
  EXPECT_TRUE(Has(cache, 1));
  DiskCache other(In(scratch));
  EXPECT_TRUE(Has(other, 1));
  EXPECT_TRUE(other.Load("also 1"));
  EXPECT_FALSE(Has(other, 2));
}

TEST(DiskCacheTest, OtherBuildsHaveTheirOwn) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  cache.Store(Numbered(1));
  DiskCacheOptions options = In(scratch);
  options.build = "other";
  DiskCache other(options);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Has(other, 1));
  other.Store(Numbered(1));
  EXPECT_TRUE(Has(other, 1));
  EXPECT_TRUE(Has(cache, 1));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(DiskCacheTest, TextsDecideNotNames) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  cache.Store({{"key 1"}, Numbered(1).object});
  const fs::path first = Files(scratch)[0];
  cache.Store({{"key 2"}, Numbered(2).object});
  for (const fs::path& file : Files(scratch)) {
    if (file != first) fs::copy_file(first, file, fs::copy_options::overwrite_existing);
  }
  EXPECT_TRUE(Has(cache, 1));
  EXPECT_FALSE(Has(cache, 2));
}

// Cut off at any length, or with any byte changed: dropped with a warning, and stored again.
TEST(DiskCacheTest, DamageIsNoticedAndMended) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  const Entry entry{{"key 1"}, Numbered(1, 50).object};
  cache.Store(entry);
  const fs::path file = Files(scratch)[0];
  const std::string bytes = Contents(file);
  std::vector<std::string> damaged;
  for (size_t size = 0; size < bytes.size(); ++size) damaged.push_back(bytes.substr(0, size));
  for (size_t i = 0; i < bytes.size(); ++i) {
    damaged.push_back(bytes);
    damaged.back()[i] = static_cast<char>(damaged.back()[i] + 1 + i % 255);
  }
  for (const std::string& wrong : damaged) {
    Overwrite(file, wrong);
    testing::internal::CaptureStderr();
    ASSERT_FALSE(Has(cache, 1, 50));
    ASSERT_NE(testing::internal::GetCapturedStderr().find("is dropped"), std::string::npos);
    ASSERT_FALSE(fs::exists(file));
    cache.Store(entry);
    ASSERT_EQ(Contents(file), bytes);
  }
}

TEST(DiskCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  Scratch scratch;
  constexpr int64_t kMost = 1 << 20;
  constexpr size_t kSize = 40'000;
  DiskCache cache(In(scratch, kMost));
  for (int n = 0; n < 12; ++n) {
    cache.Store(Numbered(n, kSize));
    EXPECT_TRUE(Has(cache, n, kSize));
  }
  for (const fs::path& file : Files(scratch)) SetUsed(file, std::chrono::hours(1));
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(Has(cache, n, kSize));  // used again
  for (int n = 12; n < 28; ++n) {
    cache.Store(Numbered(n, kSize));
    EXPECT_LE(BytesOnDisk(scratch), kMost);
  }
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(Has(cache, n, kSize)) << n;
  int left = 0;
  for (int n = 4; n < 12; ++n) left += Has(cache, n, kSize);
  EXPECT_LT(left, 8);
  for (int n = 0; n < 200; ++n) cache.Store(Numbered(1000 + n, kSize));
  EXPECT_LE(BytesOnDisk(scratch), kMost);
  EXPECT_TRUE(Has(cache, 1199, kSize));
}

TEST(DiskCacheTest, WhatIsTooLargeIsNotStored) {
  Scratch scratch;
  DiskCache cache(In(scratch, 1 << 20));
  cache.Store(Numbered(1, 500'000));
  EXPECT_FALSE(Has(cache, 1, 500'000));
}

TEST(DiskCacheTest, OldTemporariesAreRemovedAndNothingElse) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  cache.Store(Numbered(1));
  Overwrite(scratch / "kernels/tmp-old", "x");
  Overwrite(scratch / "kernels/tmp-new", "x");
  for (const fs::path& file : Files(scratch)) {
    if (file.filename() != "tmp-new") SetUsed(file, std::chrono::hours(2));
  }
  cache.Sweep();
  EXPECT_FALSE(fs::exists(scratch / "kernels/tmp-old"));
  EXPECT_TRUE(fs::exists(scratch / "kernels/tmp-new"));
  EXPECT_TRUE(Has(cache, 1));
}

TEST(DiskCacheTest, WhereNothingCanBeStoredOneWarningIsAll) {
  Scratch scratch;
  Overwrite(scratch / "kernels", "a file where the directory should be");
  for (bool quiet : {false, true}) {
    DiskCacheOptions options = In(scratch);
    options.quiet = quiet;
    DiskCache cache(options);
    testing::internal::CaptureStderr();
    for (int n = 0; n < 3; ++n) {
      EXPECT_FALSE(Has(cache, n));
      cache.Store(Numbered(n));
      cache.Sweep();
    }
    const std::string warnings = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(warnings, '\n'), quiet ? 0 : 1) << warnings;
  }
}

TEST(DiskCacheTest, ItMayBeRemovedWhileItIsInUse) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  cache.Store(Numbered(1));
  fs::remove_all(scratch / "kernels");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Has(cache, 1));
  cache.Store(Numbered(2));
  cache.Sweep();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  DiskCache next(In(scratch));
  next.Store(Numbered(1));
  EXPECT_TRUE(Has(next, 1));
}

TEST(DiskCacheTest, WhatOthersCanWriteIsNotUsed) {
  Scratch scratch;
  {
    DiskCache cache(In(scratch));
    cache.Store(Numbered(1));
  }
  fs::permissions(scratch / "kernels", fs::perms::others_write, fs::perm_options::add);
  DiskCache cache(In(scratch));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Has(cache, 1));
  cache.Store(Numbered(2));
  EXPECT_FALSE(Has(cache, 2));
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find("others can write"), std::string::npos) << warnings;
  EXPECT_EQ(std::ranges::count(warnings, '\n'), 1) << warnings;
  EXPECT_EQ(Files(scratch).size(), 2u);  // the names of the first
}

TEST(DiskCacheTest, AFileOthersCanWriteIsDropped) {
  Scratch scratch;
  DiskCache cache(In(scratch));
  cache.Store(Numbered(1));
  for (const fs::path& file : Files(scratch)) fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Has(cache, 1));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("others can write"), std::string::npos);
}

// Stores and finds a few entries over and over, with so small a bound that they are evicted all the time.
void Hammer(DiskCache& cache, uint32_t seed, int rounds) {
  std::minstd_rand random(seed);
  for (int round = 0; round < rounds; ++round) {
    const int n = static_cast<int>(random() % 8);
    if (!Has(cache, n, 20'000)) cache.Store(Numbered(n, 20'000));
  }
}

TEST(DiskCacheTest, ManyThreadsMayShareOne) {
  Scratch scratch;
  DiskCache cache(In(scratch, 100'000));
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) threads.emplace_back([&cache, t] { Hammer(cache, t, 500); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

pid_t StartHammer(const Scratch& scratch, uint32_t seed, int rounds) {
  const pid_t child = fork();
  if (child != 0) return child;
  testing::internal::CaptureStderr();
  DiskCache cache(In(scratch, 100'000));
  Hammer(cache, seed, rounds);
  const bool quiet = testing::internal::GetCapturedStderr().empty();
  _exit(testing::Test::HasFailure() || !quiet ? 1 : 0);
}

TEST(DiskCacheTest, ManyProcessesMayShareOne) {
  Scratch scratch;
  std::vector<pid_t> children;
  for (uint32_t p = 0; p < 4; ++p) children.push_back(StartHammer(scratch, p, 500));
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const fs::path& file : Files(scratch)) EXPECT_FALSE(Directory::IsTemporary(file.filename().string()));
}

// Killed at any moment, a process leaves nothing behind that another one would stumble over.
TEST(DiskCacheTest, KilledProcessesDoNoHarm) {
  Scratch scratch;
  for (uint32_t round = 0; round < 100; ++round) {
    const pid_t child = StartHammer(scratch, round, 1'000'000);
    std::this_thread::sleep_for(std::chrono::microseconds(round * 7919 % 10'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  testing::internal::CaptureStderr();
  DiskCache cache(In(scratch, 100'000));
  Hammer(cache, 1234, 500);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (const fs::path& file : Files(scratch)) SetUsed(file, std::chrono::hours(2));
  cache.Sweep();
  for (const fs::path& file : Files(scratch)) EXPECT_FALSE(Directory::IsTemporary(file.filename().string())) << file;
}

}  // namespace
}  // namespace treadle::cache
