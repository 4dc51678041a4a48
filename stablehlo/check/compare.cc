#include "stablehlo/check/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stablehlo/interpreter/element.h"

namespace treadle::check {

namespace {

using interpreter::BitsOf;
using interpreter::Element;
using interpreter::Kind;
using interpreter::KindOf;

constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max();

// Representable numbers from one to the other; both zeros are one.
uint64_t UlpDistance(double x, double y, ElementType type) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : kFar;
  if (std::isinf(x) || std::isinf(y)) return x == y ? 0 : kFar;
  const uint64_t sign = uint64_t{1} << (ElementBits(type) - 1);
  const uint64_t a = BitsOf(x, type);
  const uint64_t b = BitsOf(y, type);
  const uint64_t size_a = a & ~sign;
  const uint64_t size_b = b & ~sign;
  if ((a & sign) != (b & sign)) return size_a + size_b;
  return size_a > size_b ? size_a - size_b : size_b - size_a;
}

bool RealKeeps(const Rule& rule, double x, double y, ElementType type, uint64_t& worst) {
  switch (rule.kind) {
    case Rule::Kind::kEqual:
      return x == y || (std::isnan(x) && std::isnan(y));
    case Rule::Kind::kAlmost:
      return std::fabs(x - y) <= rule.tolerance || UlpDistance(x, y, type) <= rule.max_ulp;
    case Rule::Kind::kClose: {
      const uint64_t distance = UlpDistance(x, y, type);
      worst = std::max(worst, distance);
      return distance <= rule.max_ulp;
    }
  }
  return false;
}

bool Keeps(const Rule& rule, const Element& x, const Element& y, ElementType type, uint64_t& worst) {
  switch (KindOf(type)) {
    case Kind::kFloat:
      return RealKeeps(rule, x.real, y.real, type, worst);
    case Kind::kComplex: {
      const bool real = RealKeeps(rule, x.real, y.real, PartOf(type), worst);
      return RealKeeps(rule, x.imag, y.imag, PartOf(type), worst) && real;
    }
    default:
      return x.integer == y.integer;
  }
}

std::string IndexText(int64_t place, const Shape& shape) {
  std::string text;
  for (int64_t i = shape.rank() - 1; i >= 0; --i) {
    text = std::to_string(place % shape.dims[i]) + (text.empty() ? "" : ", ") + text;
    place /= shape.dims[i];
  }
  return "[" + text + "]";
}

}  // namespace

std::optional<std::string> Miss(const Rule& rule, const Shape& shape, std::string_view actual,
                                std::string_view expected) {
  const int width = ElementBytes(shape.type);
  int64_t misses = 0;
  int64_t first = 0;
  uint64_t worst = 0;
  auto element = [&](std::string_view bytes, int64_t i) {
    return interpreter::Load(bytes.data() + i * width, shape.type);
  };
  for (int64_t i = 0; i < shape.elements(); ++i) {
    if (!Keeps(rule, element(actual, i), element(expected, i), shape.type, worst) && misses++ == 0) first = i;
  }
  if (misses > 0) {
    std::string text = "element " + IndexText(first, shape) + " is " +
                       interpreter::Print(element(actual, first), shape.type) + ", expected " +
                       interpreter::Print(element(expected, first), shape.type);
    if (misses > 1)
      text += " (and " + std::to_string(misses - 1) + " more of " + std::to_string(shape.elements()) + ")";
    if (rule.kind == Rule::Kind::kClose && worst != kFar)
      text += "; " + std::to_string(worst) + " ulp apart at the worst";
    return text;
  }
  if (rule.kind == Rule::Kind::kClose && worst < rule.min_ulp) {
    return "at most " + std::to_string(worst) + " ulp apart, expected " + std::to_string(rule.min_ulp) + " somewhere";
  }
  return std::nullopt;
}

}  // namespace treadle::check
