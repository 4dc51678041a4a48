#include "kernels/dense/conv.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/dense/dot_args.h"
#include "kernels/dense/dot_parts.h"

namespace treadle::kernels::dense {
namespace {

// A convolution may be so many products; each has its own push constants.
constexpr int64_t kMaxPieces = 1 << 16;

// Places o = first + i * step of one dimension, and the taps t = first_tap + j * tap_step that meet elements there: the
// element at start + i * place_move + j * tap_move, if there is one.
struct Piece {
  int64_t first = 0, step = 1, places = 0;
  int64_t first_tap = 0, tap_step = 1, taps = 0;
  int64_t start = 0, place_move = 1, tap_move = 1;
};

// The pieces of a dimension: places that are a period of the dilation apart meet the same taps.
std::vector<Piece> PiecesOf(const ConvDim& dim) {
  const int64_t dilation = dim.lhs_dilation;
  const int64_t period = dilation / std::gcd(dilation, dim.stride);
  const int64_t tap_period = dilation / std::gcd(dilation, dim.rhs_dilation);
  std::vector<Piece> pieces;
  for (int64_t first = 0; first < std::min(period, dim.output); ++first) {
    Piece piece;
    piece.first = first;
    piece.step = period;
    piece.places = (dim.output - first + period - 1) / period;
    piece.tap_step = tap_period;
    piece.place_move = period * dim.stride / dilation;
    piece.tap_move = tap_period * dim.rhs_dilation / dilation;
    for (int64_t tap = 0; tap < std::min(tap_period, dim.window); ++tap) {
      const int64_t place = first * dim.stride - dim.low + tap * dim.rhs_dilation;
      if (place % dilation != 0) continue;
      piece.first_tap = tap;
      piece.taps = (dim.window - tap + tap_period - 1) / tap_period;
      piece.start = place / dilation;
      break;
    }
    pieces.push_back(piece);
  }
  return pieces;
}

// Dimensions of one kind with the window's, if any, that moves along each; sorted by how they lie in an operand.
struct Walk {
  DotDim dim;
  int spatial = -1;
};

std::vector<DotDim> Sorted(std::vector<Walk> walks, int64_t DotDim::* stride, std::vector<size_t>& place_of) {
  std::stable_sort(walks.begin(), walks.end(),
                   [&](const Walk& a, const Walk& b) { return std::abs(a.dim.*stride) > std::abs(b.dim.*stride); });
  std::vector<DotDim> dims;
  for (const Walk& walk : walks) {
    if (walk.spatial >= 0) place_of[walk.spatial] = dims.size();
    dims.push_back(walk.dim);
  }
  return dims;
}

// The product that computes the places of one piece of every dimension.
DotShape ProductOf(const ConvShape& conv, const std::vector<Piece>& pieces) {
  const size_t rank = conv.spatial.size();
  DotShape shape;
  shape.batch = {conv.groups};
  shape.n = {conv.out_features};
  std::vector<Walk> places = {{conv.batch}}, taps = {{conv.in_features}};
  shape.windows.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    const ConvDim& dim = conv.spatial[d];
    const Piece& piece = pieces[d];
    const int64_t rhs_step = dim.reversed ? -dim.rhs : dim.rhs;
    const int64_t first_tap = dim.reversed ? dim.window - 1 - piece.first_tap : piece.first_tap;
    places.push_back(
        {{.size = piece.places, .lhs = piece.place_move * dim.lhs, .out = piece.step * dim.out}, static_cast<int>(d)});
    taps.push_back(
        {{.size = piece.taps, .lhs = piece.tap_move * dim.lhs, .rhs = piece.tap_step * rhs_step}, static_cast<int>(d)});
    shape.lhs_start += piece.start * dim.lhs;
    shape.rhs_start += first_tap * dim.rhs;
    shape.out_start += piece.first * dim.out;
    shape.windows[d] = {0, 0, piece.place_move, piece.tap_move, piece.start, dim.input};
  }
  std::vector<size_t> m(rank), k(rank);
  shape.m = Sorted(std::move(places), &DotDim::out, m);
  shape.k = Sorted(std::move(taps), &DotDim::rhs, k);
  for (size_t d = 0; d < rank; ++d) {
    shape.windows[d].m = m[d];
    shape.windows[d].k = k[d];
  }
  return shape;
}

template <typename Change>
void ChangeArgs(DotPhase& phase, Change change) {
  DotArgs args;
  std::memcpy(&args, phase.args.data(), sizeof(args));
  change(args);
  std::memcpy(phase.args.data(), &args, sizeof(args));
}

// First what `all` has, then what packs, last what adds parts; phases of one kernel next to each other, as steps of
// several frames.
DotPlan Together(DotPlan all, std::vector<DotPlan> plans) {
  std::vector<std::pair<int, DotPhase>> phases;
  for (DotPlan& plan : plans) {
    for (DotPhase& phase : plan.phases) {
      ChangeArgs(phase, [&](DotArgs& args) {
        args.scratch_rhs += all.scratch_bytes;
        args.scratch_parts += all.scratch_bytes;
      });
      const bool packs = !phase.reads_lhs && !phase.finishes, folds = !phase.reads_lhs && phase.finishes;
      phases.push_back({packs ? 0 : folds ? 2 : 1, std::move(phase)});
    }
    all.scratch_bytes += plan.scratch_bytes;
  }
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.symbol) < std::tie(b.first, b.second.symbol);
  });
  for (auto& [stage, phase] : phases) {
    phase.with_previous = !all.phases.empty() && all.phases.back().symbol == phase.symbol;
    all.phases.push_back(std::move(phase));
  }
  return all;
}

