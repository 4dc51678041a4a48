#include "compiler/plan/testing/random_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "compiler/plan/builder.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/narrow_float.h"

namespace treadle::plan {
namespace {

using E = ElementType;

// SplitMix64: the standard library's distributions differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int Below(int n) { return static_cast<int>(Bits() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
  template <class T, size_t n>
  T Pick(const T (&of)[n]) {
    return of[Below(n)];
  }

 private:
  uint64_t state_;
};

constexpr E kIntegers[] = {E::kI8, E::kI16, E::kI32, E::kI64, E::kU8, E::kU16, E::kU32, E::kU64};
constexpr E kFloats[] = {E::kF32, E::kF32, E::kF32, E::kF64, E::kF64, E::kBF16, E::kF16};
constexpr E kNarrowFloats[] = {E::kF8E4M3FN, E::kF8E5M2, E::kF8E4M3FNUZ, E::kF8E3M4, E::kF4E2M1FN, E::kF8E8M0FNU};
constexpr E kNarrowIntegers[] = {E::kI2, E::kI4, E::kU2, E::kU4};

E IntegerOfWidth(int bits) { return bits == 8 ? E::kU8 : bits == 16 ? E::kU16 : bits == 32 ? E::kU32 : E::kU64; }

uint64_t FromDouble(E type, double value) {
  if (type == E::kF64) return std::bit_cast<uint64_t>(value);
  float f = static_cast<float>(value);
  return type == E::kF32 ? std::bit_cast<uint32_t>(f) : FloatToNarrow(type, f);
}

uint64_t RandomValue(Random& random, E type) {
  if (type == E::kI1) return random.Below(2);
  if (!IsFloat(type)) {
    uint64_t bits = random.Bits();
    int choice = random.Below(3);
    return Normalize(type, choice == 0 ? bits : choice == 1 ? bits % 17 : uint64_t{0} - bits % 17);
  }
  switch (random.Below(12)) {
    case 0: {
      constexpr double kSpecial[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 65504, 1e30, -1e10, 1e-30, 0.5};
      return FromDouble(type, random.Pick(kSpecial));
    }
    case 1:
    case 2:
      return FromDouble(type, random.Below(21) - 10);
    case 3:
      return FromDouble(type, std::ldexp(random.Unit() * 2 - 1, random.Below(40) - 10));
    default:
      return FromDouble(type, random.Unit() * 8 - 4);
  }
}

class Generator {
 public:
  Generator(uint64_t seed, const RandomPlanOptions& options)
      : random_(seed), options_(options), b_("random " + std::to_string(seed)) {}

  RandomPlan Run() {
    // Arrays have `rows` rows, three `width`s apart, of which the columns below `columns` are worked on.
    columns_ = random_.Chance(5) ? 8192 * random_.Below(3) + random_.Below(200) : random_.Below(131);
    rows_ = columns_ > 200 ? 1 : 1 + random_.Below(4);
    width_ = std::max<int64_t>(columns_, 8);
    n_ = Push(E::kI64, columns_);
    push_rows_ = Push(E::kI64, rows_);
    pitch_ = Push(E::kI64, 3 * width_);
    last_ = Push(E::kI64, width_ - 1);
    trips_ = Push(E::kI64, random_.Below(6));
    for (int k = 0; k < 3; ++k) {
      E type = AnyType();
      literals_.push_back(Push(type, RandomValue(random_, type)));
    }
    for (int k = 2 + random_.Below(2); k > 0; --k) inputs_.push_back(AddArray(AnyType(), Role::kIn));
    indices_ = AddArray(random_.Chance(50) ? E::kI32 : E::kI64, Role::kIn);
    for (int k = 1 + random_.Below(3); k > 0; --k) AddPhase();
    RandomPlan out;
    out.plan = b_.Finish();
    out.args = std::move(args_);
    out.tiles = std::move(tiles_);
    for (const Buffer& buffer : out.plan.buffers) {
      std::vector<uint8_t>& bytes = out.memory.emplace_back();
      if (buffer.role == Role::kLocal || buffer.role == Role::kScratch) continue;
      int size = ElementBytes(buffer.elt);
      bytes.resize(rows_ * 3 * width_ * size);
      for (size_t at = 0; at < bytes.size(); at += size)
        StoreElement(buffer.elt, &bytes[at], RandomValue(random_, buffer.elt));
    }
    return out;
  }

