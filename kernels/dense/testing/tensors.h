// Operands of products in tests: tensors of every element type, sums in the order that dot.h tells, phases run in
// ranges.
#ifndef TREADLE_KERNELS_DENSE_TESTING_TENSORS_H_
#define TREADLE_KERNELS_DENSE_TESTING_TENSORS_H_

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/dense/dot.h"
#include "kernels/table.h"
#include "kernels/testing/targets.h"

namespace treadle::kernels::dense::testing {

using executable::IsaLevel;
using executable::Target;

// Also with products of pairs, where the machine has them.
inline std::vector<Target> Targets() {
  std::vector<Target> targets = kernels::testing::Targets();
  Target pairs = targets.back();
  pairs.avx512_bf16 = pairs.avx512_vnni = true;
  if (pairs.isa == IsaLevel::kV4 && executable::HostRuns(pairs)) targets.push_back(pairs);
  return targets;
}

inline float FromBf16(uint16_t bits) {
  uint32_t wide = uint32_t{bits} << 16;
  return std::bit_cast<float>(wide);
}

// Nearest bf16, ties to even, of a double: rounded once.
inline uint16_t ToBf16(double value) {
  float f = static_cast<float>(value);
  if (std::isnan(f)) return static_cast<uint16_t>(std::bit_cast<uint32_t>(f) >> 16 | 0x40);
  uint32_t bits = std::bit_cast<uint32_t>(f);
  uint32_t low = bits & 0xffff, up = bits >> 16;
  if (std::isinf(f)) return static_cast<uint16_t>(up);
  // Ties of the float may not be ties of the double.
  double rest = std::fabs(value) - std::fabs(static_cast<double>(f));
  bool round = low > 0x8000 || (low == 0x8000 && (rest > 0 || (rest == 0 && (up & 1))));
  return static_cast<uint16_t>(up + round);
}

// Bytes that end where a page begins that may not be touched: reading past them ends the test.
class GuardedBytes {
 public:
  explicit GuardedBytes(int64_t size) : size_(size), mapped_((size + 4095) / 4096 * 4096 + 4096) {
    void* map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(map, MAP_FAILED);
    map_ = static_cast<uint8_t*>(map);
    EXPECT_EQ(mprotect(map_ + mapped_ - 4096, 4096, PROT_NONE), 0);
  }
  ~GuardedBytes() { munmap(map_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  uint8_t* data() { return map_ + mapped_ - 4096 - size_; }
  int64_t size() const { return size_; }
  bool operator==(GuardedBytes& other) { return size_ == other.size_ && std::memcmp(data(), other.data(), size_) == 0; }

 private:
  int64_t size_, mapped_;
  uint8_t* map_;
};

// Tensors hold their elements as they lie in memory; Get and Set go through the widest type of their kind.
template <typename V>
V Get(ElementType type, const uint8_t* p) {
  auto as = [&](auto zero) {
    std::memcpy(&zero, p, sizeof(zero));
    return static_cast<V>(zero);
  };
  switch (type) {
    case ElementType::kI1:
    case ElementType::kU4:
    case ElementType::kU2:
    case ElementType::kU8:
      return as(uint8_t{});
    case ElementType::kI4:
    case ElementType::kI2:
    case ElementType::kI8:
      return as(int8_t{});
    case ElementType::kI16:
      return as(int16_t{});
    case ElementType::kU16:
      return as(uint16_t{});
    case ElementType::kI32:
      return as(int32_t{});
    case ElementType::kU32:
      return as(uint32_t{});
    case ElementType::kI64:
      return as(int64_t{});
    case ElementType::kU64:
      return as(uint64_t{});
    case ElementType::kBF16: {
      uint16_t bits;
      std::memcpy(&bits, p, 2);
      return static_cast<V>(FromBf16(bits));
    }
    case ElementType::kF16:
      return as(_Float16{});
    case ElementType::kC64:
    case ElementType::kF32:
      return as(float{});
    case ElementType::kC128:
    case ElementType::kF64:
      return as(double{});
    default:
      ADD_FAILURE();
      return V{};
  }
}

template <typename V>
void Set(ElementType type, uint8_t* p, V value) {
  auto as = [&](auto typed) { std::memcpy(p, &typed, sizeof(typed)); };
  switch (type) {
    case ElementType::kI1:
      return as(static_cast<uint8_t>(value != V{0}));
    case ElementType::kI4:
      return as(static_cast<int8_t>(static_cast<int8_t>(static_cast<int64_t>(value) << 4) >> 4));
    case ElementType::kI2:
      return as(static_cast<int8_t>(static_cast<int8_t>(static_cast<int64_t>(value) << 6) >> 6));
    case ElementType::kU4:
      return as(static_cast<uint8_t>(static_cast<int64_t>(value) & 15));
    case ElementType::kU2:
      return as(static_cast<uint8_t>(static_cast<int64_t>(value) & 3));
    case ElementType::kI8:
    case ElementType::kU8:
      return as(static_cast<uint8_t>(static_cast<int64_t>(value)));
    case ElementType::kI16:
    case ElementType::kU16:
      return as(static_cast<uint16_t>(static_cast<int64_t>(value)));
    case ElementType::kI32:
    case ElementType::kU32:
      return as(static_cast<uint32_t>(static_cast<int64_t>(value)));
    case ElementType::kI64:
    case ElementType::kU64:
      return as(static_cast<uint64_t>(value));
    case ElementType::kBF16:
      return as(ToBf16(static_cast<double>(value)));
    case ElementType::kF16:
      return as(static_cast<_Float16>(value));
    case ElementType::kC64:
    case ElementType::kF32:
      return as(static_cast<float>(value));
    case ElementType::kC128:
    case ElementType::kF64:
      return as(static_cast<double>(value));
    default:
      ADD_FAILURE();
  }
}

struct Tensor {
  ElementType type = ElementType::kF32;
  GuardedBytes bytes;

  Tensor(ElementType type, int64_t elements) : type(type), bytes(elements * ElementBytes(type)) {}
  // Part 1 is the imaginary one of a complex element.
  uint8_t* At(int64_t index, int part = 0) {
    return bytes.data() + index * ElementBytes(type) + part * ElementBytes(type) / 2;
  }

  void Fill(std::mt19937_64& random) {
    int parts = IsComplex(type) ? 2 : 1;
    for (int64_t i = 0; i < bytes.size() / ElementBytes(type); ++i) {
      for (int part = 0; part < parts; ++part) {
        if (type == ElementType::kI1)
          Set<int64_t>(type, At(i), random() % 8 == 0);
        else if (IsInteger(type))
          Set<int64_t>(type, At(i), static_cast<int64_t>(random()));
        else
          Set<double>(type, At(i, part), std::normal_distribution<double>()(random));
      }
    }
  }
};

// The order of summation as dot.h tells it, in plain words.
template <typename T, typename Term>
T Sum(const SumOrder& order, int64_t k, Term add_term) {
  std::vector<T> parts;
  for (int64_t part = 0; part < order.parts; ++part) {
    int64_t begin = part * order.part_k, end = std::min(k, begin + order.part_k);
    std::vector<T> lanes(order.lanes, T{0});
    for (int64_t j = 0; j < order.lanes; ++j) {
      T sum = 0;
      for (int64_t i = begin + j; i < end; i += order.lanes) sum = add_term(i, sum);
      lanes[j] = sum;
    }
    for (size_t half = lanes.size() / 2; half > 0; half /= 2) {
      for (size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
    }
    parts.push_back(lanes[0]);
  }
  while (parts.size() > 1) {
    std::vector<T> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) next.push_back(parts[i] + parts[i + 1]);
    if (parts.size() % 2) next.push_back(parts.back());
    parts = next;
  }
  return parts[0];
}

template <typename T>
T MulAdd(T a, T b, T c, bool fused) {
  if constexpr (std::is_floating_point_v<T>) {
    if (fused) return std::fma(a, b, c);
  }
  return a * b + c;
}

struct AlignedBytes {
  explicit AlignedBytes(int64_t bytes) : data(std::aligned_alloc(64, (bytes + 127) / 64 * 64)) {
    std::memset(data, 0xee, bytes);
  }
  ~AlignedBytes() { std::free(data); }
  AlignedBytes(const AlignedBytes&) = delete;
  void* data;
};

// Runs the phases of a plan in ranges of random size, in random order, each with fresh local memory.
inline void RunPlan(const DotPlan& plan, const Target& target, std::vector<void*> buffers, std::mt19937_64& random,
                    TreadleKernel epilogue = nullptr, std::vector<uint64_t> epilogue_args = {}) {
  AlignedBytes scratch(plan.scratch_bytes);
  for (const DotPhase& phase : plan.phases) {
    TreadleKernel kernel = FindKernel(phase.symbol, target);
    ASSERT_NE(kernel, nullptr) << phase.symbol;
    std::vector<uint64_t> args = phase.args;
    args.insert(args.end(), epilogue_args.begin(), epilogue_args.end());
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t at = 0; at < phase.tiles;) {
      int64_t end = std::min<int64_t>(phase.tiles, at + 1 + random() % 3);
      ranges.push_back({at, end});
      at = end;
    }
    std::shuffle(ranges.begin(), ranges.end(), random);
    for (auto [begin, end] : ranges) {
      AlignedBytes local(phase.local_bytes);
      TreadleCallFrame frame = {buffers.data(), args.data(), local.data, scratch.data, &epilogue, begin, end};
      ASSERT_EQ(kernel(&frame), TREADLE_KERNEL_OK);
    }
  }
}

}  // namespace treadle::kernels::dense::testing

#endif  // TREADLE_KERNELS_DENSE_TESTING_TENSORS_H_
