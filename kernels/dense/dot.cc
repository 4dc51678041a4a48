#include "kernels/dense/dot.h"

#include <algorithm>
#include <cstring>

#include "kernels/dense/dot_args.h"
#include "kernels/dense/dot_parts.h"

namespace treadle::kernels::dense {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

int64_t Elements(const std::vector<DotDim>& dims) {
  int64_t n = 1;
  for (const DotDim& dim : dims) n *= dim.size;
  return n;
}

// The dims of one kind as one operand sees them: neighbours merged where one step leads through both.
class GroupMaker {
 public:
  // `sides`: one a dim, for dims that windows move along; those are not merged with what lies outside of them.
  GroupMaker(Group& group, std::vector<WindowSide>* sides) : group_(group), sides_(sides) { group_ = {}; }

  void Push(int64_t size, int64_t step, WindowSide* side = nullptr) {
    const int64_t last = group_.dims - 1;
    if (side) *side = {-1, 1, 0};
    if (size == 1) return;
    if (!side && last >= 0 && group_.stride[last] == size * step) {
      group_.size[last] *= size;
      group_.stride[last] = step;
      if (!sides_) return;
      for (WindowSide& other : *sides_) {
        if (other.dim == last) other.unit *= size;
      }
      return;
    }
    fits_ = fits_ && group_.dims < kMaxDims;
    if (!fits_) return;
    if (side) side->dim = group_.dims;
    group_.size[group_.dims] = size;
    group_.stride[group_.dims++] = step;
  }

  bool fits() const { return fits_; }

