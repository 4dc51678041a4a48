#include "compiler/cache/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "compiler/cache/testing/scratch.h"
#include "gtest/gtest.h"

namespace treadle::cache {
namespace {

mode_t ModeOf(const std::string& path) {
  struct stat file{};
  EXPECT_EQ(lstat(path.c_str(), &file), 0) << path;
  return file.st_mode & 07777;
}

std::map<std::string, ino_t> Files(const Directory& directory) {
  std::map<std::string, ino_t> files;
  directory.List([&](const std::string& name, const struct stat& file) { files[name] = file.st_ino; });
  return files;
}

TEST(DirectoryTest, IsMadeForTheUserAlone) {
  Scratch scratch;
  EXPECT_EQ(Directory::Open(scratch / "a").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(Directory::Create(scratch / "a/b").ok());
  EXPECT_EQ(ModeOf(scratch / "a"), 0700u);
  EXPECT_EQ(ModeOf(scratch / "a/b"), 0700u);
  EXPECT_TRUE(Directory::Create(scratch / "a/b").ok());
  EXPECT_TRUE(Directory::Open(scratch / "a/b").ok());
}

TEST(DirectoryTest, WhereOthersCanWriteIsNotTrusted) {
  Scratch scratch;
  ASSERT_TRUE(Directory::Create(scratch / "a").ok());
  for (mode_t mode : {0777u, 01777u, 0720u, 0702u}) {
    ASSERT_EQ(chmod((scratch / "a").c_str(), mode), 0);
    EXPECT_EQ(Directory::Open(scratch / "a").status().code(), StatusCode::kPermissionDenied) << mode;
    EXPECT_EQ(Directory::Create(scratch / "a").status().code(), StatusCode::kPermissionDenied) << mode;
  }
  ASSERT_EQ(chmod((scratch / "a").c_str(), 0755), 0);
  EXPECT_TRUE(Directory::Open(scratch / "a").ok());
}

TEST(DirectoryTest, OfAnotherUserIsNotTrusted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  Scratch scratch;
  const StatusOr<Directory> directory = Directory::Create(scratch / "a");
  const std::string names[] = {"file"};
  ASSERT_TRUE(directory->Write(names, "bytes").ok());
  ASSERT_EQ(chown((scratch / "a/file").c_str(), 1234, 0), 0);
  EXPECT_EQ(directory->Read("file").status().code(), StatusCode::kPermissionDenied);
  ASSERT_EQ(chown((scratch / "a").c_str(), 1234, 0), 0);
  EXPECT_EQ(Directory::Open(scratch / "a").status().code(), StatusCode::kPermissionDenied);
}

TEST(DirectoryTest, WhereNothingCanBeMadeIsAnError) {
  Scratch scratch;
  std::ofstream(scratch / "file") << "no directory";
  EXPECT_FALSE(Directory::Create(scratch / "file").ok());
  EXPECT_FALSE(Directory::Create(scratch / "file/a").ok());
  EXPECT_FALSE(Directory::Create("/proc/treadle/a").ok());
  EXPECT_FALSE(Directory::Create("").ok());
}

TEST(DirectoryTest, AFileHasAllItsNames) {
  Scratch scratch;
  const StatusOr<Directory> directory = Directory::Create(scratch / "a");
  const std::string names[] = {"one", "two"}, more[] = {"two", "three"};
  ASSERT_TRUE(directory->Write(names, "first").ok());
  ASSERT_TRUE(directory->Write(more, "second").ok());
  EXPECT_EQ(*directory->Read("one"), "first");
  EXPECT_EQ(*directory->Read("two"), "first");
  EXPECT_EQ(*directory->Read("three"), "second");
  EXPECT_EQ(directory->Read("four").status().code(), StatusCode::kNotFound);
  const std::map<std::string, ino_t> files = Files(*directory);
  EXPECT_EQ(files.size(), 3u);  // no temporary one
  EXPECT_EQ(files.at("one"), files.at("two"));
  EXPECT_EQ(ModeOf(scratch / "a/one"), 0600u);
}

TEST(DirectoryTest, OnlyFilesOfTheUserAreRead) {
  Scratch scratch;
  const StatusOr<Directory> directory = Directory::Create(scratch / "a");
  const std::string names[] = {"file"};
  ASSERT_TRUE(directory->Write(names, "bytes").ok());
  ASSERT_EQ(symlink("file", (scratch / "a/link").c_str()), 0);
  EXPECT_EQ(directory->Read("link").status().code(), StatusCode::kDataLoss);
  ASSERT_EQ(mkdir((scratch / "a/folder").c_str(), 0700), 0);
  EXPECT_EQ(directory->Read("folder").status().code(), StatusCode::kDataLoss);
  ASSERT_EQ(mkfifo((scratch / "a/pipe").c_str(), 0600), 0);
  EXPECT_EQ(directory->Read("pipe").status().code(), StatusCode::kDataLoss);
  ASSERT_EQ(chmod((scratch / "a/file").c_str(), 0666), 0);
  EXPECT_EQ(directory->Read("file").status().code(), StatusCode::kPermissionDenied);
}

TEST(DirectoryTest, ReadingMarksAsUsed) {
  Scratch scratch;
  const StatusOr<Directory> directory = Directory::Create(scratch / "a");
  const std::string names[] = {"file"};
  ASSERT_TRUE(directory->Write(names, "bytes").ok());
  const timespec old[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (scratch / "a/file").c_str(), old, 0), 0);
  ASSERT_TRUE(directory->Read("file").ok());
  struct stat file{};
  ASSERT_EQ(lstat((scratch / "a/file").c_str(), &file), 0);
  EXPECT_GT(file.st_mtime, 1'700'000'000);
}

}  // namespace
}  // namespace treadle::cache
