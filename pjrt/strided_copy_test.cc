#include "pjrt/strided_copy.h"

#include <gtest/gtest.h>

#include <random>

namespace treadle::pjrt {
namespace {

// The copy by its definition: one element after another.
void Reference(std::byte* dst, std::span<const int64_t> dst_strides, const std::byte* src,
               std::span<const int64_t> src_strides, std::span<const int64_t> dims, int64_t bytes) {
  if (dims.empty()) {
    std::copy(src, src + bytes, dst);
    return;
  }
  for (int64_t i = 0; i < dims[0]; ++i) {
    Reference(dst + i * dst_strides[0], dst_strides.subspan(1), src + i * src_strides[0], src_strides.subspan(1),
              dims.subspan(1), bytes);
  }
}

// Random shapes, permutations, reversals, steps and broadcasts of both sides.
TEST(StridedCopy, AgreesWithDefinition) {
  std::mt19937 rng(1);
  auto random = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  for (int round = 0; round < 3000; ++round) {
    const int64_t bytes = int64_t{1} << random(0, 4);
    const int rank = random(0, 5);
    std::vector<int64_t> dims(rank);
    for (int64_t& dim : dims) dim = random(0, 12) == 0 ? 0 : random(1, round % 10 == 0 && rank <= 2 ? 90 : 7);
    auto make_strides = [&](bool broadcast, int64_t* offset, int64_t* size) {
      std::vector<int> order(rank);
      for (int i = 0; i < rank; ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), rng);
      std::vector<int64_t> strides(rank);
      int64_t next = bytes;
      *offset = 0;
      for (int dim : order) {
        if (broadcast && random(0, 5) == 0) continue;  // stride 0
        if (random(0, 3) == 0) next *= 2;              // a step
        strides[dim] = next;
        next *= std::max<int64_t>(dims[dim], 1);
        if (random(0, 3) == 0) {
          strides[dim] = -strides[dim];
          *offset += -strides[dim] * std::max<int64_t>(dims[dim] - 1, 0);
        }
      }
      *size = next + bytes;
      return strides;
    };
    int64_t src_offset, src_size, dst_offset, dst_size;
    const std::vector<int64_t> src_strides = make_strides(true, &src_offset, &src_size);
    const std::vector<int64_t> dst_strides = make_strides(false, &dst_offset, &dst_size);
    std::vector<std::byte> src(src_size), got(dst_size, std::byte{1}), want(dst_size, std::byte{1});
    for (std::byte& b : src) b = static_cast<std::byte>(rng());
    StridedCopy(got.data() + dst_offset, dst_strides, src.data() + src_offset, src_strides, dims, bytes);
    Reference(want.data() + dst_offset, dst_strides, src.data() + src_offset, src_strides, dims, bytes);
    ASSERT_EQ(got, want) << "round " << round;
  }
}

TEST(StridedCopy, DenseMeansRowMajor) {
  const Shape shape{ElementType::kF32, {3, 1, 2}};
  EXPECT_EQ(DenseByteStrides(shape), (std::vector<int64_t>{8, 8, 4}));
  EXPECT_TRUE(IsDense(shape, std::vector<int64_t>{8, 8, 4}));
  EXPECT_TRUE(IsDense(shape, std::vector<int64_t>{8, -77, 4})) << "a dimension of size 1 has no stride";
  EXPECT_FALSE(IsDense(shape, std::vector<int64_t>{4, 8, 12}));
  EXPECT_FALSE(IsDense(shape, std::vector<int64_t>{-8, 8, 4}));
  EXPECT_TRUE(IsDense({ElementType::kF32, {0, 5}}, std::vector<int64_t>{1, 1}));
  EXPECT_TRUE(IsDense({ElementType::kF32, {}}, {}));
}

TEST(StridedCopy, LayoutsOfClients) {
  const Shape shape{ElementType::kI16, {2, 3}};
  EXPECT_EQ(*LayoutByteStrides(shape, nullptr), (std::vector<int64_t>{6, 2}));
  PJRT_Buffer_MemoryLayout layout = {};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  const int64_t column_major[] = {0, 1}, twice[] = {0, 0}, outside[] = {0, 2};
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  EXPECT_EQ(*LayoutByteStrides(shape, &layout), (std::vector<int64_t>{2, 4}));
  layout.tiled.minor_to_major = twice;
  EXPECT_EQ(LayoutByteStrides(shape, &layout).status().code(), StatusCode::kInvalidArgument);
  layout.tiled.minor_to_major = outside;
  EXPECT_EQ(LayoutByteStrides(shape, &layout).status().code(), StatusCode::kInvalidArgument);
  layout.tiled.num_tiles = 1;
  EXPECT_EQ(LayoutByteStrides(shape, &layout).status().code(), StatusCode::kUnimplemented);
  const int64_t strides[] = {32, 2};
  layout = {};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.byte_strides = strides;
  layout.strides.num_byte_strides = 2;
  EXPECT_EQ(*LayoutByteStrides(shape, &layout), (std::vector<int64_t>{32, 2}));
  layout.strides.num_byte_strides = 1;
  EXPECT_EQ(LayoutByteStrides(shape, &layout).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace treadle::pjrt