 private:
  Group& group_;
  std::vector<WindowSide>* sides_;
  bool fits_ = true;
};

// `unit` is 2 where the operand is read as the reals of complex elements; `pairs` adds the dim of the two. `windows`:
// the dims that windows move along, and `sides` for what they become in the group.
Status MakeGroup(const std::vector<DotDim>& dims, int64_t DotDim::* stride, int64_t unit, bool pairs, Group& group,
                 const std::vector<size_t>& windows = {}, std::vector<WindowSide>* sides = nullptr) {
  if (sides) sides->assign(windows.size(), {-1, 1, 0});
  GroupMaker maker(group, sides);
  for (size_t d = 0; d < dims.size(); ++d) {
    auto window = std::find(windows.begin(), windows.end(), d);
    maker.Push(dims[d].size, dims[d].*stride * unit,
               window == windows.end() ? nullptr : &(*sides)[window - windows.begin()]);
  }
  if (pairs) maker.Push(2, 1);
  if (!maker.fits())
    return Unimplemented("dot: an operand has more than 6 groups of dimensions of one kind that cannot be merged");
  return OkStatus();
}

bool Contiguous(const Group& group) { return group.dims == 0 || (group.dims == 1 && group.stride[0] == 1); }

ElementType RealPart(ElementType type) {
  return type == ElementType::kC64 ? ElementType::kF32 : type == ElementType::kC128 ? ElementType::kF64 : type;
}

bool Fits16Bits(ElementType type) {
  return type == ElementType::kI16 || (ElementBytes(type) == 1 && (IsInteger(type) || type == ElementType::kI1));
}

bool HasFewerThan64Bits(ElementType type) { return ElementBytes(type) < 8; }

bool KernelFloat(ElementType type) {
  return type == ElementType::kBF16 || type == ElementType::kF16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

// Estimated operations a nanosecond of one thread.
double Speed(ElementType accumulator, const executable::Target& target) {
  double f32 = target.isa == executable::IsaLevel::kV4 ? 100 : target.isa == executable::IsaLevel::kV3 ? 60 : 15;
  switch (accumulator) {
    case ElementType::kF64:
    case ElementType::kI32:
      return f32 / 2;
    case ElementType::kI64:
      return f32 / 8;
    default:
      return f32;
  }
}

const char* KindOf(ElementType real) {
  return real == ElementType::kF32   ? "f32"
         : real == ElementType::kF64 ? "f64"
         : real == ElementType::kI32 ? "i32"
                                     : "i64";
}

DotPhase MakePhase(const char* kernel, const char* kind, const DotArgs& args, int64_t tiles) {
  DotPhase phase;
  phase.symbol = std::string("dot_") + kernel + "_" + kind;
  phase.args.resize(kDotArgsWords);
  std::memcpy(phase.args.data(), &args, sizeof(args));
  phase.tiles = tiles;
  return phase;
}

class Planner {
 public:
  Planner(const DotShape& shape, ElementType lhs, ElementType rhs, ElementType out, const executable::Target& target,
          const DotEpilogue* epilogue)
      : shape_(shape), lhs_(lhs), rhs_(rhs), out_(out), target_(target), epilogue_(epilogue) {}

  StatusOr<DotPlan> Plan() {
    accumulator_ = DotAccumulator(lhs_, rhs_, out_);
    if (accumulator_ == ElementType::kInvalid) {
      return Unimplemented("dot of " + std::string(ElementTypeName(lhs_)) + " and " +
                           std::string(ElementTypeName(rhs_)) + " to " + std::string(ElementTypeName(out_)));
    }
    complex_ = IsComplex(accumulator_);
    real_ = RealPart(accumulator_);
    bytes_ = ElementBytes(real_);
    lanes_ = target_.vector_bytes() / bytes_;
    panel_ = 2 * lanes_;
    // The rows of a register tile, as in micro.h; here only a measure of what is small.
    tile_rows_ = target_.isa == executable::IsaLevel::kV4 ? 14 : 6;
    DropWindows();
    Orient();
    TREADLE_RETURN_IF_ERROR(Describe());
    DotPlan plan;
    if (args_.m * args_.n * args_.batch == 0) return plan;
    order_ = DotSumOrder(Elements(shape_.m), Elements(shape_.n), Elements(shape_.k), accumulator_);
    if (shape_.chains) order_.lanes = 1;
    const bool channels = OfChannels();
    if (!channels) ChoosePairs();
    Order();
    if (channels)
      PlanChannels(plan);
    else if (order_.lanes > 1)
      PlanLanes(plan);
    else
      PlanGemm(plan);
    if (args_.parts > 1) PlanFold(plan);
    return plan;
  }

 private:
  // Whether 16-bit pairs multiply to the same bits.
  void ChoosePairs() {
    if (order_.lanes > 1) return;
    const bool bf16 = lhs_ == ElementType::kBF16 && rhs_ == ElementType::kBF16 && real_ == ElementType::kF32;
    if (bf16 && target_.avx512_bf16 && PrefersBf16Pairs()) kind_ = "bf16";
    if (real_ == ElementType::kI32 && Fits16Bits(lhs_) && Fits16Bits(rhs_))
      kind_ = target_.avx512_vnni ? "i16_vnni" : "i16";
    if (kind_) depth_ = 2;
  }

  // Those that never leave their operand. Where nothing is read, none does.
  void DropWindows() {
    const bool nothing = Elements(shape_.m) * Elements(shape_.k) == 0;
    std::erase_if(shape_.windows, [&](const DotWindow& window) {
      if (nothing) return true;
      const int64_t m = shape_.m[window.m].size, k = shape_.k[window.k].size;
      return window.start >= 0 && window.start + (m - 1) * window.m_step + (k - 1) * window.k_step < window.size;
    });
  }

  // Computes the transposed product where that fills vectors better or writes rows. Complex products never turn: their
  // order of summation would.
  void Orient() {
    if (complex_) return;
    int64_t m = Elements(shape_.m), n = Elements(shape_.n);
    bool free = epilogue_ == nullptr || n == 1;
    bool thin = n < lanes_ && m > n && !shape_.chains && (shape_.windows.empty() || LhsRunsAlongM());
    Group out_m, out_n;
    bool known = MakeGroup(shape_.m, &DotDim::out, 1, false, out_m).ok() &&
                 MakeGroup(shape_.n, &DotDim::out, 1, false, out_n).ok();
    bool columns = known && !shape_.chains && m >= lanes_ && n > 1 && !Contiguous(out_n) && Contiguous(out_m);
    if (!free || !(thin || columns)) return;
    turned_ = true;
    std::swap(shape_.m, shape_.n);
    for (auto* dims : {&shape_.batch, &shape_.m, &shape_.n, &shape_.k}) {
      for (DotDim& dim : *dims) std::swap(dim.lhs, dim.rhs);
    }
    std::swap(lhs_, rhs_);
    std::swap(shape_.lhs_start, shape_.rhs_start);
  }

  bool LhsRunsAlongM() const {
    auto inner = std::find_if(shape_.m.rbegin(), shape_.m.rend(), [](const DotDim& dim) { return dim.size > 1; });
    return inner != shape_.m.rend() && inner->lhs == 1;
  }

  bool WindowedLhs() const { return !shape_.windows.empty() && !turned_; }
  bool WindowedRhs() const { return !shape_.windows.empty() && turned_; }

  // The groups of the operand that windows walk, and the windows over them.
  Status DescribeWindows(int64_t DotDim::* stride, int64_t unit, Group& m_group, Group& k_group) {
    if (shape_.windows.size() > kMaxWindows) return Unimplemented("dot: more than 5 windows");
    std::vector<size_t> m_dims, k_dims;
    std::vector<WindowSide> m_sides, k_sides;
    for (const DotWindow& window : shape_.windows) {
      m_dims.push_back(window.m);
      k_dims.push_back(window.k);
    }
    TREADLE_RETURN_IF_ERROR(MakeGroup(turned_ ? shape_.n : shape_.m, stride, unit, false, m_group, m_dims, &m_sides));
    TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.k, stride, unit, complex_, k_group, k_dims, &k_sides));
    for (const DotWindow& window : shape_.windows) {
      Window& to = args_.window[args_.windows];
      to = {m_sides[args_.windows], k_sides[args_.windows], window.start, window.size};
      to.m.step = window.m_step;
      to.k.step = window.k_step;
      ++args_.windows;
    }
    return OkStatus();
  }

