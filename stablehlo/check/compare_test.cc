#include "stablehlo/check/compare.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace treadle::check {
namespace {

using Kind = Rule::Kind;

std::string Bytes(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::string MissOf(const Rule& rule, const std::vector<float>& actual, const std::vector<float>& expected) {
  const Shape shape = {ElementType::kF32, {static_cast<int64_t>(actual.size())}};
  return Miss(rule, shape, Bytes(actual), Bytes(expected)).value_or("");
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(CompareTest, Equal) {
  EXPECT_EQ(MissOf({}, {1, -0.0f, kInf, kNan}, {1, 0, kInf, -kNan}), "");
  EXPECT_EQ(MissOf({}, {1, 2, 3}, {1, 4, 5}), "element [1] is 2, expected 4 (and 1 more of 3)");
}

TEST(CompareTest, Almost) {
  const Rule rule = {.kind = Kind::kAlmost, .tolerance = 1e-3};
  EXPECT_EQ(MissOf(rule, {1, kNan, -kInf}, {1.0009f, kNan, -kInf}), "");
  EXPECT_NE(MissOf(rule, {1}, {1.002f}), "");
  EXPECT_NE(MissOf(rule, {kInf}, {-kInf}), "");
  EXPECT_NE(MissOf(rule, {kNan}, {1}), "");
  // Neighbours that are further apart than the tolerance.
  EXPECT_EQ(MissOf(rule, {1 << 20}, {(1 << 20) + 0.125f}), "");
  EXPECT_NE(MissOf(rule, {1 << 20}, {(1 << 20) + 0.25f}), "");
}

TEST(CompareTest, Close) {
  const Rule rule = {.kind = Kind::kClose, .max_ulp = 3};
  const float next = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(MissOf(rule, {1, -next, kNan}, {1 + 3 * 0x1p-23f, next, kNan}), "");
  EXPECT_NE(MissOf(rule, {1}, {1 + 4 * 0x1p-23f}), "");
  EXPECT_NE(MissOf(rule, {kInf}, {std::numeric_limits<float>::max()}), "");
  EXPECT_EQ(MissOf({.kind = Kind::kClose, .max_ulp = 3, .min_ulp = 2}, {1}, {1 + 0x1p-23f}),
            "at most 1 ulp apart, expected 2 somewhere");
}

TEST(CompareTest, OtherTypes) {
  const Shape integers = {ElementType::kI4, {2}};
  EXPECT_EQ(Miss({}, integers, std::string("\xff\x07", 2), std::string("\xff\x07", 2)), std::nullopt);
  EXPECT_EQ(Miss({}, integers, std::string("\xff\x07", 2), std::string("\xfe\x07", 2)),
            "element [0] is -1, expected -2");
  EXPECT_EQ(Miss({}, {ElementType::kF32, {0, 3}}, "", ""), std::nullopt);
}

}  // namespace
}  // namespace treadle::check