bool Nothing(const ConvShape& shape) {
  int64_t outputs = shape.groups.size * shape.batch.size * shape.out_features.size;
  for (const ConvDim& dim : shape.spatial) outputs *= dim.output;
  return outputs == 0;
}

StatusOr<std::vector<DotPlan>> PlanPieces(const ConvShape& shape, ElementType lhs, ElementType rhs, ElementType out,
                                          const executable::Target& target, bool chains) {
  std::vector<std::vector<Piece>> pieces;
  int64_t count = 1;
  for (const ConvDim& dim : shape.spatial) {
    pieces.push_back(PiecesOf(dim));
    count *= static_cast<int64_t>(pieces.back().size());
    if (count > kMaxPieces) return Unimplemented("a convolution of more than 65536 products");
  }
  std::vector<DotPlan> plans;
  std::vector<Piece> chosen(shape.spatial.size());
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (size_t d = pieces.size(); d-- > 0; rest /= static_cast<int64_t>(pieces[d].size())) {
      chosen[d] = pieces[d][rest % static_cast<int64_t>(pieces[d].size())];
    }
    DotShape product = ProductOf(shape, chosen);
    product.chains = chains;
    TREADLE_ASSIGN_OR_RETURN(DotPlan plan, PlanDot(product, lhs, rhs, out, target));
    plans.push_back(std::move(plan));
  }
  return plans;
}

// A group that reads one feature: a product of one column for each output feature.
bool Depthwise(const ConvShape& shape, ElementType accumulator) {
  return shape.groups.size > 1 && shape.in_features.size == 1 && !IsComplex(accumulator);
}

// A depthwise convolution whose channels lie next to each other in both operands, which phases copy where they do not.
class DepthwiseOperands {
 public:
  DepthwiseOperands(const ConvShape& shape, ElementType lhs, ElementType rhs, ElementType accumulator)
      : shape_(shape), lhs_(lhs), rhs_(rhs), accumulator_(accumulator), repeats_(shape.out_features.size) {
    shape_.groups.size *= repeats_;
    shape_.groups.rhs = shape.out_features.rhs;
    shape_.groups.out = shape.out_features.out;
    shape_.out_features = {};
  }

  const ConvShape& shape() const { return shape_; }
  ElementType lhs_type() const { return copied_lhs_ >= 0 ? accumulator_ : lhs_; }
  ElementType rhs_type() const { return copied_rhs_ >= 0 ? accumulator_ : rhs_; }

  Status AddCopies(DotPlan& plan) {
    TREADLE_RETURN_IF_ERROR(CopyLhs(plan));
    return CopyRhs(plan);
  }

  void ReadCopies(DotPlan& plan) const {
    for (DotPhase& phase : plan.phases) {
      ChangeArgs(phase, [&](DotArgs& args) {
        args.copied_lhs = copied_lhs_;
        args.copied_rhs = copied_rhs_;
      });
    }
  }

