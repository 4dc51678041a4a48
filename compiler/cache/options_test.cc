#include <cstdlib>
#include <filesystem>

#include "base/build_id.h"
#include "compiler/cache/disk_cache.h"
#include "gtest/gtest.h"

namespace treadle::cache {
namespace {

class OptionsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"TREADLE_CACHE_DIR", "TREADLE_CACHE_MIB", "XDG_CACHE_HOME"}) unsetenv(name);
    setenv("HOME", "/home/somebody", 1);
  }

  static std::string Path() {
    const StatusOr<std::optional<DiskCacheOptions>> options = OptionsFromEnvironment();
    EXPECT_TRUE(options.ok());
    return *options ? (*options)->path : "off";
  }
};

TEST_F(OptionsTest, ThePlaces) {
  EXPECT_EQ(Path(), "/home/somebody/.cache/treadle/kernels");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  EXPECT_EQ(Path(), "/home/somebody/.cache/treadle/kernels");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(Path(), "/caches/treadle/kernels");
  EXPECT_TRUE((*OptionsFromEnvironment())->quiet);
  setenv("TREADLE_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(Path(), "/mine/kernels");
  EXPECT_FALSE((*OptionsFromEnvironment())->quiet);
  setenv("TREADLE_CACHE_DIR", "mine", 1);
  EXPECT_EQ(Path(), std::filesystem::current_path() / "mine/kernels");
}

TEST_F(OptionsTest, OffAndNowhere) {
  for (const char* off : {"", "off"}) {
    setenv("TREADLE_CACHE_DIR", off, 1);
    EXPECT_EQ(Path(), "off");
  }
  unsetenv("TREADLE_CACHE_DIR");
  unsetenv("HOME");
  EXPECT_EQ(Path(), "off");
}

TEST_F(OptionsTest, TheBound) {
  EXPECT_EQ((*OptionsFromEnvironment())->most_bytes, 512 << 20);
  setenv("TREADLE_CACHE_MIB", "3", 1);
  EXPECT_EQ((*OptionsFromEnvironment())->most_bytes, 3 << 20);
  setenv("TREADLE_CACHE_MIB", "0", 1);
  EXPECT_EQ(Path(), "off");
  for (const char* wrong : {"much", "-1", "3 GiB", "99999999999999999999"}) {
    setenv("TREADLE_CACHE_MIB", wrong, 1);
    EXPECT_EQ(OptionsFromEnvironment().status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST_F(OptionsTest, TheBuild) { EXPECT_EQ((*OptionsFromEnvironment())->build, BuildId()); }

}  // namespace
}  // namespace treadle::cache
