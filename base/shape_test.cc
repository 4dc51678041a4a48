#include "base/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace treadle {
namespace {

TEST(ElementTypeTest, NamesRoundTrip) {
  for (int i = 1; i <= static_cast<int>(ElementType::kToken); ++i) {
    ElementType type = static_cast<ElementType>(i);
    EXPECT_EQ(ParseElementType(ElementTypeName(type)), type);
    EXPECT_LE(ElementBits(type), 8 * ElementBytes(type));
  }
  EXPECT_EQ(ParseElementType("f33"), std::nullopt);
}

TEST(ShapeTest, Sizes) {
  Shape shape{ElementType::kF32, {2, 3, 4}};
  EXPECT_EQ(shape.bytes(), 96);
  EXPECT_EQ(shape.Strides(), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(shape.ToString(), "2x3x4xf32");
  EXPECT_EQ((Shape{ElementType::kC128, {}}).bytes(), 16);
  EXPECT_EQ((Shape{ElementType::kF32, {int64_t{1} << 40, 0, int64_t{1} << 40}}).elements(), 0);
}

TEST(ShapeTest, HugeSizesSaturate) {
  Shape shape{ElementType::kF64, {int64_t{1} << 40, int64_t{1} << 40}};
  EXPECT_EQ(shape.bytes(), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace treadle