 private:
  int Push(E type, uint64_t value) {
    args_.push_back(value);
    return b_.AddPush(type);
  }

  uint16_t AddArray(E type, Role role) { return b_.AddBuffer(type, role); }

  E FloatType() {
    return options_.narrow_floats && random_.Chance(20) ? random_.Pick(kNarrowFloats) : random_.Pick(kFloats);
  }
  E IntegerType() {
    return options_.narrow_integers && random_.Chance(20) ? random_.Pick(kNarrowIntegers) : random_.Pick(kIntegers);
  }
  E AnyType() {
    int choice = random_.Below(10);
    return choice == 0 ? E::kI1 : choice < 4 ? IntegerType() : FloatType();
  }

  // Phases. Each writes arrays of its own.
  void AddPhase() {
    tile_ = b_.BeginPhase();
    row_ = tile_;
    bool by_columns = random_.Chance(30);
    if (by_columns) {
      constexpr int64_t kBlock = 37;
      row_ = b_.ConstI64(0);
      lo_ = b_.Mul(tile_, b_.ConstI64(kBlock));
      hi_ = b_.Min(b_.Add(lo_, b_.ConstI64(kBlock)), b_.Push(n_));
      tiles_.push_back((columns_ + kBlock - 1) / kBlock);
    } else {
      lo_ = b_.ConstI64(0);
      hi_ = b_.Push(n_);
      tiles_.push_back(rows_);
    }
    uniform_.clear();
    switch (random_.Below(9)) {
      case 0:
      case 1:
        Map();
        break;
      case 2:
      case 3:
        ReduceThenMap();
        break;
      case 4:
        CarriesInLanes();
        break;
      case 5:
        Branch();
        break;
      case 6:
        ThroughLocal();
        break;
      case 7:
        Scalars();
        break;
      default:
        Transpose();
        break;
    }
    b_.EndPhase();
  }

  // lanes i { outputs[i] = expressions }.
  void Map() {
    index_ = b_.BeginLanes(lo_, hi_, 1 << random_.Below(3));
    for (int k = 1 + random_.Below(2); k > 0; --k) {
      E type = AnyType();
      bool in_place = random_.Chance(30);
      uint16_t out = AddArray(type, in_place ? Role::kInOut : Role::kOut);
      Access place = Place(out, in_place ? 1 : random_.Pick({1, 1, 1, 2, 3, -1}));
      Id value = Expression(type, 2 + random_.Below(3));
      if (in_place) value = BinaryOf(type, b_.Load(place), value);
      b_.Store(place, value);
    }
    EndLanes();
  }

  void EndLanes() {
    index_ = kNone;
    b_.EndLoop();
  }

  // Carries of a reduction that uses the bodies' values, then maybe a map that uses its results.
  void ReduceThenMap() {
    bool in_order = random_.Chance(30), pairwise = !in_order && random_.Chance(25), pair = random_.Chance(25);
    std::vector<E> types{pair ? random_.Pick(kFloats) : AnyType()};
    if (pair) types.push_back(random_.Pick({E::kI32, E::kI64}));
    std::vector<Id> init;
    for (E type : types) init.push_back(b_.Const(type, RandomValue(random_, type)));
    if (random_.Chance(50)) init[0] = b_.Const(types[0], 0);
    Tree tree = pairwise ? Tree::kPairwise : in_order ? Tree::kInOrder : Tree::kLanes;
    index_ = b_.BeginReduce(pairwise ? LoopKind::kFor : LoopKind::kLanes, tree, lo_, hi_, init, 1 << random_.Below(4));
    bool also_stores = random_.Chance(30) && !pairwise;
    std::vector<Id> values{Expression(types[0], 1 + random_.Below(2))};
    if (pair) values.push_back(b_.Convert(types[1], index_));
    if (also_stores) b_.Store(Place(AddArray(types[0], Role::kOut), 1), values[0]);
    index_ = kNone;
    b_.Yield(values);
    b_.BeginCombine();
    if (pair) {
      Id a = b_.Carry(0), x = b_.NewValue(0), k = b_.Carry(1), l = b_.NewValue(1);
      Id greater = b_.Compare(Predicate::kGt, a, x), equal = b_.Compare(Predicate::kEq, a, x);
      Id first =
          b_.Emit(Op::kOr, E::kI1, {greater, b_.Emit(Op::kAnd, E::kI1, {equal, b_.Compare(Predicate::kLt, k, l)})});
      b_.Yield({b_.Select(first, a, x), b_.Select(first, k, l)});
    } else if (in_order) {
      b_.Yield({BinaryOf(types[0], b_.Carry(0), b_.NewValue(0))});
    } else {
      b_.Yield(
          {b_.Binary(random_.Pick({Op::kAdd, Op::kAdd, Op::kMul, Op::kMax, Op::kMin}), b_.Carry(0), b_.NewValue(0))});
    }
    std::vector<Id> results = b_.EndLoop();
    for (size_t k = 0; k < results.size(); ++k) {
      uint16_t out = AddArray(types[k], Role::kOut);
      b_.Store({out, {}, {{tile_, {-1, 1}}}}, results[k]);
      uniform_.push_back(results[k]);
    }
    if (random_.Chance(60)) Map();
  }

