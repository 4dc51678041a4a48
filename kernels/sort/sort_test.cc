#include "kernels/sort/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "kernels/table.h"
#include "kernels/testing/targets.h"

namespace treadle::kernels::sort {
namespace {

using executable::Target;
using kernels::testing::Targets;
using enum ElementType;

constexpr ElementType kTypes[] = {kI1, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kBF16, kF16, kF32, kF64};

using Bytes = std::vector<char>;

uint64_t BitsAt(const Bytes& bytes, int64_t index, int width) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * width, width);
  return bits;
}

void SetBits(Bytes& bytes, int64_t index, int width, uint64_t bits) {
  std::memcpy(bytes.data() + index * width, &bits, width);
}

struct FloatFormat {
  int mantissa, exponent;
};
FloatFormat FormatOf(ElementType type) {
  switch (type) {
    case kF64:
      return {52, 11};
    case kF32:
      return {23, 8};
    case kBF16:
      return {7, 8};
    default:
      return {10, 5};
  }
}

// What a key is worth, written down from its meaning and not from how kernels do it: sign and magnitude of the bits, as
// integers that compare.
__int128 Worth(uint64_t bits, const SortKey& key) {
  const int width = 8 * ElementBytes(key.type);
  __int128 worth = 0;
  if (IsFloat(key.type)) {
    const FloatFormat format = FormatOf(key.type);
    const bool negative = bits >> (width - 1);
    const uint64_t magnitude = bits & ((uint64_t{1} << (width - 1)) - 1);
    const uint64_t infinity = ((uint64_t{1} << format.exponent) - 1) << format.mantissa;
    const uint64_t normal = key.type == kF16 ? 1 : uint64_t{1} << format.mantissa;
    worth = negative ? -static_cast<__int128>(magnitude) - 1 : static_cast<__int128>(magnitude);
    if (key.merges_zeros && magnitude < normal) worth = 0;
    if (key.merges_nans && magnitude > infinity) worth = static_cast<__int128>(1) << 64;
  } else if (IsSigned(key.type)) {
    worth = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  } else {
    worth = bits;
  }
  return key.descending ? -worth : worth;
}

// Elements with many equal ones, and all that is special.
uint64_t RandomBits(ElementType type, std::mt19937_64& random) {
  const int width = 8 * ElementBytes(type);
  const uint64_t all = ~uint64_t{0} >> (64 - width), sign = uint64_t{1} << (width - 1);
  if (type == kI1) return random() & 1;
  switch (random() % 4) {
    case 0:
      return random() & all;
    case 1:
      return random() % 5 | (random() & sign);
    default:
      break;
  }
  if (!IsFloat(type)) return std::vector<uint64_t>{0, 1, all, sign, sign - 1, sign + 1, 7}[random() % 7];
  const FloatFormat format = FormatOf(type);
  const uint64_t infinity = ((uint64_t{1} << format.exponent) - 1) << format.mantissa;
  const uint64_t magnitudes[] = {0,
                                 1,
                                 (uint64_t{1} << format.mantissa) - 1,
                                 uint64_t{1} << format.mantissa,
                                 infinity,
                                 infinity + 1,
                                 infinity | uint64_t{1} << (format.mantissa - 1),
                                 sign - 1,
                                 infinity - 1,
                                 infinity / 2};
  return magnitudes[random() % std::size(magnitudes)] | (random() & sign);
}

struct Problem {
  SortRequest request;
  std::vector<Bytes> operands;  // by buffer
  std::vector<ElementType> types;
};

std::vector<Bytes> EmptyOutputs(const SortRequest& request) {
  std::vector<Bytes> outputs;
  for (const SortOutput& output : request.outputs)
    outputs.emplace_back(request.outer * request.take * request.inner * ElementBytes(output.type), '\x5a');
  return outputs;
}

