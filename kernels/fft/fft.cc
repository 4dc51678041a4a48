#include "kernels/fft/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/fft/fft_args.h"
#include "kernels/fft/roots.h"

namespace treadle::kernels::fft {
namespace {

constexpr int64_t kLocalBytes = 256 << 10;  // of a transform's planes that stay in L2
constexpr int64_t kLeastRows = 128;         // numbers of a transform that is worth two steps
constexpr int64_t kTileNumbers = 8 << 10;   // complex numbers that a tile works on
constexpr int64_t kChunk = 4096;            // numbers of a row that are unpacked together
constexpr int64_t kMostLanes = 64;          // kMaxLanes of planes.h
constexpr double kMostPadding = 1.4;        // work on lanes that there are not, as a factor

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// Roots of unity for all phases; each part of it starts at an offset, in elements.
class Table {
 public:
  int64_t size() const { return static_cast<int64_t>(numbers_.size()); }
  void Add(Number z) {
    numbers_.push_back(static_cast<double>(z.real()));
    numbers_.push_back(static_cast<double>(z.imag()));
  }
  // `rows` x `lanes` numbers as a plane of real parts, then one of imaginary ones.
  template <typename Fn>
  void AddPlanes(int64_t rows, int64_t lanes, Fn number) {
    const size_t at = numbers_.size(), plane = static_cast<size_t>(rows * lanes);
    numbers_.resize(at + 2 * plane);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t l = 0; l < lanes; ++l) {
        const Number z = number(r, l);
        numbers_[at + r * lanes + l] = static_cast<double>(z.real());
        numbers_[at + plane + r * lanes + l] = static_cast<double>(z.imag());
      }
    }
  }
  template <typename T>
  std::string Bytes() const {
    std::vector<T> rounded(numbers_.begin(), numbers_.end());
    return {reinterpret_cast<const char*>(rounded.data()), rounded.size() * sizeof(T)};
  }

 private:
  std::vector<double> numbers_;
};

Chain MakeChain(int64_t count, Table& table) {
  Chain chain = {.count = count, .table = table.size()};
  int64_t left = count;
  for (int64_t radix : FactorsOf(count).radices) {
    chain.radix[chain.passes++] = radix;
    for (int64_t p = 0; p < left / radix; ++p) {
      for (int64_t k = 1; k < radix; ++k) table.Add(Root(p * k, left));
    }
    left /= radix;
  }
  return chain;
}

// The least product of 2, 3 and 5 from `least` on.
int64_t GoodCount(int64_t least) {
  int64_t best = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)));
  for (int64_t fives = 1; fives < best; fives *= 5) {
    for (int64_t odd = fives; odd < best; odd *= 3) {
      const int64_t count = odd * static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(CeilDiv(least, odd))));
      best = std::min(best, count);
    }
  }
  return best;
}

Core MakeCore(int64_t count, Table& table) {
  if (FactorsOf(count).ok) return {.count = count, .chirp = -1, .kernel = -1, .chain = MakeChain(count, table)};
  // jk = (j^2 + k^2 - (k - j)^2) / 2.
  const auto chirp = [&](int64_t j) {
    return Root(static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * count)), 2 * count);
  };
  Core core = {.count = count, .chirp = table.size()};
  for (int64_t j = 0; j < count; ++j) table.Add(chirp(j));
  const int64_t whole = GoodCount(2 * count - 1);
  std::vector<Number> other(whole);
  for (int64_t j = 0; j < count; ++j) other[j] = other[(whole - j) % whole] = std::conj(chirp(j));
  core.kernel = table.size();
  for (Number z : Transformed(std::move(other))) table.Add(z / static_cast<long double>(whole));
  core.chain = MakeChain(whole, table);
  return core;
}

// n1 * n2, of which as few lanes as possible are idle when either is done by vectors of `lanes`.
struct Division {
  int64_t n1 = 1, n2 = 1;
  double padding = 1e9;
};

Division Divide(int64_t count, int64_t lanes, bool whole_vectors) {
  Division best;
  double best_cost = 1e9;
  for (int64_t n1 = 2; n1 * n1 <= count; ++n1) {
    if (count % n1 != 0) continue;
    const int64_t n2 = count / n1;
    if (whole_vectors && (n1 % lanes != 0 || n2 % lanes != 0)) continue;
    const double padding = (static_cast<double>(RoundUp(n1, lanes)) / static_cast<double>(n1) +
                            static_cast<double>(RoundUp(n2, lanes)) / static_cast<double>(n2)) /
                           2;
    const double cost = padding * (1 + 0.02 * std::log2(static_cast<double>(n2) / static_cast<double>(n1)));
    if (cost < best_cost) {
      best_cost = cost;
      best = {n1, n2, padding};
    }
  }
  return best;
}