  Status Describe() {
    const int64_t unit = complex_ ? 2 : 1;
    args_.m = Elements(shape_.m);
    args_.n = Elements(shape_.n) * unit;
    args_.k = Elements(shape_.k) * unit;
    args_.batch = Elements(shape_.batch);
    args_.lhs_type = static_cast<int64_t>(lhs_);
    args_.rhs_type = static_cast<int64_t>(rhs_);
    args_.out_type = static_cast<int64_t>(out_);
    args_.lhs_buffer = turned_ ? 1 : 0;
    args_.rhs_buffer = turned_ ? 0 : 1;
    args_.complex_rhs = complex_;
    if (epilogue_) {
      args_.epilogue_buffers = epilogue_->buffers;
      args_.epilogue_args = epilogue_->args;
    }
    args_.copied_lhs = args_.copied_rhs = -1;
    args_.lhs_start = shape_.lhs_start * unit;
    args_.rhs_start = shape_.rhs_start;
    args_.out_start = shape_.out_start * unit;
    if (WindowedLhs()) {
      TREADLE_RETURN_IF_ERROR(DescribeWindows(&DotDim::lhs, unit, args_.lhs_m, args_.lhs_k));
    } else {
      TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.m, &DotDim::lhs, unit, false, args_.lhs_m));
      TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.k, &DotDim::lhs, unit, complex_, args_.lhs_k));
    }
    TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.batch, &DotDim::lhs, unit, false, args_.lhs_batch));
    if (WindowedRhs()) {
      TREADLE_RETURN_IF_ERROR(DescribeWindows(&DotDim::rhs, 1, args_.rhs_n, args_.rhs_k));
    } else {
      TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.k, &DotDim::rhs, 1, false, args_.rhs_k));
      TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.n, &DotDim::rhs, 1, false, args_.rhs_n));
    }
    TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.batch, &DotDim::rhs, 1, false, args_.rhs_batch));
    if (epilogue_) return OkStatus();
    TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.m, &DotDim::out, unit, false, args_.out_m));
    TREADLE_RETURN_IF_ERROR(MakeGroup(shape_.n, &DotDim::out, unit, complex_, args_.out_n));
    return MakeGroup(shape_.batch, &DotDim::out, unit, false, args_.out_batch);
  }

  void Order() {
    args_.parts = order_.parts;
    args_.part_k = order_.part_k * (complex_ ? 2 : 1);
    flops_ = 2.0 * args_.m * args_.n * std::max<int64_t>(args_.k, 1) * args_.batch;
    moved_ = static_cast<double>(args_.batch) *
             (args_.m * args_.k * ElementBytes(lhs_) + args_.k * args_.n * ElementBytes(rhs_) +
              args_.m * args_.n * ElementBytes(out_));
    // A tile is worth 20 us or more; 16 tiles keep 8 threads busy.
    wanted_ = static_cast<int64_t>(std::clamp(std::max(flops_ / 4e6, moved_ / 256e3), 1.0, 16.0));
  }

  int64_t CostNs(double flops, double bytes) const {
    double speed = kind_ ? 2 * Speed(ElementType::kF32, target_) : Speed(real_, target_);
    return static_cast<int64_t>(flops / speed + bytes / 20 + 30.0 * args_.batch + 100);
  }

  // Takes `bytes` of the local memory of a call.
  int64_t Take(int64_t bytes) {
    int64_t at = local_;
    local_ += RoundUp(bytes, 64);
    return at;
  }

  void TakeEpilogue() {
    if (!epilogue_) return;
    args_.local_call = Take((1 + epilogue_->buffers + 6 + epilogue_->args) * 8);
    args_.local_epilogue = Take(epilogue_->local_bytes);
  }

  DotPhase Phase(const char* kernel, int64_t tiles, const char* kind = nullptr) {
    DotPhase phase = MakePhase(kernel, kind ? kind : KindOf(real_), args_, tiles);
    phase.local_bytes = local_;
    return phase;
  }

  // A turned product has an epilogue only where its rows are single elements.
  bool WholeRows() const { return epilogue_ && epilogue_->whole_rows && !turned_; }

  int64_t OutMode() const {
    if (args_.parts > 1) return kOutPartial;
    if (epilogue_) return WholeRows() ? kOutWholeRows : kOutPanels;
    bool rows = args_.out_m.dims <= 1 && Contiguous(args_.out_n);
    return rows && SameInMemory(RealPart(out_), real_) ? kOutDirect : kOutStore;
  }

  // Batches of one tile, where a batch is not worth several.
  void GroupBatches() {
    args_.batch_tile = 1;
    if (args_.m_tiles * args_.n_tiles * args_.parts > 1) return;
    int64_t tiles = static_cast<int64_t>(std::clamp(std::max(flops_ / 4e6, moved_ / 256e3), 1.0, 64.0));
    args_.batch_tile = CeilDiv(args_.batch, std::min(tiles, args_.batch));
  }

  // Whether every batch is one column, and vectors of batches can be read.
  bool OfChannels() const {
    return !turned_ && !complex_ && !epilogue_ && order_.lanes == 1 && args_.n == 1 && args_.batch > 1 &&
           Contiguous(args_.lhs_batch) && Contiguous(args_.rhs_batch) && args_.out_batch.dims <= 1 &&
           SameInMemory(lhs_, real_) && SameInMemory(rhs_, real_);
  }

  void PlanChannels(DotPlan& plan) {
    const bool direct = Contiguous(args_.out_batch) && SameInMemory(out_, real_) && args_.parts == 1;
    args_.out_mode = args_.parts > 1 ? kOutPartial : direct ? kOutDirect : kOutStore;
    args_.batch_tile = std::min<int64_t>(RoundUp(args_.batch, lanes_), kChannelBatches);
    const int64_t groups = CeilDiv(args_.batch, args_.batch_tile) * args_.parts;
    args_.m_tiles = std::clamp<int64_t>(CeilDiv(wanted_, groups), 1, CeilDiv(args_.m, 8));
    if (args_.out_mode == kOutPartial) plan.scratch_bytes = args_.parts * args_.batch * args_.m * bytes_;
    if (!direct) args_.local_out = Take(kChannelPanelRows * args_.batch_tile * bytes_);
    DotPhase phase = Phase("channels", groups * args_.m_tiles);
    phase.cost_ns = CostNs(flops_ * 2, moved_);
    phase.reads_lhs = phase.reads_rhs = true;
    phase.finishes = args_.parts == 1;
    plan.phases.push_back(std::move(phase));
  }

  void PlanLanes(DotPlan& plan) {
    args_.out_mode = OutMode();
    args_.m_tiles = args_.n_tiles = 1;
    GroupBatches();
    args_.pack_lhs = !SameInMemory(lhs_, real_) || WindowedLhs();
    args_.rhs_mode = SameInMemory(rhs_, real_) && !WindowedRhs() ? kRhsDirect : kRhsTile;
    bool direct = !args_.pack_lhs && args_.rhs_mode == kRhsDirect && Contiguous(args_.lhs_k) &&
                  Contiguous(args_.rhs_k) && args_.lhs_m.dims <= 1 && args_.rhs_n.dims <= 1;
    args_.kc = direct ? RoundUp(args_.part_k, 256) : 1024;
    args_.lhs_ld = 1024 + 16;
    args_.local_lhs = Take(args_.m * args_.lhs_ld * bytes_);
    args_.local_rhs = Take(args_.n * args_.lhs_ld * bytes_);
    args_.local_out = Take(args_.m * args_.n * 256);
    TakeEpilogue();
    DotPhase phase = Phase("lanes", args_.parts * CeilDiv(args_.batch, args_.batch_tile));
    phase.cost_ns = CostNs(flops_, moved_);
    phase.reads_lhs = phase.reads_rhs = true;
    phase.finishes = args_.parts == 1;
    plan.phases.push_back(std::move(phase));
  }

  void ChooseOperands() {
    const bool in_place = SameInMemory(rhs_, real_) && !complex_ && !WindowedRhs();
    const bool rows = in_place && args_.rhs_k.dims <= 1 && Contiguous(args_.rhs_n);
    const int64_t row_bytes = (args_.rhs_k.dims == 1 ? std::abs(args_.rhs_k.stride[0]) : 0) * bytes_;
    const bool few_rows = args_.m <= 2 * tile_rows_;
    streams_ = rows && few_rows && row_bytes > 1024 && row_bytes * args_.k > (64 << 10);
    // Rows of a panel that are not next to each other get in each other's way in L1.
    const bool small = row_bytes <= 1024 && args_.k * row_bytes <= (512 << 10) && args_.m <= kTileRowsMax;
    const bool turns = in_place && kind_ == nullptr && args_.rhs_n.dims == 1 && args_.rhs_k.dims == 1 &&
                       Contiguous(args_.rhs_k) && args_.m <= kTurnedRows;
    if (rows && (few_rows || small))
      args_.rhs_mode = kRhsDirect;
    else if (turns)
      args_.rhs_mode = kRhsTurned;
    else
      args_.rhs_mode = PacksInTiles() || WindowedRhs() || Deep() || args_.k == 0 ? kRhsTile : kRhsScratch;

    const bool broadcasts =
        !WindowedLhs() && SameInMemory(RealPart(lhs_), real_) && args_.lhs_m.dims <= 1 && args_.lhs_k.dims <= 1;
    // Rows along k are read where they are. Columns along m are a page apart for every k: copied, unless once is
    // enough.
    const int64_t k_step = args_.lhs_k.dims ? std::abs(args_.lhs_k.stride[0]) * bytes_ : bytes_;
    const bool along_m = !complex_ && depth_ == 1 && RunAlong(args_.lhs_m) > RunAlong(args_.lhs_k);
    const bool far = k_step >= 1024 || (along_m && k_step * args_.k > (32 << 10));
    args_.pack_lhs = !broadcasts || (args_.m > 1 && far && args_.n > panel_);
    args_.lhs_along_m = args_.pack_lhs && along_m;
  }

  // How many elements of a group follow one another in memory.
  static int64_t RunAlong(const Group& group) {
    if (group.dims == 0) return 1;
    return group.stride[group.dims - 1] == 1 ? group.size[group.dims - 1] : 1;
  }

  // Whether every tile packs its own columns of rhs: there is one row of tiles, long enough to keep all threads busy.
  bool PacksInTiles() const {
    return args_.m <= kRowsMax || (args_.m <= kTileRowsMax && CeilDiv(args_.n, panel_) >= 16);
  }

  // Long sums of few columns: what packing rhs costs is little beside what a phase of its own would send through
  // memory.
  bool Deep() const { return args_.k >= 8 * args_.m && args_.n <= 16 * panel_; }

  void ChooseTiles() {
    const int64_t panels = CeilDiv(args_.n, panel_);
    int64_t rows_max = args_.rhs_mode == kRhsTile ? kTileRowsMax : kRowsMax;
    if (args_.out_mode == kOutWholeRows) {
      rows_max = std::clamp((1 << 20) / (panels * panel_ * bytes_), tile_rows_, rows_max);
    }
    args_.m_tiles = CeilDiv(args_.m, rows_max);
    args_.n_tiles =
        args_.out_mode == kOutWholeRows ? 1 : CeilDiv(panels, streams_ || args_.rhs_mode == kRhsTurned ? 32 : 16);
    auto tiles = [&] { return args_.m_tiles * args_.n_tiles * args_.parts * args_.batch; };
    // Prefetchers follow rows best where they are long.
    const int64_t least_streamed = CeilDiv(1536, panel_ * bytes_);
    // A tile of its own would pack the same rhs again.
    const bool one_row_of_tiles = args_.rhs_mode == kRhsTile;
    while (tiles() < wanted_) {
      const int64_t columns = panels / args_.n_tiles;
      // Every tile of columns packs lhs once more.
      const int64_t least = WindowedLhs() || args_.lhs_along_m ? 8 : streams_ ? 2 * least_streamed : 2;
      bool splits_n = args_.out_mode != kOutWholeRows && columns >= least;
      bool splits_m =
          one_row_of_tiles ? Deep() && args_.m / args_.m_tiles >= 192 : args_.m / args_.m_tiles >= 4 * tile_rows_;
      if (splits_n && (columns >= 16 || !splits_m))
        args_.n_tiles = std::min(args_.n_tiles * 2, panels);
      else if (splits_m)
        args_.m_tiles *= 2;
      else
        break;
    }
  }

  void ChooseDepth() {
    // As many rows of rhs at a time as prefetchers follow; more where there is more to do with each.
    const int64_t streamed = args_.m <= 2 ? 8 : args_.m <= 4 ? 16 : 64;
    if (args_.parts > 1)
      args_.kc = streams_ ? streamed : 256;
    else if (streams_)
      args_.kc = streamed;
    else if (args_.rhs_mode == kRhsTurned)
      args_.kc = RoundUp(std::min<int64_t>(std::max<int64_t>(args_.k, 1), 2048), 8);
    else
      args_.kc = RoundUp(std::max<int64_t>(CeilDiv(args_.k, std::max<int64_t>(CeilDiv(args_.k, kDepthMax), 1)), 1), 8);
    if (args_.parts == 1) args_.part_k = RoundUp(std::max<int64_t>(args_.k, 1), args_.kc);
  }

  void PlanGemm(DotPlan& plan) {
    args_.out_mode = OutMode();
    ChooseOperands();
    ChooseTiles();
    ChooseDepth();
    GroupBatches();
    const int64_t panels = CeilDiv(args_.n, panel_);
    const int64_t rows = CeilDiv(args_.m, args_.m_tiles), columns = CeilDiv(panels, args_.n_tiles);
    if (args_.rhs_mode == kRhsScratch) {
      args_.scratch_rhs = 0;
      plan.scratch_bytes = RoundUp(args_.batch * CeilDiv(args_.k, depth_) * panels * panel_ * bytes_, 64);
      args_.group_panels = 8;
      DotPhase pack =
          Phase("pack_rhs", args_.batch * CeilDiv(args_.k, args_.kc) * CeilDiv(panels, args_.group_panels), kind_);
      double bytes = static_cast<double>(args_.batch) * args_.k * args_.n * (ElementBytes(rhs_) + bytes_);
      pack.cost_ns = CostNs(0, bytes * 2);
      pack.reads_rhs = true;
      plan.phases.push_back(std::move(pack));
    }
    if (args_.pack_lhs) {
      args_.lhs_ld = (CeilDiv(args_.kc / depth_ * bytes_, 64) | 1) * (64 / bytes_);  // an odd number of cache lines
      args_.local_lhs = Take(rows * args_.lhs_ld * bytes_);
    }
    if (args_.rhs_mode == kRhsTile) args_.local_rhs = Take(args_.kc / depth_ * columns * panel_ * bytes_);
    if (args_.rhs_mode == kRhsTurned) args_.local_rhs = Take(args_.kc * panel_ * bytes_);
    if (args_.out_mode == kOutPartial) {
      args_.scratch_parts = plan.scratch_bytes;
      plan.scratch_bytes += args_.parts * args_.batch * args_.m * args_.n * bytes_;
    } else if (args_.out_mode != kOutDirect) {
      int64_t fit = kPanelBytes / (rows * panel_ * bytes_);
      args_.group_panels = args_.out_mode == kOutWholeRows ? panels : std::clamp<int64_t>(fit, 1, columns);
      args_.local_out = Take(rows * RoundUp(columns, args_.group_panels) * panel_ * bytes_);
      TakeEpilogue();
    }
    DotPhase phase =
        Phase("gemm", args_.parts * CeilDiv(args_.batch, args_.batch_tile) * args_.n_tiles * args_.m_tiles, kind_);
    phase.cost_ns = CostNs(flops_, moved_);
    phase.reads_lhs = true;
    phase.reads_rhs = args_.rhs_mode != kRhsScratch;
    phase.finishes = args_.parts == 1;
    plan.phases.push_back(std::move(phase));
  }

  void PlanFold(DotPlan& plan) {
    if (order_.lanes > 1) {
      args_.scratch_parts = 0;
      plan.scratch_bytes = args_.parts * args_.batch * args_.m * args_.n * bytes_;
    }
    local_ = 0;
    const bool whole = WholeRows();
    int64_t columns = RoundUp(args_.n, panel_);
    if (!whole) columns = std::min(columns, kPanelBytes / bytes_);
    args_.group_panels = columns / panel_;
    int64_t rows = std::clamp<int64_t>(kPanelBytes / (columns * bytes_), 1, args_.m);
    args_.m_tiles = CeilDiv(args_.m, rows);
    args_.out_mode = epilogue_ ? (whole ? kOutWholeRows : kOutPanels) : kOutStore;
    args_.local_out = Take(rows * columns * bytes_);
    TakeEpilogue();
    DotPhase fold = Phase("fold", args_.batch * args_.m_tiles);
    fold.cost_ns = CostNs(0, static_cast<double>(args_.batch) * args_.m * args_.n * (args_.parts + 1) * bytes_);
    fold.finishes = true;
    plan.phases.push_back(std::move(fold));
  }

  static constexpr int64_t kTurnedRows = 4;     // kWideRows of micro.h
  static constexpr int64_t kRowsMax = 128;      // of a tile: 128 rows of a k block of lhs take a quarter of L2 or less
  static constexpr int64_t kTileRowsMax = 512;  // of a tile that packs its columns of rhs
  static constexpr int64_t kDepthMax = 384;     // of a block of k: 16 columns of rhs and some rows of lhs are in L1

  DotShape shape_;
  ElementType lhs_, rhs_, out_;
  const executable::Target& target_;
  const DotEpilogue* epilogue_;
  ElementType accumulator_ = ElementType::kInvalid, real_ = ElementType::kInvalid;
  bool complex_ = false, turned_ = false;
  const char* kind_ = nullptr;  // of pairs
  int64_t depth_ = 1;           // k that a packed element holds
  bool streams_ = false;        // few rows: rhs is read once, along its rows
  int64_t bytes_ = 0, lanes_ = 0, panel_ = 0, tile_rows_ = 0, local_ = 0, wanted_ = 1;
  double flops_ = 0, moved_ = 0;
  SumOrder order_;
  DotArgs args_ = {};
};

}  // namespace

