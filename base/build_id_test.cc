#include "base/build_id.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "gtest/gtest.h"

namespace treadle {
namespace {

std::string Output(const std::string& command) {
  std::string output;
  std::array<char, 4096> buffer;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): its own words
  while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), size);
  pclose(pipe);
  return output;
}

TEST(BuildIdTest, IsWhatTheLinkerWrote) {
  const std::string id = BuildId();
  ASSERT_EQ(id.size(), 40u);  // SHA-1
  const std::string notes = Output("readelf --notes /proc/" + std::to_string(getpid()) + "/exe 2>/dev/null");
  if (notes.empty()) GTEST_SKIP() << "there is no readelf";
  EXPECT_NE(notes.find("Build ID: " + id), std::string::npos) << notes;
}

}  // namespace
}  // namespace treadle
