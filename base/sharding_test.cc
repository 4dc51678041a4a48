#include "base/sharding.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

const Shape kArray = {ElementType::kF32, {6, 4}};

// Six participants: three tiles of two rows, two copies of each.
const Sharding kRows = {{3, 1}, {0, 3, 1, 4, 2, 5}};

TEST(Sharding, TilesHaveShapesOffsetsAndHolders) {
  EXPECT_EQ(kRows.num_tiles(), 3);
  EXPECT_EQ(kRows.copies(), 2);
  EXPECT_EQ(kRows.TileShape(kArray).dims, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(kRows.TileOffset(kArray, 2), (std::vector<int64_t>{4, 0}));
  EXPECT_EQ(kRows.TileOfParticipant(6), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
}

TEST(Sharding, TilesAreRowMajor) {
  const Sharding both = {{2, 2}, {3, 2, 1, 0}};
  EXPECT_EQ(both.TileOffset(kArray, 1), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(both.TileOffset(kArray, 2), (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(both.TileOfParticipant(4), (std::vector<int64_t>{3, 2, 1, 0}));
}

TEST(Sharding, WholeArrays) {
  const Sharding whole;
  EXPECT_TRUE(CheckSharding(whole, kArray, 5).ok());
  EXPECT_EQ(whole.TileShape(kArray), kArray);
  EXPECT_EQ(whole.TileOffset(kArray, 0), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(whole.TileOfParticipant(2), (std::vector<int64_t>{0, 0}));
}

TEST(Sharding, ChecksAgainstArrayAndParticipants) {
  EXPECT_TRUE(CheckSharding(kRows, kArray, 6).ok());
  EXPECT_FALSE(CheckSharding(kRows, kArray, 7).ok());                         // one holds nothing
  EXPECT_FALSE(CheckSharding(kRows, kArray, 5).ok());                         // number 5 does not exist
  EXPECT_FALSE(CheckSharding({{3, 1}, {0, 3, 1, 4, 2, 2}}, kArray, 6).ok());  // 2 twice
  EXPECT_FALSE(CheckSharding({{4, 1}, {0, 1, 2, 3}}, kArray, 4).ok());        // 6 rows in 4 parts
  EXPECT_FALSE(CheckSharding({{3}, {0, 1, 2}}, kArray, 3).ok());              // rank
  EXPECT_FALSE(CheckSharding({{0, 1}, {}}, kArray, 1).ok());                  // no parts
  EXPECT_FALSE(CheckSharding({{3, 2}, {0, 1, 2, 3}}, kArray, 4).ok());        // more tiles than holders
  EXPECT_FALSE(CheckSharding({{}, {0, 1}}, kArray, 2).ok());
}

}  // namespace
}  // namespace treadle