bool& PrefersBf16Pairs() {
  static bool prefers = [] {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") != 0;
  }();
  return prefers;
}

ElementType DotAccumulator(ElementType lhs, ElementType rhs, ElementType out) {
  auto integer = [](ElementType t) { return IsInteger(t) || t == ElementType::kI1; };
  if (IsComplex(out)) {
    if (!IsComplex(lhs) || !IsComplex(rhs)) return ElementType::kInvalid;
    bool wide = lhs == ElementType::kC128 || rhs == ElementType::kC128 || out == ElementType::kC128;
    return wide ? ElementType::kC128 : ElementType::kC64;
  }
  if (KernelFloat(out)) {
    bool wide = out == ElementType::kF64;
    for (ElementType t : {lhs, rhs}) {
      if (!KernelFloat(t) && !integer(t)) return ElementType::kInvalid;
      wide = wide || t == ElementType::kF64 || (integer(t) && ElementBytes(t) >= 4);
    }
    return wide ? ElementType::kF64 : ElementType::kF32;
  }
  if (!integer(lhs) || !integer(rhs) || !integer(out)) return ElementType::kInvalid;
  if (out == ElementType::kI1 && (lhs != ElementType::kI1 || rhs != ElementType::kI1)) return ElementType::kInvalid;
  return HasFewerThan64Bits(out) ? ElementType::kI32 : ElementType::kI64;
}