std::vector<Bytes> Expected(const Problem& p) {
  const SortRequest& r = p.request;
  std::vector<Bytes> outputs = EmptyOutputs(r);
  for (int64_t row = 0; row < r.outer * r.inner; ++row) {
    auto place = [&](int64_t i, int64_t length) { return (row / r.inner * length + i) * r.inner + row % r.inner; };
    std::vector<int64_t> order(r.length);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      for (const SortKey& key : r.keys) {
        const Bytes& operand = p.operands[key.buffer];
        const int width = ElementBytes(key.type);
        const __int128 x = Worth(BitsAt(operand, place(a, r.length), width), key);
        const __int128 y = Worth(BitsAt(operand, place(b, r.length), width), key);
        if (x != y) return x < y;
      }
      return false;
    });
    for (size_t k = 0; k < outputs.size(); ++k) {
      const SortOutput& output = r.outputs[k];
      const int width = ElementBytes(output.type);
      for (int64_t i = 0; i < r.take; ++i) {
        const uint64_t bits = output.buffer < 0 ? static_cast<uint64_t>(order[i])
                                                : BitsAt(p.operands[output.buffer], place(order[i], r.length), width);
        SetBits(outputs[k], place(i, r.take), width, bits);
      }
    }
  }
  return outputs;
}

// Runs the phases, all tiles of each at once, or one after the other from the last.
std::vector<Bytes> Run(const Problem& p, const Target& target, bool one_at_a_time) {
  const SortPlan plan = PlanSort(p.request, target);
  std::vector<Bytes> outputs = EmptyOutputs(p.request);
  std::vector<void*> buffers;
  for (const Bytes& operand : p.operands) buffers.push_back(const_cast<char*>(operand.data()));
  for (Bytes& output : outputs) buffers.push_back(output.data());
  auto aligned = [](std::vector<std::max_align_t>& memory, int64_t bytes) {
    memory.assign(bytes / sizeof(std::max_align_t) + 8, {});
    std::memset(static_cast<void*>(memory.data()), 0x5a, memory.size() * sizeof(std::max_align_t));
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  };
  std::vector<std::max_align_t> scratch_memory, local_memory;
  void* scratch = aligned(scratch_memory, plan.scratch_bytes);
  for (const SortPhase& phase : plan.phases) {
    TreadleKernel kernel = FindKernel(phase.symbol, target);
    EXPECT_NE(kernel, nullptr) << phase.symbol;
    if (!kernel) return outputs;
    TreadleCallFrame frame{
        buffers.data(), phase.args.data(), aligned(local_memory, phase.local_bytes), scratch, nullptr, 0, phase.tiles};
    for (int64_t tile = phase.tiles; one_at_a_time && tile-- > 0;) {
      frame.tile_begin = tile;
      frame.tile_end = tile + 1;
      EXPECT_EQ(kernel(&frame), TREADLE_KERNEL_OK);
    }
    if (!one_at_a_time) EXPECT_EQ(kernel(&frame), TREADLE_KERNEL_OK);
  }
  return outputs;
}

std::string Describe(const Problem& p, const Target& target) {
  const SortPlan plan = PlanSort(p.request, target);
  std::string text = target.Key() + " " + (plan.phases.empty() ? "nothing" : plan.phases[0].symbol) + " [" +
                     std::to_string(p.request.outer) + ", " + std::to_string(p.request.length) + ", " +
                     std::to_string(p.request.inner) + "] take " + std::to_string(p.request.take);
  for (const SortKey& key : p.request.keys)
    text += " " + std::string(ElementTypeName(key.type)) + (key.descending ? "-" : "+");
  return text;
}

void Check(const Problem& p) {
  const std::vector<Bytes> expected = Expected(p);
  for (const Target& target : Targets()) {
    for (bool one_at_a_time : {false, true}) {
      const std::vector<Bytes> actual = Run(p, target, one_at_a_time);
      for (size_t k = 0; k < expected.size(); ++k) {
        ASSERT_TRUE(actual[k] == expected[k]) << Describe(p, target) << " output " << k;
      }
    }
  }
}

Problem MakeProblem(int64_t outer, int64_t length, int64_t inner, std::vector<ElementType> types, uint64_t seed) {
  std::mt19937_64 random(seed);
  Problem p;
  p.request.outer = outer;
  p.request.length = p.request.take = length;
  p.request.inner = inner;
  p.request.buffers = static_cast<int64_t>(types.size());
  for (ElementType type : types) {
    Bytes bytes(outer * length * inner * ElementBytes(type));
    for (int64_t i = 0; i < outer * length * inner; ++i)
      SetBits(bytes, i, ElementBytes(type), RandomBits(type, random));
    p.operands.push_back(std::move(bytes));
  }
  p.types = std::move(types);
  return p;
}