  // lanes i { for k, or a while, with carries; its bounds are the same for all lanes }.
  void CarriesInLanes() {
    E type = AnyType();
    uint16_t out = AddArray(type, Role::kOut);
    index_ = b_.BeginLanes(lo_, hi_, 1 << random_.Below(3));
    std::vector<Id> init{Expression(type, 1), b_.Const(E::kI32, 0)};
    std::vector<Id> results;
    switch (random_.Below(3)) {
      case 0: {
        Id k = b_.BeginFor(b_.ConstI64(0), b_.Push(trips_), kNone, init, 1 + random_.Below(2));
        uniform_.push_back(k);
        std::vector<Id> next{BinaryOf(type, b_.Carry(0), Expression(type, 1)),
                             b_.Add(b_.Carry(1), b_.Const(E::kI32, 3))};
        uniform_.clear();
        b_.Yield(next);
        results = b_.EndLoop();
        break;
      }
      case 1: {
        b_.BeginWhile(init);
        b_.BeginCond();
        b_.Yield({b_.Compare(Predicate::kLt, b_.Carry(1), b_.Convert(E::kI32, b_.Push(trips_)))});
        b_.BeginBody();
        std::vector<Id> next{BinaryOf(type, b_.Carry(0), Expression(type, 1)),
                             b_.Add(b_.Carry(1), b_.Const(E::kI32, 1))};
        b_.Yield(next);
        results = b_.EndLoop();
        break;
      }
      default: {
        init.pop_back();
        Id k = b_.BeginReduce(LoopKind::kFor, Tree::kPairwise, b_.ConstI64(0), b_.Push(trips_), init);
        uniform_.push_back(k);
        Id value = Expression(type, 1);
        uniform_.clear();
        b_.Yield({value});
        b_.BeginCombine();
        b_.Yield({BinaryOf(type, b_.Carry(0), b_.NewValue(0))});
        results = b_.EndLoop();
        break;
      }
    }
    b_.Store(Place(out, 1), results[0]);
    EndLanes();
  }

  // if uniform { map } else { map }, with a result.
  void Branch() {
    E type = AnyType();
    const E types[] = {type};
    Id condition = Expression(E::kI1, 1);
    uint16_t out = AddArray(type, Role::kOut);
    b_.BeginIf(condition, types);
    for (bool other : {false, true}) {
      if (other) b_.BeginElse();
      index_ = b_.BeginLanes(lo_, hi_, 2);
      b_.Store(Place(out, 1), Expression(type, 2));
      EndLanes();
      b_.Yield({Expression(type, 1)});
    }
    uniform_.push_back(b_.EndLoop()[0]);
    Map();
  }

  // One loop fills a local array, another reads it from the other end.
  void ThroughLocal() {
    E type = AnyType();
    uint16_t local = b_.AddBuffer(type, Role::kLocal, {static_cast<int16_t>(pitch_), 0});
    index_ = b_.BeginLanes(b_.ConstI64(0), b_.Push(n_), 4);
    b_.Store({local, {}, {{index_, {-1, 1}}}}, Expression(type, 2));
    EndLanes();
    uint16_t out = AddArray(type, Role::kOut);
    index_ = b_.BeginLanes(lo_, hi_, 1 << random_.Below(3));
    Id mirrored = b_.Sub(b_.Sub(b_.Push(n_), b_.ConstI64(1)), index_);
    b_.Store(Place(out, 1), BinaryOf(type, b_.Load({local, {}, {{mirrored, {-1, 1}}}}), Expression(type, 1)));
    EndLanes();
  }

