#include "tools/split_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treadle::tools {
namespace {

using testing::ElementsAre;

TEST(SplitInputTest, PartsKeepTheirLines) {
  EXPECT_THAT(SplitInput("a\n// -----\nb\n\n// -----\nc"), ElementsAre("a\n", "\n\nb\n\n", "\n\n\n\n\nc"));
}

TEST(SplitInputTest, WhatIsNoMarker) {
  EXPECT_THAT(SplitInput(""), ElementsAre(""));
  EXPECT_THAT(SplitInput("a // -----\n//-----\n// ----- x\n"), ElementsAre("a // -----\n//-----\n// ----- x\n"));
  EXPECT_THAT(SplitInput("ML\xefR\n// -----\n"), ElementsAre("ML\xefR\n// -----\n"));
}

TEST(SplitInputTest, MarkersAtTheEnds) {
  EXPECT_THAT(SplitInput("// -----\n"), ElementsAre("", "\n"));
  EXPECT_THAT(SplitInput("// -----"), ElementsAre("", "\n"));
  EXPECT_THAT(SplitInput("a\r\n// -----\r\nb"), ElementsAre("a\r\n", "\n\nb"));
}

}  // namespace
}  // namespace treadle::tools