class Planner {
 public:
  Planner(const FftRequest& request, const executable::Target& target)
      : request_(request),
        bytes_(ElementBytes(request.type)),
        vector_(target.vector_bytes() / bytes_),
        real_(request.kind == FftKind::kRealInput || request.kind == FftKind::kRealResult),
        halves_(real_ && request.n % 2 == 0),
        inverse_(request.kind == FftKind::kInverse || request.kind == FftKind::kRealResult),
        count_(halves_ ? request.n / 2 : request.n),
        transforms_(request.outer * request.inner),
        speed_(static_cast<double>(vector_)) {}

  FftPlan Plan() {
    if (transforms_ == 0 || request_.n == 0) return {};
    const bool divisible = request_.inner == 1 && FactorsOf(count_).ok && (halves_ || !real_);
    const bool few = transforms_ < vector_ && count_ >= 4 * vector_;
    const bool fits = 4 * count_ * bytes_ <= kLocalBytes;
    if (divisible && fits && (count_ >= kLeastRows || few)) {
      const Division division = Divide(count_, vector_, halves_);
      if (division.padding <= kMostPadding) {
        PlanRows(division);
        return Finish();
      }
    }
    if (divisible && !fits) {
      const Division division = Divide(count_, 1, false);
      if (division.n1 >= vector_ / 2) {
        PlanSteps(division);
        return Finish();
      }
    }
    PlanLanes();
    return Finish();
  }

 private:
  FftPlan Finish() {
    if (table_.size() == 0) table_.Add(1);  // there is always a table
    plan_.table = request_.type == ElementType::kF64 ? table_.Bytes<double>() : table_.Bytes<float>();
    return std::move(plan_);
  }

  uint64_t Scale() const { return std::bit_cast<uint64_t>(inverse_ ? 1 / static_cast<double>(count_) : 1.0); }

  Form FormOf() const {
    if (!real_) return kComplex;
    if (request_.kind == FftKind::kRealInput) return halves_ ? kHalvedInput : kRealParts;
    return halves_ ? kHalvedResult : kRealOut;
  }

  // exp(-2 pi i k / n) for k < n / 2: what halves are unpacked with.
  int64_t Unpacking() {
    const int64_t at = table_.size();
    for (int64_t k = 0; k < count_; ++k) table_.Add(Root(k, request_.n));
    return at;
  }

  int64_t CostNs(double transforms, double count) const {
    const double flops = 5 * count * std::log2(std::max(count, 2.0)) + 20 * count;
    return static_cast<int64_t>(transforms * flops / speed_) + 100;
  }

  template <typename Args>
  FftPhase& AddPhase(const char* kernel, const Args& args, int64_t tiles, int64_t local_bytes, int64_t cost_ns) {
    FftPhase& phase = plan_.phases.emplace_back();
    phase.symbol = std::string("fft_") + kernel + (request_.type == ElementType::kF64 ? "_f64" : "_f32");
    phase.args.resize(sizeof(Args) / sizeof(uint64_t));
    std::memcpy(phase.args.data(), &args, sizeof(Args));
    phase.tiles = tiles;
    phase.local_bytes = local_bytes;
    phase.cost_ns = cost_ns;
    return phase;
  }

  static int64_t PlaneRows(const Core& core) { return std::max(core.count, core.chain.count) + 1; }

  int64_t GroupOf(const Core& core, int64_t wanted) const {
    const int64_t fit = kLocalBytes / (4 * PlaneRows(core) * bytes_) / vector_ * vector_;
    return std::clamp(std::min(wanted, fit), vector_, kMostLanes);
  }

  void AddLanes(const LanesArgs& args, int64_t transforms) {
    const int64_t tiles = transforms / args.span * CeilDiv(args.span, args.group);
    AddPhase("lanes", args, tiles, 4 * PlaneRows(args.core) * args.group * bytes_,
             CostNs(static_cast<double>(transforms) * (args.core.chirp < 0 ? 1 : 2),
                    static_cast<double>(args.core.chain.count)));
  }

  // Whole transforms side by side.
  void PlanLanes() {
    const Core core = MakeCore(count_, table_);
    LanesArgs args = {.core = core, .form = FormOf(), .swap_in = inverse_, .swap_out = inverse_, .scale = Scale()};
    const bool columns = request_.inner >= vector_;
    const int64_t line = 128 / bytes_;  // two cache lines of columns are fetched at once
    args.group = GroupOf(core, columns ? std::max(line, vector_) : count_ <= 32 ? 4 * vector_ : vector_);
    args.span = columns ? request_.inner : transforms_;
    const int64_t half = request_.n / 2 + 1;  // real kinds: complex numbers of a transform
    const auto place = [&](int64_t buffer, int64_t n) -> Place {
      return {.buffer = buffer,
              .inner = request_.inner,
              .outer_stride = n * request_.inner,
              .lane_stride = 1,
              .stride = request_.inner};
    };
    args.in = place(0, request_.kind == FftKind::kRealResult ? half : request_.n);
    args.out = place(2, request_.kind == FftKind::kRealInput ? half : request_.n);
    args.unpack = halves_ ? Unpacking() : -1;
    args.twiddle = -1;
    AddLanes(args, transforms_);
  }

