// Random numbers. rng_bit_generator gives the bits that jaxlib gives.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

using stablehlo::RngAlgorithm;
using Block = std::array<uint32_t, 4>;

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// Philox 4x32 with 10 rounds: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
Block Philox(Block x, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{x[0]} * 0xD2511F53u;
    const uint64_t second = uint64_t{x[2]} * 0xCD9E8D57u;
    x = {High(second) ^ x[1] ^ key0, Low(second), High(first) ^ x[3] ^ key1, Low(first)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// Threefry 2x32 with 20 rounds, of the same paper.
std::array<uint32_t, 2> Threefry(uint32_t x0, uint32_t x1, uint32_t key0, uint32_t key1) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDAu};
  x0 += keys[0];
  x1 += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int i = 0; i < 4; ++i) {
      x0 += x1;
      x1 = std::rotl(x1, kRotations[(group % 2) * 4 + i]) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

// The state as 64-bit words: two or three of ui64, or pairs of ui32, the low half first.
std::vector<uint64_t> ReadState(const Tensor& state) {
  std::vector<uint64_t> words;
  const bool halves = ElementBits(state.element_type()) == 32;
  for (int64_t i = 0; i < state.size(); ++i) {
    const auto word = static_cast<uint64_t>(state.Get(i).integer);
    if (!halves) {
      words.push_back(word);
    } else if (i % 2 == 0) {
      words.push_back(Low(word));
    } else {
      words.back() |= word << 32;
    }
  }
  return words;
}

Tensor WriteState(Tensor state, const std::vector<uint64_t>& words) {
  const bool halves = ElementBits(state.element_type()) == 32;
  for (int64_t i = 0; i < state.size(); ++i) {
    const uint64_t word = words[halves ? i / 2 : i];
    state.Set(i, Element::OfInteger(static_cast<int64_t>(!halves ? word : i % 2 == 0 ? Low(word) : High(word))));
  }
  return state;
}

// The bits of an element: of floats that many random bits in their format.
void SetBits(Tensor& tensor, int64_t place, uint64_t bits) {
  const ElementType type = tensor.element_type();
  const uint64_t mask = ~uint64_t{0} >> (64 - ElementBits(type));
  tensor.Set(place, IsFloat(type) ? Element::OfFloat(FromBits(bits & mask, type))
                                  : Element::OfInteger(static_cast<int64_t>(bits & mask)));
}

// Blocks of four words, one a value of the counter of 128 bits, one after another. state: {key, low}, whose high half
// is the key again, or {key, low, high}.
void PhiloxBits(std::vector<uint64_t>& state, Tensor& output) {
  const uint64_t key = state[0];
  const bool wide = ElementBits(output.element_type()) == 64;
  const int64_t per_block = wide ? 2 : 4;
  uint64_t low = state[1];
  uint64_t high = state.size() > 2 ? state[2] : state[0];
  for (int64_t place = 0; place < output.size(); place += per_block) {
    const Block block = Philox({Low(low), High(low), Low(high), High(high)}, Low(key), High(key));
    for (int64_t i = 0; i < per_block && place + i < output.size(); ++i) {
      SetBits(output, place + i, wide ? Join(block[2 * i], block[2 * i + 1]) : block[i]);
    }
    if (++low == 0) ++high;
  }
  state[1] = low;
  if (state.size() > 2) state[2] = high;
}

// The dimension along which pairs of 32-bit words lie: the first even one, else the longest.
int64_t PairedDimension(llvm::ArrayRef<int64_t> shape) {
  auto even = std::find_if(shape.begin(), shape.end(), [](int64_t size) { return size % 2 == 0; });
  if (even == shape.end()) even = std::max_element(shape.begin(), shape.end());
  return even - shape.begin();
}

// 64 bits are one value of the counter; of two elements of up to 32 bits, neighbours along one dimension, likewise.
void ThreefryBits(std::vector<uint64_t>& state, Tensor& output) {
  const uint64_t key = state[0];
  uint64_t& counter = state[1];
  auto next = [&] {
    const auto words = Threefry(Low(counter), High(counter), Low(key), High(key));
    ++counter;
    return words;
  };
  if (ElementBits(output.element_type()) == 64) {
    for (int64_t i = 0; i < output.size(); ++i) {
      const auto words = next();
      SetBits(output, i, Join(words[0], words[1]));
    }
    return;
  }
  if (output.rank() == 0) return SetBits(output, 0, next()[0]);
  const int64_t along = PairedDimension(output.shape());
  Index half(output.shape());
  half[along] = (half[along] + 1) / 2;
  ForEachIndex(half, [&](const Index& index) {
    const auto words = next();
    Index to = index;
    for (int64_t i = 0; i < 2; ++i) {
      to[along] = 2 * index[along] + i;
      if (to[along] < output.dim(along)) SetBits(output, output.PlaceOf(to), words[i]);
    }
  });
}

StatusOr<Values> EvaluateRngBitGenerator(stablehlo::RngBitGeneratorOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor output, frame.Result(1));
  std::vector<uint64_t> state = ReadState(frame.tensor(0));
  const bool threefry = op.getRngAlgorithm() == RngAlgorithm::THREE_FRY;
  const int width = ElementBits(frame.tensor(0).element_type());
  if (width < 32 || state.size() < 2 || state.size() > (threefry ? 2 : 3)) {
    return InvalidArgument("needs a state of two 64-bit words (PHILOX: or three)");
  }
  if (IsComplex(output.element_type()) || output.element_type() == ElementType::kI1) {
    return Unimplemented("random bits of this element type");
  }
  if (threefry) {
    ThreefryBits(state, output);
  } else {
    PhiloxBits(state, output);
  }
  return Values{WriteState(frame.tensor(0), state), output};
}

// UNIFORM: in [a, b). NORMAL: mean a, standard deviation b. Where the numbers come from is the implementation's: the
// same ones on every call.
StatusOr<Tensor> EvaluateRng(stablehlo::RngOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Tensor result, frame.Result(0, frame.integers(2)));
  if (frame.tensor(0).size() != 1 || frame.tensor(1).size() != 1) return InvalidArgument("needs scalar parameters");
  const ElementType type = result.element_type();
  const Element a = frame.tensor(0).Get(0);
  const Element b = frame.tensor(1).Get(0);
  std::mt19937_64 bits(0);
  for (int64_t i = 0; i < result.size(); ++i) {
    if (op.getRngDistribution() == stablehlo::RngDistribution::NORMAL) {
      result.Set(i, FloatElement(std::normal_distribution<double>(a.real, b.real)(bits), type));
    } else if (IsFloat(type)) {
      const double value = Round(a.real + (b.real - a.real) * std::uniform_real_distribution<double>()(bits), type);
      result.Set(i, Element::OfFloat(value < b.real ? value : a.real));  // rounding may reach b
    } else {
      const auto range = static_cast<uint64_t>(b.integer) - static_cast<uint64_t>(a.integer);
      const uint64_t offset = range == 0 ? 0 : bits() % range;
      result.Set(i, Element::OfInteger(static_cast<int64_t>(static_cast<uint64_t>(a.integer) + offset)));
    }
  }
  return result;
}

}  // namespace

void AddRandom(Evaluators& evaluators) {
  evaluators.Add(&EvaluateRngBitGenerator);
  evaluators.Add(&EvaluateRng);
}

}  // namespace treadle::interpreter