  // No lanes: a for with carries, its results stored.
  void Scalars() {
    E type = AnyType();
    uint16_t out = AddArray(type, Role::kOut), each = AddArray(type, Role::kOut);
    std::vector<Id> init{Expression(type, 2)};
    Id step = random_.Chance(30) ? b_.ConstI64(3) : kNone;
    Id i = b_.BeginFor(lo_, hi_, step, init, 1 + random_.Below(2));
    index_ = i;
    Id next = BinaryOf(type, b_.Carry(0), Expression(type, 1));
    b_.Store(Place(each, 1), next);
    index_ = kNone;
    b_.Yield({next});
    Id result = b_.EndLoop()[0];
    b_.Store({out, {}, {{tile_, {-1, 1}}}}, result);
  }

  // A piece of an input goes transposed through a local array to an output.
  void Transpose() {
    uint16_t in = inputs_[random_.Below(static_cast<int>(inputs_.size()))],
             out = AddArray(b_.buffer_elt(in), Role::kOut);
    uint16_t local = b_.AddBuffer(b_.buffer_elt(in), Role::kLocal, {static_cast<int16_t>(pitch_), 0});
    Id columns = b_.Push(n_);
    // The row as a matrix of two columns, if it has as many.
    Id half = b_.Div(columns, b_.ConstI64(2)), two = b_.ConstI64(2);
    Size one{-1, 1}, pitch{static_cast<int16_t>(pitch_), 0}, size{static_cast<int16_t>(n_), 0};
    b_.AddMove(
        {{in, {}, {{row_, pitch}}}, {local, {}, {}}, {{-1, 2}, one}, {one, size}, {half, two}, random_.Chance(50)});
    b_.AddMove(
        {{local, {}, {}}, {out, {}, {{tile_, pitch}}}, {one, size}, {{-1, 2}, one}, {half, two}, random_.Chance(50)});
    if (tiles_.back() > rows_) tiles_.back() = rows_;
  }

  // Element `index_` of the tile's row, by a stride.
  Access Place(uint16_t buffer, int64_t stride) {
    Access access{buffer, {}, {{row_, {static_cast<int16_t>(pitch_), 0}}}};
    if (stride < 0) access.offset = {static_cast<int16_t>(last_), 0};
    access.terms.push_back({index_, {-1, stride}});
    return access;
  }

  Id Leaf(E type) {
    int choice = random_.Below(10);
    if (index_ != kNone && choice < 6) {
      uint16_t from = inputs_[random_.Below(static_cast<int>(inputs_.size()))];
      if (random_.Chance(15)) return AsType(type, Gathered(from));
      return AsType(type, b_.Load(Place(from, random_.Pick({1, 1, 1, 1, 0, -1, 2, 3}))));
    }
    if (choice < 7 && !uniform_.empty())
      return AsType(type, uniform_[random_.Below(static_cast<int>(uniform_.size()))]);
    if (choice < 8) return AsType(type, b_.Push(literals_[random_.Below(static_cast<int>(literals_.size()))]));
    if (choice < 9 && index_ != kNone) return AsType(type, index_);
    return b_.Const(type, RandomValue(random_, type));
  }

  // An element by an index from memory, clamped.
  Id Gathered(uint16_t from) {
    Id index = b_.Convert(E::kI64, b_.Load(Place(indices_, 1)));
    index = b_.Max(b_.Min(index, b_.Push(last_)), b_.ConstI64(0));
    return b_.Load({from, {}, {{row_, {static_cast<int16_t>(pitch_), 0}}, {index, {-1, 1}}}});
  }

  Id AsType(E type, Id value) { return b_.Convert(type, value); }

  Id WithoutNan(Id value) {
    return b_.Select(b_.Compare(Predicate::kEq, value, value), value,
                     b_.Const(b_.elt(value), FromDouble(b_.elt(value), 1)));
  }

