#include "base/status.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

StatusOr<int> Half(int x) {
  if (x % 2) return InvalidArgument("odd");
  return x / 2;
}

StatusOr<int> Quarter(int x) {
  TREADLE_ASSIGN_OR_RETURN(int half, Half(x));
  return Half(half);
}

TEST(StatusTest, OkIsEmpty) {
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_EQ(OkStatus().ToString(), "OK");
  EXPECT_EQ(sizeof(Status), sizeof(void*));
}

TEST(StatusTest, ErrorsTravel) {
  EXPECT_EQ(*Quarter(8), 2);
  StatusOr<int> odd = Quarter(6);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.status().ToString(), "INVALID_ARGUMENT: odd");
  EXPECT_EQ(odd.status().WithContext("halving 6").message(), "halving 6: odd");
}

TEST(StatusTest, CopiesAreEqual) {
  Status first = NotFound("a");
  Status second = first;
  first = OkStatus();
  EXPECT_EQ(second.message(), "a");
  EXPECT_EQ(second.code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace treadle