 private:
  Status CopyLhs(DotPlan& plan) {
    if (shape_.groups.lhs == 1 && repeats_ == 1 && SameInMemory(lhs_, accumulator_)) return OkStatus();
    std::vector<DotDim> rows = {{.size = shape_.batch.size, .lhs = shape_.batch.lhs}};
    for (const ConvDim& dim : shape_.spatial) rows.push_back({.size = dim.input, .lhs = dim.lhs});
    const std::vector<DotDim> columns = {{.size = shape_.groups.size / repeats_, .lhs = shape_.groups.lhs},
                                         {.size = repeats_, .lhs = 0}};
    TREADLE_ASSIGN_OR_RETURN(copied_lhs_, Copy(0, lhs_, rows, columns, plan));
    int64_t step = shape_.groups.size;
    shape_.groups.lhs = 1;
    for (size_t d = shape_.spatial.size(); d-- > 0; step *= shape_.spatial[d].input) shape_.spatial[d].lhs = step;
    shape_.batch.lhs = step;
    return OkStatus();
  }

  // The order of the taps in memory stays what it is: sums follow it.
  Status CopyRhs(DotPlan& plan) {
    if (shape_.groups.rhs == 1 && SameInMemory(rhs_, accumulator_)) return OkStatus();
    std::vector<ConvDim*> taps;
    for (ConvDim& dim : shape_.spatial) taps.push_back(&dim);
    std::stable_sort(taps.begin(), taps.end(),
                     [](const ConvDim* a, const ConvDim* b) { return std::abs(a->rhs) > std::abs(b->rhs); });
    std::vector<DotDim> rows;
    for (const ConvDim* dim : taps) rows.push_back({.size = dim->window, .lhs = dim->rhs});
    TREADLE_ASSIGN_OR_RETURN(copied_rhs_,
                             Copy(1, rhs_, rows, {{.size = shape_.groups.size, .lhs = shape_.groups.rhs}}, plan));
    int64_t step = shape_.groups.size;
    shape_.groups.rhs = 1;
    for (size_t d = taps.size(); d-- > 0; step *= taps[d]->window) taps[d]->rhs = step;
    return OkStatus();
  }

  // Returns where the copy is.
  StatusOr<int64_t> Copy(int buffer, ElementType type, const std::vector<DotDim>& rows,
                         const std::vector<DotDim>& columns, DotPlan& plan) const {
    const int64_t to = plan.scratch_bytes;
    int64_t bytes = ElementBytes(accumulator_);
    for (const auto* dims : {&rows, &columns}) {
      for (const DotDim& dim : *dims) bytes *= dim.size;
    }
    plan.scratch_bytes += (bytes + 63) / 64 * 64;
    TREADLE_ASSIGN_OR_RETURN(DotPhase phase, PlanCopy(buffer, type, rows, columns, accumulator_, to));
    phase.with_previous = !plan.phases.empty();
    plan.phases.push_back(std::move(phase));
    return to;
  }

  ConvShape shape_;
  const ElementType lhs_, rhs_, accumulator_;
  const int64_t repeats_;  // output features of a group: so many channels read the same of lhs
  int64_t copied_lhs_ = -1, copied_rhs_ = -1;
};

}  // namespace

SumOrder ConvSumOrder(const ConvShape& shape, int64_t places, int64_t k, ElementType accumulator) {
  if (!Depthwise(shape, accumulator)) return DotSumOrder(places, shape.out_features.size, k, accumulator);
  SumOrder order = DotSumOrder(places, 1, k, accumulator);
  order.lanes = 1;
  return order;
}

StatusOr<DotPlan> PlanConv(const ConvShape& shape, ElementType lhs, ElementType rhs, ElementType out,
                           const executable::Target& target) {
  const ElementType accumulator = DotAccumulator(lhs, rhs, out);
  // Sums of truth values are no product of other types.
  if (out == ElementType::kI1 || accumulator == ElementType::kInvalid || !Depthwise(shape, accumulator) ||
      Nothing(shape)) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<DotPlan> plans, PlanPieces(shape, lhs, rhs, out, target, false));
    return Together(DotPlan(), std::move(plans));
  }
  DepthwiseOperands operands(shape, lhs, rhs, accumulator);
  DotPlan copies;
  TREADLE_RETURN_IF_ERROR(operands.AddCopies(copies));
  TREADLE_ASSIGN_OR_RETURN(std::vector<DotPlan> plans,
                           PlanPieces(operands.shape(), operands.lhs_type(), operands.rhs_type(), out, target, true));
  for (DotPlan& plan : plans) operands.ReadCopies(plan);
  return Together(std::move(copies), std::move(plans));
}

}  // namespace treadle::kernels::dense