  Id BinaryOf(E type, Id a, Id b) {
    if (type == E::kI1)
      return b_.Binary(random_.Pick({Op::kAnd, Op::kOr, Op::kXor, Op::kAdd, Op::kMul, Op::kMax, Op::kMin}), a, b);
    if (IsFloat(type)) {
      return b_.Binary(
          random_.Pick({Op::kAdd, Op::kAdd, Op::kSub, Op::kMul, Op::kMul, Op::kDiv, Op::kMax, Op::kMin, Op::kRem}), a,
          b);
    }
    return b_.Binary(random_.Pick({Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMax, Op::kMin, Op::kAnd,
                                   Op::kOr, Op::kXor, Op::kShl, Op::kShrL, Op::kShrA}),
                     a, b);
  }

  Id Expression(E type, int depth) {
    if (depth <= 0) return Leaf(type);
    if (random_.Chance(12)) {
      return b_.Select(Expression(E::kI1, depth - 1), Expression(type, depth - 1), Expression(type, depth - 1));
    }
    if (random_.Chance(10)) return AsType(type, Expression(AnyType(), depth - 1));
    if (type == E::kI1) return Truth(depth);
    return IsFloat(type) ? FloatExpression(type, depth) : IntegerExpression(type, depth);
  }

  Id Truth(int depth) {
    if (random_.Chance(20)) return b_.Unary(Op::kNot, Expression(E::kI1, depth - 1));
    if (random_.Chance(20)) return BinaryOf(E::kI1, Expression(E::kI1, depth - 1), Expression(E::kI1, depth - 1));
    E of = AnyType();
    Id a = Expression(of, depth - 1), b = Expression(of, depth - 1);
    if (IsFloat(of) && random_.Chance(15)) return b_.Emit(Op::kIsFinite, E::kI1, {a});
    bool total = IsFloat(of) && random_.Chance(20);
    if (total) a = WithoutNan(a), b = WithoutNan(b);
    return b_.Compare(static_cast<Predicate>(random_.Below(6) % (total ? 4 : 6) + (total ? 6 : 0)), a, b);
  }

  Id FloatExpression(E type, int depth) {
    bool wide = type == E::kF32 || type == E::kF64 || type == E::kBF16 || type == E::kF16;
    int bits = ElementBits(type);
    if (wide && random_.Chance(4)) {  // any bits, flushed
      Id any = b_.Emit(Op::kBitcast, type, {Expression(IntegerOfWidth(bits), depth - 1)});
      return b_.Mul(any, b_.Const(type, FromDouble(type, 1)));
    }
    Id a = Expression(type, depth - 1);
    if (random_.Chance(55)) return BinaryOf(type, a, Expression(type, depth - 1));
    if (random_.Chance(15))
      return b_.Emit(Op::kFma, type, {a, Expression(type, depth - 1), Expression(type, depth - 1)});
    if (random_.Chance(10))
      return b_.Emit(Op::kReducePrecision, type, {a}, (2 + random_.Below(7)) << 8 | random_.Below(20));
    if (options_.math && random_.Chance(60)) {
      Op op = static_cast<Op>(static_cast<int>(Op::kExp) +
                              random_.Below(static_cast<int>(Op::kErfc) - static_cast<int>(Op::kExp) + 1));
      if (op == Op::kPow || op == Op::kAtan2) return b_.Binary(op, a, Expression(type, depth - 1));
      return b_.Unary(op, a);
    }
    return b_.Unary(random_.Pick({Op::kAbs, Op::kNeg, Op::kSign, Op::kFloor, Op::kCeil, Op::kRoundAfz, Op::kRoundEven}),
                    a);
  }

  Id IntegerExpression(E type, int depth) {
    int bits = ElementBits(type);
    if (bits >= 16 && random_.Chance(8)) {
      E from = bits == 64 ? E::kF64 : bits == 32 ? E::kF32 : random_.Pick({E::kF16, E::kBF16});
      return b_.Emit(Op::kBitcast, type, {WithoutNan(Expression(from, depth - 1))});
    }
    Id a = Expression(type, depth - 1);
    if (random_.Chance(4)) return b_.Binary(Op::kPow, a, Expression(type, depth - 1));
    if (random_.Chance(15)) {  // amounts that matter
      Id amount = b_.Const(type, Normalize(type, random_.Below(bits + 2)));
      return b_.Binary(random_.Pick({Op::kShl, Op::kShrL, Op::kShrA}), a, amount);
    }
    if (random_.Chance(60)) return BinaryOf(type, a, Expression(type, depth - 1));
    return b_.Unary(random_.Pick({Op::kNot, Op::kNeg, Op::kAbs, Op::kSign, Op::kPopcnt, Op::kClz}), a);
  }