SortKey KeyOf(int64_t buffer, ElementType type, int variant) {
  return {buffer, type, (variant & 1) != 0, IsFloat(type) && (variant & 2), IsFloat(type) && (variant & 4)};
}

constexpr int64_t kLengths[] = {1,  2,  3,  4,  5,  7,  8,   9,   15,  16,  17,  23,  24,  25,   31,   32,
                                33, 47, 63, 64, 65, 97, 127, 128, 129, 200, 255, 256, 257, 1000, 1025, 5000};

TEST(Sort, KeysAloneOfEveryTypeAndLength) {
  for (ElementType type : kTypes) {
    for (int64_t length : kLengths) {
      for (int64_t outer : {1, 3, 35}) {
        if (outer * length > 20'000) continue;
        const int variant = static_cast<int>(length + outer) % 8;
        Problem p = MakeProblem(outer, length, 1, {type}, length);
        p.request.keys = {KeyOf(0, type, variant)};
        p.request.outputs = {{0, type}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
      }
    }
  }
}

TEST(Sort, EveryVariantOfFloats) {
  for (ElementType type : {kF16, kBF16, kF32, kF64}) {
    for (int variant = 0; variant < 8; ++variant) {
      for (int64_t length : {5, 40, 300}) {
        for (int64_t inner : {1, 5, 20}) {
          Problem p = MakeProblem(3, length, inner, {type}, variant);
          p.request.keys = {KeyOf(0, type, variant)};
          p.request.outputs = {{0, type}};
          ASSERT_NO_FATAL_FAILURE(Check(p));
          p.request.outputs.push_back({-1, kI32});
          ASSERT_NO_FATAL_FAILURE(Check(p));
        }
      }
    }
  }
}

TEST(Sort, NumbersAndPayloadsOfEveryType) {
  for (ElementType type : kTypes) {
    for (int64_t length : kLengths) {
      for (auto [outer, inner] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 3}, {1, 40}, {17, 1}}) {
        if (outer * length * inner > 20'000) continue;
        ElementType payload = kTypes[(length + outer) % std::size(kTypes)];
        Problem p = MakeProblem(outer, length, inner, {payload, type}, length);
        p.request.keys = {KeyOf(1, type, static_cast<int>(length) % 8)};
        p.request.outputs = {{-1, kI32}, {0, payload}, {1, type}, {-1, kU64}, {-1, kU16}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
        p.request.outputs = {{-1, kI32}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
      }
    }
  }
}

TEST(Sort, SeveralKeys) {
  const std::vector<std::vector<ElementType>> lists = {{kI8, kU8},       {kI1, kBF16},
                                                       {kF32, kI32},     {kF16, kI16, kF32},
                                                       {kU8, kF32, kI8}, {kI1, kI8, kU8, kI8, kU8, kI8, kU8, kI1},
                                                       {kI64},           {kBF16, kF16, kI8}};
  for (const std::vector<ElementType>& types : lists) {
    for (int64_t length : {1, 2, 16, 33, 100, 700}) {
      for (int64_t inner : {1, 6}) {
        Problem p = MakeProblem(4, length, inner, types, length);
        for (size_t k = 0; k < types.size(); ++k) {
          p.request.keys.push_back(KeyOf(static_cast<int64_t>(k), types[k], static_cast<int>(length + k) % 8));
          p.request.outputs.push_back({static_cast<int64_t>(k), types[k]});
        }
        ASSERT_TRUE(CanSort(p.request.keys, length));
        ASSERT_NO_FATAL_FAILURE(Check(p));
        p.request.outputs = {{0, types[0]}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
      }
    }
  }
  EXPECT_FALSE(CanSort({KeyOf(0, kF64, 0), KeyOf(1, kI1, 0)}, 10));
  EXPECT_FALSE(CanSort({KeyOf(0, kF32, 0)}, int64_t{1} << 32));
  EXPECT_FALSE(CanSort({}, 10));
}

TEST(Sort, TheFirstOfEachRow) {
  for (ElementType type : {kF32, kBF16, kI8, kI64, kF64, kU32}) {
    for (int64_t length : {1, 2, 10, 33, 100, 130, 1000, 3000}) {
      for (int64_t take : {0, 1, 7, 16, 31, 64, 100, 250, 750, 2999}) {
        if (take > length) continue;
        for (auto [outer, inner] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {9, 1}, {1, 5}}) {
          Problem p = MakeProblem(outer, length, inner, {type}, length + take);
          p.request.take = take;
          p.request.keys = {KeyOf(0, type, static_cast<int>(take + length) % 8)};
          p.request.outputs = {{0, type}, {-1, kI32}};
          ASSERT_NO_FATAL_FAILURE(Check(p));
          p.request.outputs = {{0, type}};
          ASSERT_NO_FATAL_FAILURE(Check(p));
        }
      }
    }
  }
}

// Data that radix sorts and selections may stumble over.
TEST(Sort, Patterns) {
  for (int64_t length : {64, 257, 1024, 1029, 70'000}) {
    for (int pattern = 0; pattern < 7; ++pattern) {
      Problem p = MakeProblem(1, length, 1, {kI32}, 1);
      for (int64_t i = 0; i < length; ++i) {
        const int64_t value[] = {
            i, -i, 42, i % 2, (i * 7919) % length << 16, i < length / 2 ? i : length - i, i < length - 5 ? 42 : 41};
        SetBits(p.operands[0], i, 4, static_cast<uint32_t>(value[pattern]));
      }
      for (int64_t take : {length, int64_t{10}, length / 4, length / 2}) {
        if (length > 60'000 && take > 10 && take < length) continue;
        for (int variant : {0, 1}) {
          p.request.take = take;
          p.request.keys = {KeyOf(0, kI32, variant)};
          p.request.outputs = {{0, kI32}};
          ASSERT_NO_FATAL_FAILURE(Check(p));
          p.request.outputs.push_back({-1, kI32});
          ASSERT_NO_FATAL_FAILURE(Check(p));
        }
      }
    }
  }
}

// Threads share these, unless there are many.
TEST(Sort, LongRows) {
  for (ElementType type : {kF32, kF16, kF64, kU8}) {
    for (auto [outer, length, inner] : std::vector<std::array<int64_t, 3>>{
             {1, 65'535, 1}, {1, 65'536, 1}, {2, 70'001, 1}, {1, 140'000, 1}, {1, 66'000, 3}, {17, 65'536, 1}}) {
      if (outer == 17 && type != kF32) continue;
      Problem p = MakeProblem(outer, length, inner, {type}, length);
      for (int64_t take : {length, length / 2, length - 1}) {
        p.request.take = take;
        p.request.keys = {KeyOf(0, type, take == length ? 6 : 7)};
        p.request.outputs = {{0, type}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
        if (outer > 1 || inner > 1) break;
        p.request.outputs = {{-1, kI32}, {0, type}};
        ASSERT_NO_FATAL_FAILURE(Check(p));
      }
    }
  }
}

// Numbers as programs have them, none of them special: few in their highest bits, and spread.
TEST(Sort, LongRowsOfOrdinaryNumbers) {
  std::mt19937_64 random(1);
  for (int kind = 0; kind < 4; ++kind) {
    Problem p = MakeProblem(1, 100'000, 1, {kF32, kI64}, 1);
    for (int64_t i = 0; i < 100'000; ++i) {
      const float value = kind == 0   ? std::normal_distribution<float>()(random)
                          : kind == 1 ? std::uniform_real_distribution<float>()(random)
                          : kind == 2 ? static_cast<float>(random() % 10)
                                      : std::exp(4 * std::normal_distribution<float>()(random));
      SetBits(p.operands[0], i, 4, std::bit_cast<uint32_t>(value));
      SetBits(p.operands[1], i, 8, static_cast<uint64_t>(static_cast<int64_t>(value * 1e6F)));
    }
    p.request.keys = {KeyOf(0, kF32, 6)};
    p.request.outputs = {{0, kF32}};
    ASSERT_NO_FATAL_FAILURE(Check(p));
    p.request.keys = {KeyOf(1, kI64, 0)};
    p.request.outputs = {{0, kF32}, {1, kI64}};
    ASSERT_NO_FATAL_FAILURE(Check(p));
  }
}

TEST(Sort, NothingToDo) {
  SortRequest request;
  request.keys = {{}};
  request.outputs = {{0, kF32}};
  request.outer = 0;
  EXPECT_TRUE(PlanSort(request, Target()).phases.empty());
  request.outer = 1;
  request.take = 0;
  EXPECT_TRUE(PlanSort(request, Target()).phases.empty());
}

}  // namespace
}  // namespace treadle::kernels::sort