  // Each transform by itself, its rows and columns as lanes.
  void PlanRows(const Division& division) {
    RowsArgs args = {.form = FormOf(), .swap = inverse_, .scale = Scale(), .rows = transforms_};
    args.first = MakeChain(division.n1, table_);
    args.second = MakeChain(division.n2, table_);
    args.lanes1 = RoundUp(division.n1, vector_);
    args.lanes2 = RoundUp(division.n2, vector_);
    args.tile_rows = std::max<int64_t>(kTileNumbers / count_, 1);
    const int64_t half = 2 * (request_.n / 2 + 1), whole = real_ ? request_.n : 2 * request_.n;
    args.in_stride = request_.kind == FftKind::kRealResult ? half : whole;
    args.out_stride = request_.kind == FftKind::kRealInput ? half : whole;
    args.twiddle = table_.size();
    table_.AddPlanes(division.n1, args.lanes2, [&](int64_t k, int64_t j) { return Root(k * j, count_); });
    args.unpack = halves_ ? Unpacking() : -1;
    AddPhase("rows", args, CeilDiv(transforms_, args.tile_rows), 4 * args.lanes1 * args.lanes2 * bytes_,
             CostNs(static_cast<double>(transforms_), static_cast<double>(count_)));
  }

  // Long transforms in two phases, with all numbers in scratch in between.
  void PlanSteps(const Division& division) {
    const auto [n1, n2, padding] = division;
    const int64_t numbers_bytes = RoundUp(transforms_ * count_ * 2 * bytes_, 64);
    const bool unpacks = request_.kind == FftKind::kRealInput, packs = request_.kind == FftKind::kRealResult;
    plan_.scratch_bytes = (unpacks || packs ? 2 : 1) * numbers_bytes;
    UnpackArgs unpack = {.count = count_,
                         .chunk = kChunk,
                         .chunks = CeilDiv(count_, kChunk),
                         .pack = packs,
                         .unpack = -1,
                         .scratch = numbers_bytes};
    if (unpacks || packs) unpack.unpack = Unpacking();
    const auto add_unpack = [&] {
      AddPhase("unpack", unpack, transforms_ * unpack.chunks, 2 * kChunk * bytes_,
               static_cast<int64_t>(static_cast<double>(transforms_ * count_) * 2));
    };
    if (packs) add_unpack();

    LanesArgs first = {
        .core = MakeCore(n1, table_), .form = kComplex, .swap_in = inverse_, .scale = std::bit_cast<uint64_t>(1.0)};
    first.group = GroupOf(first.core, std::max(128 / bytes_, vector_));
    first.span = n2;
    first.in = {.buffer = packs ? -1 : 0,
                .scratch = packs ? numbers_bytes : 0,
                .inner = n2,
                .outer_stride = count_,
                .lane_stride = 1,
                .stride = n2};
    first.out = {.buffer = -1, .scratch = 0, .inner = n2, .outer_stride = count_, .lane_stride = 1, .stride = n2};
    first.unpack = -1;
    first.twiddle = table_.size();
    first.twiddle_block = std::max<int64_t>(static_cast<int64_t>(std::sqrt(static_cast<double>(n1))), 1);
    first.twiddle_lanes = RoundUp(n2, first.group);
    table_.AddPlanes(CeilDiv(n1, first.twiddle_block), first.twiddle_lanes,
                     [&](int64_t k, int64_t j) { return Root(k * first.twiddle_block * j, count_); });
    table_.AddPlanes(first.twiddle_block, first.twiddle_lanes,
                     [&](int64_t k, int64_t j) { return Root(k * j, count_); });
    AddLanes(first, transforms_ * n2);

    LanesArgs second = {.core = MakeCore(n2, table_), .form = kComplex, .swap_out = inverse_, .scale = Scale()};
    second.group = GroupOf(second.core, vector_);
    second.span = n1;
    second.in = {.buffer = -1, .scratch = 0, .inner = n1, .outer_stride = count_, .lane_stride = n2, .stride = 1};
    second.out = {.buffer = unpacks ? -1 : 2,
                  .scratch = unpacks ? numbers_bytes : 0,
                  .inner = n1,
                  .outer_stride = count_,
                  .lane_stride = 1,
                  .stride = n1};
    second.unpack = second.twiddle = -1;
    AddLanes(second, transforms_ * n1);
    if (unpacks) add_unpack();
  }

  const FftRequest& request_;
  const int64_t bytes_, vector_;
  const bool real_, halves_, inverse_;
  const int64_t count_;  // complex numbers of the transforms that are done
  const int64_t transforms_;
  const double speed_;  // operations a nanosecond
  Table table_;
  FftPlan plan_;
};

}  // namespace

FftPlan PlanFft(const FftRequest& request, const executable::Target& target) { return Planner(request, target).Plan(); }

}  // namespace treadle::kernels::fft