  Random random_;
  RandomPlanOptions options_;
  Builder b_;
  int64_t columns_, rows_, width_;
  int n_, push_rows_, pitch_, last_, trips_;  // push constants
  std::vector<int> literals_;
  std::vector<uint16_t> inputs_;
  uint16_t indices_;
  std::vector<uint64_t> args_;
  std::vector<int64_t> tiles_;
  // Of the phase that is open: its tile, what it works on, the open lanes' index, values outside of lanes.
  Id tile_ = kNone, row_ = kNone, lo_ = kNone, hi_ = kNone, index_ = kNone;
  std::vector<Id> uniform_;
};

bool IsNan(E type, uint64_t bits) {
  if (!IsFloat(type)) return false;
  if (type == E::kF64) return std::isnan(std::bit_cast<double>(bits));
  return std::isnan(type == E::kF32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : NarrowToFloat(type, bits));
}

}  // namespace

RandomPlan MakeRandomPlan(uint64_t seed, const RandomPlanOptions& options) { return Generator(seed, options).Run(); }

StatusOr<std::vector<std::vector<uint8_t>>> RunPhases(
    const RandomPlan& random, uint64_t split_seed,
    const std::function<Status(int phase, const TreadleCallFrame& frame)>& run) {
  std::vector<std::vector<uint8_t>> memory = random.memory;
  std::vector<void*> buffers;
  for (size_t k = 0; k < memory.size(); ++k) {
    Role role = random.plan.buffers[k].role;
    if (role != Role::kLocal && role != Role::kScratch) buffers.push_back(memory[k].data());
  }
  constexpr int64_t kAlignment = 64;
  auto aligned = [&](std::vector<uint8_t>& bytes, int64_t size) {
    bytes.assign(size + kAlignment, 0xcd);
    return bytes.data() + (kAlignment - reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment) % kAlignment;
  };
  std::vector<uint8_t> local, scratch;
  TreadleCallFrame frame = {.buffers = buffers.data(), .args = random.args.data()};
  frame.local = aligned(local, LocalBytes(random.plan, random.args));
  frame.scratch = aligned(scratch, ScratchBytes(random.plan, random.args));
  Random splits(split_seed);
  for (size_t phase = 0; phase < random.plan.phases.size(); ++phase) {
    std::vector<std::pair<int64_t, int64_t>> ranges{{0, random.tiles[phase]}};
    if (split_seed != 0) {
      ranges.clear();
      for (int64_t begin = 0; begin < random.tiles[phase];) {
        int64_t end = std::min(begin + 1 + splits.Below(3), random.tiles[phase]);
        ranges.insert(ranges.begin() + splits.Below(static_cast<int>(ranges.size()) + 1), {begin, end});
        begin = end;
      }
    }
    for (auto [begin, end] : ranges) {
      frame.tile_begin = begin;
      frame.tile_end = end;
      TREADLE_RETURN_IF_ERROR(run(static_cast<int>(phase), frame));
    }
  }
  return memory;
}

std::string Difference(const RandomPlan& random, const std::vector<std::vector<uint8_t>>& a,
                       const std::vector<std::vector<uint8_t>>& b) {
  for (size_t k = 0; k < a.size(); ++k) {
    E type = random.plan.buffers[k].elt;
    int size = ElementBytes(type);
    for (size_t at = 0; at < a[k].size(); at += size) {
      if (std::memcmp(&a[k][at], &b[k][at], size) == 0) continue;
      uint64_t x = LoadElement(type, &a[k][at]), y = LoadElement(type, &b[k][at]);
      if (IsNan(type, x) && IsNan(type, y)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "buffer %zu, element %zu (%s): %llx and %llx", k, at / size,
                    std::string(ElementTypeName(type)).c_str(), static_cast<unsigned long long>(x),
                    static_cast<unsigned long long>(y));
      return text;
    }
  }
  return "";
}

}  // namespace treadle::plan
