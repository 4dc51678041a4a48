#include "runtime/tiles.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "base/sharding.h"

namespace treadle::internal {
namespace {

// Cutting an array of distinct numbers into tiles: each is what index arithmetic says; putting them together gives the
// array again.
void CheckTiles(std::vector<int64_t> dims, std::vector<int64_t> parts) {
  ThreadPool pool(2);
  const Shape array = {ElementType::kI32, std::move(dims)};
  Sharding sharding{std::move(parts), {}};
  sharding.holders.resize(sharding.num_tiles());
  const Shape tile = sharding.TileShape(array);
  std::vector<int32_t> data(array.elements()), joined(array.elements(), -1);
  std::iota(data.begin(), data.end(), 1);
  for (int64_t t = 0; t < sharding.num_tiles(); ++t) {
    const std::vector<int64_t> offset = sharding.TileOffset(array, t);
    std::vector<int32_t> cut(tile.elements(), -1);
    CopyIntoTile(pool, {array, tile, offset}, data.data(), cut.data());
    for (int64_t i = 0; i < tile.elements(); ++i) {
      int64_t rest = i, index = 0;
      for (size_t dim = array.dims.size(); dim-- > 0; rest /= tile.dims[dim]) {
        index += (offset[dim] + rest % tile.dims[dim]) * array.Strides()[dim];
      }
      ASSERT_EQ(cut[i], data[index]) << array.ToString() << " tile " << t << " element " << i;
    }
    CopyFromTile(pool, {array, tile, offset}, cut.data(), joined.data());
  }
  EXPECT_EQ(joined, data);
}

TEST(Tiles, CutAndJoin) {
  CheckTiles({8}, {4});
  CheckTiles({8}, {1});
  CheckTiles({6, 4}, {3, 1});
  CheckTiles({6, 4}, {1, 2});
  CheckTiles({6, 4}, {2, 4});
  CheckTiles({2, 3, 4, 5}, {2, 3, 2, 5});
  CheckTiles({2, 3, 4, 5}, {1, 3, 1, 1});
  CheckTiles({4, 1, 6}, {2, 1, 1});
  CheckTiles({0, 4}, {1, 2});
  CheckTiles({}, {});
  CheckTiles({512, 300}, {2, 3});  // enough for several threads
}

}  // namespace
}  // namespace treadle::internal