SumOrder DotSumOrder(int64_t m, int64_t n, int64_t k, ElementType accumulator) {
  const int64_t lanes = 256 / ElementBytes(RealPart(accumulator));
  SumOrder order;
  order.part_k = std::max<int64_t>(k, 1);
  const int64_t parts = std::min<int64_t>(k / 4096, kMaxParts);
  if (parts > 1 && m * n <= 128 * 128) {
    order.part_k = RoundUp(CeilDiv(k, parts), 256);
    order.parts = CeilDiv(k, order.part_k);
  }
  if (!IsComplex(accumulator) && m * n < 64 && k >= 4 * lanes) order.lanes = lanes;
  return order;
}

bool SameInMemory(ElementType type, ElementType accumulator) {
  if (type == accumulator) return true;
  return (type == ElementType::kU32 && accumulator == ElementType::kI32) ||
         (type == ElementType::kU64 && accumulator == ElementType::kI64);
}

StatusOr<DotPhase> PlanCopy(int buffer, ElementType type, const std::vector<DotDim>& rows,
                            const std::vector<DotDim>& columns, ElementType accumulator, int64_t to) {
  DotArgs args = {};
  args.m = Elements(rows);
  args.k = Elements(columns);
  args.lhs_type = static_cast<int64_t>(type);
  args.rhs_type = args.out_type = static_cast<int64_t>(accumulator);
  args.lhs_buffer = buffer;
  args.copied_lhs = args.copied_rhs = -1;
  args.scratch_rhs = to;
  TREADLE_RETURN_IF_ERROR(MakeGroup(rows, &DotDim::lhs, 1, false, args.lhs_m));
  TREADLE_RETURN_IF_ERROR(MakeGroup(columns, &DotDim::lhs, 1, false, args.lhs_k));
  const double bytes = static_cast<double>(args.m * args.k) * (ElementBytes(type) + ElementBytes(accumulator));
  args.m_tiles = std::clamp<int64_t>(static_cast<int64_t>(bytes / 256e3), 1, std::clamp<int64_t>(args.m / 8, 1, 64));
  DotPhase phase = MakePhase("copy", KindOf(accumulator), args, args.m_tiles);
  phase.cost_ns = static_cast<int64_t>(bytes / 8 + 100);
  phase.reads_lhs = buffer == 0;
  phase.reads_rhs = buffer == 1;
  return phase;
}

StatusOr<DotPlan> PlanDot(const DotShape& shape, ElementType lhs, ElementType rhs, ElementType out,
                          const executable::Target& target, const DotEpilogue* epilogue) {
  return Planner(shape, lhs, rhs, out, target, epilogue).Plan();
}

}  // namespace treadle::kernels::dense
