// The kernels of a dot for one ISA level; compiled once per level with TREADLE_ISA set to its name. What they do is
// decided in dot.cc and told by DotArgs. The order of summation is in dot.h.
#include "executable/kernel_abi.h"
#include "kernels/dense/channels.h"
#include "kernels/dense/dot_args.h"
#include "kernels/dense/dot_isa.h"
#include "kernels/dense/micro.h"
#include "kernels/dense/pack.h"
#include "kernels/dense/pack_windows.h"

namespace treadle::kernels::dense::TREADLE_ISA {
namespace {

constexpr int64_t kPanelBytes = 16 << 10;

// Part `i` of `total` things split evenly in `parts`, the larger parts first.
TREADLE_INLINE Range Split(int64_t total, int64_t parts, int64_t i) {
  int64_t each = total / parts, rest = total % parts;
  int64_t begin = i * each + Min(i, rest);
  return {begin, begin + each + (i < rest ? 1 : 0)};
}

// Bytes of an element, or of half a complex one.
TREADLE_INLINE int64_t PartBytes(int64_t type) {
  auto t = static_cast<ElementType>(type);
  return ElementBytes(t) / (t == ElementType::kC64 || t == ElementType::kC128 ? 2 : 1);
}

// What all kernels of a dot need of their frame.
template <typename K>
struct Dot {
  using T = typename K::Acc;
  using S = typename K::Element;
  static constexpr int64_t kPanel = 2 * kLanes<T>;  // columns of a panel

  explicit Dot(const TreadleCallFrame* frame)
      : frame(frame), args(*reinterpret_cast<const DotArgs*>(frame->args)), local(static_cast<char*>(frame->local)) {}

  const char* Lhs(int64_t batch) const {
    const char* start = args.copied_lhs < 0 ? static_cast<const char*>(frame->buffers[args.lhs_buffer])
                                            : static_cast<const char*>(frame->scratch) + args.copied_lhs;
    return start + (args.lhs_start + OffsetOf(args.lhs_batch, batch)) * lhs_bytes;
  }
  const char* Rhs(int64_t batch) const {
    const char* start = args.copied_rhs < 0 ? static_cast<const char*>(frame->buffers[args.rhs_buffer])
                                            : static_cast<const char*>(frame->scratch) + args.copied_rhs;
    return start + (args.rhs_start + OffsetOf(args.rhs_batch, batch)) * rhs_bytes;
  }
  char* Out(int64_t batch) const {
    return static_cast<char*>(frame->buffers[2]) + (args.out_start + OffsetOf(args.out_batch, batch)) * out_bytes;
  }
  T* Local(int64_t offset) const { return reinterpret_cast<T*>(local + offset); }
  T* Parts(int64_t part, int64_t batch) const {
    return reinterpret_cast<T*>(static_cast<char*>(frame->scratch) + args.scratch_parts) +
           (part * args.batch + batch) * args.m * args.n;
  }
  S* Packed(int64_t offset) const { return reinterpret_cast<S*>(local + offset); }
  S* PackedRhs(int64_t batch, int64_t k0) const {
    int64_t panels = (args.n + kPanel - 1) / kPanel, depth = (args.k + K::kDepth - 1) / K::kDepth;
    return reinterpret_cast<S*>(static_cast<char*>(frame->scratch) + args.scratch_rhs) +
           (batch * depth + k0 / K::kDepth) * panels * kPanel;
  }

  int CallEpilogue(T* panel, int64_t ld, int64_t row0, int64_t col0, int64_t rows, int64_t cols, int64_t batch) const {
    int64_t unit = args.complex_rhs ? 2 : 1;
    auto buffers = reinterpret_cast<void**>(local + args.local_call);
    auto words = reinterpret_cast<uint64_t*>(buffers + 1 + args.epilogue_buffers);
    buffers[0] = panel;
    for (int64_t i = 0; i < args.epilogue_buffers; ++i) buffers[1 + i] = frame->buffers[2 + i];
    int64_t place[6] = {ld / unit, row0, col0 / unit, rows, cols / unit, batch};
    if (args.lhs_buffer == 1) {  // computed transposed: one row that is one column to the outside
      int64_t column[6] = {1, col0, row0, cols, 1, batch};
      memcpy(place, column, sizeof(place));
    }
    for (int i = 0; i < 6; ++i) words[i] = static_cast<uint64_t>(place[i]);
    for (int64_t i = 0; i < args.epilogue_args; ++i) words[6 + i] = frame->args[kDotArgsWords + i];
    TreadleCallFrame call = {buffers, words, local + args.local_epilogue, frame->scratch, nullptr, 0, 1};
    return frame->callbacks[0](&call);
  }

  // Takes a finished panel to where out_mode says: rows [row0, ..) and columns [col0, ..) of `batch`.
  int Finish(T* panel, int64_t ld, int64_t row0, int64_t col0, int64_t rows, int64_t cols, int64_t batch) const {
    if (args.out_mode == kOutPanels || args.out_mode == kOutWholeRows) {
      return CallEpilogue(panel, ld, row0, col0, rows, cols, batch);
    }
    char* out = Out(batch);
    Run m, n;
    int64_t r = 0;
    for (Runs rs(args.out_m, row0, row0 + rows); rs.Next(&m); r += m.count) {
      int64_t c = 0;
      for (Runs cs(args.out_n, col0, col0 + cols); cs.Next(&n); c += n.count) {
        store(panel + r * ld + c, ld, m.count, n.count, out + (m.offset + n.offset) * out_bytes, m.stride,
              n.count == 1 ? 1 : n.stride);
      }
    }
    return TREADLE_KERNEL_OK;
  }

  const TreadleCallFrame* frame;
  const DotArgs& args;
  char* local;
  int64_t lhs_bytes = PartBytes(args.lhs_type), rhs_bytes = ElementBytes(static_cast<ElementType>(args.rhs_type));
  int64_t out_bytes = PartBytes(args.out_type);
  bool windowed_lhs = args.windows > 0 && args.lhs_buffer == 0, windowed_rhs = args.windows > 0 && args.lhs_buffer == 1;
  PackFunction<S> pack_lhs = K::PackFrom(args.lhs_type), pack_rhs = K::PackFrom(args.rhs_type);
  // Packing rhs copies rows as they are.
  bool copies_rhs = !windowed_rhs && args.complex_rhs == 0 && args.rhs_k.dims <= 1 && args.rhs_n.dims == 1 &&
                    args.rhs_n.stride[0] == 1 && pack_rhs == static_cast<PackFunction<S>>(Pack<S, S>);
  StoreFunction<T> store = StoreOf<T>(args.out_type);
};

// Packs rows and columns k of rhs: dst[k][n]. `unit` rows and columns of dst stand for one of the groups.
template <typename K, typename S = typename K::Element>
void PackRhsRegion(const Dot<K>& dot, const char* rhs, PackFunction<S> pack, Range k, Range n, S* dst, int64_t ld,
                   int64_t unit = 1) {
  const DotArgs& args = dot.args;
  if (dot.windowed_rhs)
    PackWindows<S>(args, rhs, dot.rhs_bytes, pack, {args.rhs_k, k, false}, {args.rhs_n, n, true}, dst, ld);
  else
    PackRegion<S>(rhs, dot.rhs_bytes, pack, args.rhs_k, k, args.rhs_n, n, dst, ld, unit);
}

// dst[m][k] of lhs.
template <typename K, typename S = typename K::Element>
void PackLhsRegion(const Dot<K>& dot, const char* lhs, Range m, Range k, S* dst, int64_t ld) {
  const DotArgs& args = dot.args;
  if (dot.windowed_lhs)
    PackWindows<S>(args, lhs, dot.lhs_bytes, dot.pack_lhs, {args.lhs_m, m, true}, {args.lhs_k, k, false}, dst, ld);
  else
    PackRegion<S>(lhs, dot.lhs_bytes, dot.pack_lhs, args.lhs_m, m, args.lhs_k, k, dst, ld);
}

// Packs `k` rows of one panel's columns; columns beyond n are left as they are.
template <typename K>
void PackPanelRows(const Dot<K>& dot, const char* rhs, Range k, Range columns, typename K::Element* dst) {
  using S = typename K::Element;
  constexpr int64_t kPanel = Dot<K>::kPanel;
  const DotArgs& args = dot.args;
  if constexpr (K::kDepth == 1) {
    PackFunction<S> pack = dot.pack_rhs;
    int64_t unit = 1;
    if constexpr (std::is_floating_point_v<S>) {
      if (args.complex_rhs) {
        pack = args.rhs_type == int64_t(ElementType::kC64) ? PackComplex<S, float> : PackComplex<S, double>;
        unit = 2;
      }
    }
    PackRhsRegion<K>(dot, rhs, pack, {k.begin / unit, k.end / unit}, {columns.begin / unit, columns.end / unit}, dst,
                     kPanel, unit);
  } else {
    constexpr int64_t kRows = 16;
    S rows[kRows * kPanel];
    if (columns.end - columns.begin < kPanel) memset(rows, 0, sizeof(rows));
    for (int64_t k0 = k.begin; k0 < k.end; k0 += kRows) {
      const int64_t count = Min(kRows, k.end - k0);
      if (count % 2) memset(rows + count * kPanel, 0, kPanel * sizeof(S));
      PackRhsRegion<K>(dot, rhs, dot.pack_rhs, {k0, k0 + count}, columns, rows, kPanel);
      for (int64_t r = 0; r < count; r += 2, dst += kPanel) {
        for (int64_t c = 0; c < kPanel; c += kLanes<S>) {
          Store<S>(dst + c, (Load<S>(rows + r * kPanel + c) << 16) | (Load<S>(rows + (r + 1) * kPanel + c) & 0xffff));
        }
      }
    }
  }
}

// Panels of rows that are contiguous along n; 8 of them at a time are read from end to end, as prefetchers like it.
template <typename S, int64_t kPanel>
void CopyPanels(const S* src, int64_t step, int64_t kc, int64_t columns, S* dst, int64_t stride) {
  constexpr int64_t kRows = 8, n = kLanes<S>;
  for (int64_t k = 0; k < kc; k += kRows, src += kRows * step, dst += kRows * kPanel) {
    const int64_t rows = Min(kRows, kc - k);
    FetchRows(reinterpret_cast<const char*>(src + 2 * kRows * step), step * sizeof(S), Min(kRows, kc - k - 2 * kRows),
              columns * sizeof(S));
    S* panel = dst;
    for (int64_t c = 0; c < columns; c += kPanel, panel += stride) {
      for (int64_t r = 0; r < rows; ++r) {
        const S* from = src + r * step + c;
        S* to = panel + r * kPanel;
        if (c + kPanel <= columns) {
#pragma clang loop unroll(full)
          for (int64_t v = 0; v < kPanel; v += n) Store<S>(to + v, Load<S>(from + v));
        } else {
          CopyRow<S>(from, columns - c, to);
        }
      }
    }
  }
}

// Some rows of the panels [p0, p1), read from end to end: `read` puts them into row-major blocks of many panels.
template <typename K, typename Read>
void PackWideRows(int64_t n, Range k, int64_t p0, int64_t p1, typename K::Element* dst, int64_t stride, Read read) {
  using S = typename K::Element;
  constexpr int64_t kPanel = Dot<K>::kPanel, kPanels = 16, kRows = 8, kLd = kPanels * kPanel;
  S block[kRows * kLd];
  for (int64_t p = p0; p < p1; p += kPanels, dst += kPanels * stride) {
    const int64_t panels = Min(kPanels, p1 - p), columns = Min((p + panels) * kPanel, n) - p * kPanel;
    for (int64_t kk = k.begin; kk < k.end; kk += kRows) {
      const int64_t rows = Min(kRows, k.end - kk);
      read(Range{kk, kk + rows}, Range{p * kPanel, p * kPanel + columns}, block, kLd);
      for (int64_t i = 0; i < panels; ++i) {
        S* to = dst + i * stride + (kk - k.begin) * kPanel;
        for (int64_t r = 0; r < rows; ++r)
          CopyRow<S>(block + r * kLd + i * kPanel, Min(kPanel, columns - i * kPanel), to + r * kPanel);
      }
    }
  }
}

// Packs rows [k0, k0 + kc) of the panels [p0, p1) of one batch: dst[panel][k][column], columns beyond n are 0.
template <typename K>
void PackPanels(const Dot<K>& dot, const char* rhs, int64_t k0, int64_t kc, int64_t p0, int64_t p1,
                typename K::Element* dst) {
  const DotArgs& args = dot.args;
  constexpr int64_t kPanel = Dot<K>::kPanel;
  const int64_t stride = (kc + K::kDepth - 1) / K::kDepth * kPanel;
  if (p1 * kPanel > args.n) memset(dst + (p1 - 1 - p0) * stride, 0, stride * sizeof(*dst));
  // Where rows are contiguous a few of them at a time are read from end to end, as prefetchers like it.
  if constexpr (K::kDepth == 1) {
    using S = typename K::Element;
    if (dot.windowed_rhs) {
      return PackWideRows<K>(args.n, {k0, k0 + kc}, p0, p1, dst, stride, [&](Range k, Range n, S* to, int64_t ld) {
        PackRhsRegion<K>(dot, rhs, dot.pack_rhs, k, n, to, ld);
      });
    }
    if (dot.copies_rhs) {
      const int64_t step = args.rhs_k.dims == 1 ? args.rhs_k.stride[0] : 0;
      const S* from = reinterpret_cast<const S*>(rhs) + k0 * step + p0 * kPanel;
      return CopyPanels<S, kPanel>(from, step, kc, Min(p1 * kPanel, args.n) - p0 * kPanel, dst, stride);
    }
  }
  const int64_t n_dims = args.rhs_n.dims;
  const bool along_rows = (n_dims == 0 || args.rhs_n.stride[n_dims - 1] == 1);
  const int64_t step = along_rows ? 8 * K::kDepth : kc;
  for (int64_t kk = 0; kk < kc; kk += step) {
    const Range rows = {k0 + kk, k0 + Min(kk + step, kc)};
    for (int64_t p = p0; p < p1; ++p) {
      PackPanelRows(dot, rhs, rows, {p * kPanel, Min((p + 1) * kPanel, args.n)},
                    dst + (p - p0) * stride + kk / K::kDepth * kPanel);
    }
  }
}

// Tiles: (batch, block of kc rows, group of group_panels panels), groups fastest.
template <typename K>
int PackRhsKernel(const TreadleCallFrame* frame) {
  const Dot<K> dot(frame);
  const DotArgs& args = dot.args;
  const int64_t panels = (args.n + dot.kPanel - 1) / dot.kPanel;
  const int64_t groups = (panels + args.group_panels - 1) / args.group_panels;
  const int64_t blocks = (args.k + args.kc - 1) / args.kc;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    int64_t p0 = tile % groups * args.group_panels, batch = tile / groups / blocks;
    int64_t k0 = tile / groups % blocks * args.kc, kc = Min(args.kc, args.k - k0);
    PackPanels(dot, dot.Rhs(batch), k0, kc, p0, Min(p0 + args.group_panels, panels),
               dot.PackedRhs(batch, k0) + p0 * ((kc + K::kDepth - 1) / K::kDepth) * dot.kPanel);
  }
  return TREADLE_KERNEL_OK;
}

// The register tiles that rows are divided in, of equal height but for one row.
template <typename K>
struct RowTiles {
  TREADLE_INLINE explicit RowTiles(int64_t rows)
      : count((rows + kTileRows<K> - 1) / kTileRows<K>), each(rows / count), rest(rows % count) {}
  TREADLE_INLINE int64_t Height(int64_t tile) const { return each + (tile < rest ? 1 : 0); }
  int64_t count, each, rest;
};

// Packs columns along m: for every register tile [k][row].
template <typename K>
void PackLhsAlongM(const Dot<K>& dot, const char* lhs, Range rows, int64_t k0, int64_t kc) {
  using S = typename K::Element;
  const DotArgs& args = dot.args;
  constexpr int64_t n = kLanes<S>, kBlock = 8, kRows = 512, kLd = kRows + 16;
  const RowTiles<K> tiles(rows.end - rows.begin);
  S block[kBlock * kLd];
  for (int64_t k = 0; k < kc; k += kBlock) {
    const int64_t count = Min(kBlock, kc - k);
    const Range ks = {k0 + k, k0 + k + count};
    if (dot.windowed_lhs)
      PackWindows<S>(args, lhs, dot.lhs_bytes, dot.pack_lhs, {args.lhs_k, ks, false}, {args.lhs_m, rows, true}, block,
                     kLd);
    else
      PackRegion<S>(lhs, dot.lhs_bytes, dot.pack_lhs, args.lhs_k, ks, args.lhs_m, rows, block, kLd);
    S* tile = dot.Packed(args.local_lhs);
    const S* from = block;
    for (int64_t t = 0; t < tiles.count; ++t) {
      const int64_t height = tiles.Height(t);
      S *to = tile + k * height, *const end = tile + kc * height;
      for (int64_t i = 0; i < count; ++i, to += height) {
        // What is written beyond the height is written over by the next k, if there is one.
        for (int64_t r = 0; r < height; r += n) {
          if (to + r + n <= end)
            Store<S>(to + r, Load<S>(from + i * kLd + r));
          else
            memcpy(to + r, from + i * kLd + r, Min(n, height - r) * sizeof(S));
        }
      }
      tile = end;
      from += height;
    }
  }
}

template <typename K>
void PackLhs(const Dot<K>& dot, const char* lhs, Range rows, int64_t k0, int64_t kc) {
  using S = typename K::Element;
  const DotArgs& args = dot.args;
  S* dst = dot.Packed(args.local_lhs);
  if constexpr (K::kDepth == 1) {
    if (args.lhs_along_m)
      PackLhsAlongM(dot, lhs, rows, k0, kc);
    else
      PackLhsRegion<K>(dot, lhs, rows, {k0, k0 + kc}, dst, args.lhs_ld);
  } else {
    constexpr int64_t kRows = 16, kColumns = 128, kLd = kColumns + 16;
    S block[kRows * kLd];
    for (int64_t r = rows.begin; r < rows.end; r += kRows, dst += kRows * args.lhs_ld) {
      const int64_t count = Min(kRows, rows.end - r);
      for (int64_t c = 0; c < kc; c += kColumns) {
        const int64_t columns = Min(kColumns, kc - c);
        if (columns < kColumns) memset(block, 0, sizeof(block));
        PackLhsRegion<K>(dot, lhs, {r, r + count}, {k0 + c, k0 + c + columns}, block, kLd);
        for (int64_t i = 0; i < count; ++i) {
          PairAlong(block + i * kLd, (columns + 1) / 2, dst + i * args.lhs_ld + c / 2);
        }
      }
    }
  }
}

// One tile of the product for one batch and part of k: some panels of some rows.
template <typename K>
class Block {
  using T = typename K::Acc;
  using S = typename K::Element;
  static constexpr int64_t kPanel = Dot<K>::kPanel;

 public:
  Block(const Dot<K>& dot, int64_t part, int64_t batch, Range panels, Range rows)
      : dot_(dot),
        args_(dot.args),
        batch_(batch),
        panels_(panels),
        rows_(rows),
        row_count_(rows.end - rows.begin),
        k_begin_(part * args_.part_k),
        k_end_(Min(args_.k, k_begin_ + args_.part_k)) {
    const int64_t columns = panels.begin * kPanel;
    out_group_ = panels.end - panels.begin;
    out_group_stride_ = 0;
    if (args_.out_mode == kOutDirect) {
      out_ld_ = args_.out_m.stride[0];
      out_ = reinterpret_cast<T*>(dot.Out(batch)) + rows.begin * out_ld_ + columns;
    } else if (args_.out_mode == kOutPartial) {
      out_ld_ = args_.n;
      out_ = dot.Parts(part, batch) + rows.begin * out_ld_ + columns;
    } else {
      out_group_ = args_.group_panels;
      out_ld_ = out_group_ * kPanel;
      out_group_stride_ = row_count_ * out_ld_;
      out_ = dot.Local(args_.local_out);
    }
  }

  int Compute() {
    int64_t k0 = k_begin_;
    do {  // once where there is nothing to sum, too
      const int64_t kc = Min(args_.kc, k_end_ - k0);
      tile_.kc = (kc + K::kDepth - 1) / K::kDepth;
      tile_.accumulate = k0 != k_begin_;
      tile_.ldc = out_ld_;
      OpenLhs(k0, kc);
      OpenRhs(k0, kc);
      if (int error = MultiplyPanels(k0, kc)) return error;
      k0 += kc;
    } while (k0 < k_end_);
    return args_.out_mode == kOutWholeRows ? FinishRows() : TREADLE_KERNEL_OK;
  }

 private:
  void OpenLhs(int64_t k0, int64_t kc) {
    const char* lhs = dot_.Lhs(batch_);
    if (args_.pack_lhs) {
      PackLhs(dot_, lhs, rows_, k0, kc);
      tile_.rs = args_.lhs_along_m ? 1 : args_.lhs_ld;
      tile_.cs = args_.lhs_along_m ? row_count_ : 1;
      tile_.a = dot_.Packed(args_.local_lhs);
    } else {
      tile_.rs = args_.lhs_m.stride[0];
      tile_.cs = args_.lhs_k.stride[0];
      tile_.a = reinterpret_cast<const S*>(lhs) + rows_.begin * tile_.rs + k0 * tile_.cs;
    }
  }

  // Sets where the first panel is, how far the next, and the distance of its rows (turned: of its columns).
  void OpenRhs(int64_t k0, int64_t kc) {
    const char* rhs = dot_.Rhs(batch_);
    auto tensor = reinterpret_cast<const S*>(rhs);
    panel_step_ = tile_.kc * kPanel;
    tile_.ldb = kPanel;
    switch (args_.rhs_mode) {
      case kRhsTile:
        PackPanels(dot_, rhs, k0, kc, panels_.begin, panels_.end, dot_.Packed(args_.local_rhs));
        rhs_ = dot_.Packed(args_.local_rhs);
        break;
      case kRhsScratch:
        rhs_ = dot_.PackedRhs(batch_, k0) + panels_.begin * panel_step_;
        break;
      case kRhsTurned:
        tile_.ldb = args_.rhs_n.stride[0];
        panel_step_ = kPanel * tile_.ldb;
        rhs_ = tensor + k0 + panels_.begin * panel_step_;
        break;
      default:
        tile_.ldb = args_.rhs_k.stride[0];
        panel_step_ = kPanel;
        rhs_ = tensor + k0 * tile_.ldb + panels_.begin * kPanel;
    }
  }

  int MultiplyPanels(int64_t k0, int64_t kc) {
    constexpr int64_t n = kLanes<T>;
    const int64_t count = panels_.end - panels_.begin;
    const bool wide = args_.rhs_mode == kRhsDirect && row_count_ <= kWideRows;
    const bool finishes = k0 + kc >= k_end_ && (args_.out_mode == kOutStore || args_.out_mode == kOutPanels);
    for (int64_t p = 0; p < count; ++p) {
      const int64_t group = p / out_group_, in_group = p - group * out_group_;
      const int64_t left = args_.n - (panels_.begin + p) * kPanel;
      tile_.b = rhs_ + p * panel_step_;
      tile_.c = out_ + group * out_group_stride_ + in_group * kPanel;
      const TileShape shape = left >= kPanel ? kTwoFull : left > n ? kTwoMasked : kOneMasked;
      tile_.lanes = left > n ? left - n : left;
      if (wide) {
        const int64_t panels = Min(out_group_ - in_group, count - p);
        kRowTiles<K>[row_count_ - 1](tile_, Min(panels * kPanel, left));
        p += panels - 1;
      } else if (args_.rhs_mode == kRhsTurned)
        MultiplyTurned(k0, kc, panels_.begin + p, shape);
      else
        MultiplyPanel(tile_, shape, args_.rhs_mode != kRhsDirect && p + 1 < count);
      if (finishes && (p + 1 == count || (p + 1) % out_group_ == 0)) {
        const int64_t first = (panels_.begin + group * out_group_) * kPanel;
        const int64_t columns = Min((panels_.begin + p + 1) * kPanel, args_.n) - first;
        int error =
            dot_.Finish(out_ + group * out_group_stride_, out_ld_, rows_.begin, first, row_count_, columns, batch_);
        if (error) return error;
      }
    }
    return TREADLE_KERNEL_OK;
  }

  // All rows of one panel, in register tiles of equal height. Meanwhile the cache lines of the next panel, if it is to
  // be fetched, come into L2, one with every k.
  void MultiplyPanel(Tile<K> tile, TileShape shape, bool fetch_next) {
    const RowTiles<K> tiles(row_count_);
    int64_t lines = fetch_next ? tile.kc * 2 * kVecBytes / 64 : 0;
    tile.ahead = reinterpret_cast<const char*>(fetch_next ? tile.b + panel_step_ : tile.b);
    for (int64_t t = 0; t < tiles.count; ++t) {
      const int64_t count = tiles.Height(t);
      if (args_.lhs_along_m) tile.cs = count;
      tile.ahead_step = lines > 0 ? 64 : 0;
      kTiles<K>.of[count - 1][shape](tile);
      tile.ahead += tile.ahead_step * tile.kc;
      lines -= tile.kc;
      tile.a += count * (args_.lhs_along_m ? tile.kc : tile.rs);
      tile.c += count * tile.ldc;
    }
  }

  // A panel that is no whole one is packed.
  void MultiplyTurned(int64_t k0, int64_t kc, int64_t panel, TileShape shape) {
    if (shape == kTwoFull) {
      if constexpr (K::kDepth == 1) kTurnedTiles<T>[row_count_ - 1](tile_);
      return;
    }
    Tile<K> tile = tile_;
    PackPanels(dot_, dot_.Rhs(batch_), k0, kc, panel, panel + 1, dot_.Packed(args_.local_rhs));
    tile.b = dot_.Packed(args_.local_rhs);
    tile.ldb = kPanel;
    MultiplyPanel(tile, shape, false);
  }

  int FinishRows() {
    const int64_t fit = kPanelBytes / (out_ld_ * int64_t(sizeof(T))), step = fit > 1 ? fit : 1;
    for (int64_t r = 0; r < row_count_; r += step) {
      int error =
          dot_.Finish(out_ + r * out_ld_, out_ld_, rows_.begin + r, 0, Min(step, row_count_ - r), args_.n, batch_);
      if (error) return error;
    }
    return TREADLE_KERNEL_OK;
  }

  const Dot<K>& dot_;
  const DotArgs& args_;
  const int64_t batch_;
  const Range panels_, rows_;
  const int64_t row_count_, k_begin_, k_end_;
  // Panel p of row r is accumulated at out_[p / out_group_ * out_group_stride_ + r * out_ld_ + p % out_group_ *
  // kPanel].
  T* out_;
  int64_t out_ld_, out_group_, out_group_stride_;
  const S* rhs_ = nullptr;
  int64_t panel_step_ = 0;
  Tile<K> tile_ = {};
};

template <typename K>
int GemmKernel(const TreadleCallFrame* frame) {
  const Dot<K> dot(frame);
  const DotArgs& args = dot.args;
  const int64_t panels = (args.n + dot.kPanel - 1) / dot.kPanel;
  const int64_t groups = (args.batch + args.batch_tile - 1) / args.batch_tile;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    int64_t rest = tile;
    Range rows = Split(args.m, args.m_tiles, rest % args.m_tiles);
    rest /= args.m_tiles;
    Range columns = Split(panels, args.n_tiles, rest % args.n_tiles);
    rest /= args.n_tiles;
    int64_t batch = rest % groups * args.batch_tile, batch_end = Min(batch + args.batch_tile, args.batch);
    for (; batch < batch_end; ++batch) {
      if (int error = Block<K>(dot, rest / groups, batch, columns, rows).Compute()) return error;
    }
  }
  return TREADLE_KERNEL_OK;
}

// A pair of vectors, 256 bytes of lanes each: acc[lane] = sum of a * b over every kSumLanes-th element.
template <typename T>
TREADLE_INLINE void MultiplyLanes(const T* a, const T* b, int64_t blocks, T* acc) {
  constexpr int n = kLanes<T>, kVecs = kSumLanes<T> / n, kHalf = kVecs > 8 ? kVecs / 2 : kVecs;
  for (int h = 0; h < kVecs; h += kHalf) {
    Vec<T> sum[kHalf];
#pragma clang loop unroll(full)
    for (int v = 0; v < kHalf; ++v) sum[v] = Load<T>(acc + (h + v) * n);
    for (int64_t k = 0; k < blocks; ++k) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kHalf; ++v) {
        int64_t at = k * kSumLanes<T> + (h + v) * n;
        sum[v] = MulAdd<T>(Load<T>(a + at), Load<T>(b + at), sum[v]);
      }
    }
#pragma clang loop unroll(full)
    for (int v = 0; v < kHalf; ++v) Store<T>(acc + (h + v) * n, sum[v]);
  }
}

// Rows [k0, k0 + kc) of `count` vectors over k as contiguous ones of the compute type, padded with 0 to whole blocks of
// lanes; returns where they are and sets the distance between them. `lhs`: those of lhs, else of rhs.
template <typename T>
const T* LaneRows(const Dot<Plain<T>>& dot, bool lhs, int64_t batch, int64_t k0, int64_t kc, bool direct,
                  int64_t* step) {
  const DotArgs& args = dot.args;
  const char* src = lhs ? dot.Lhs(batch) : dot.Rhs(batch);
  const Group &outer = lhs ? args.lhs_m : args.rhs_n, &inner = lhs ? args.lhs_k : args.rhs_k;
  if (direct && kc % kSumLanes<T> == 0) {
    *step = outer.dims == 1 ? outer.stride[0] : 0;
    return reinterpret_cast<const T*>(src) + k0;
  }
  const int64_t whole = (kc + kSumLanes<T> - 1) / kSumLanes<T> * kSumLanes<T>, ld = args.lhs_ld;
  const Range rows = {0, lhs ? args.m : args.n}, k = {k0, k0 + kc};
  T* local = dot.Local(lhs ? args.local_lhs : args.local_rhs);
  for (int64_t r = 0; r < rows.end; ++r) memset(local + r * ld + kc, 0, (whole - kc) * sizeof(T));
  if (lhs ? dot.windowed_lhs : dot.windowed_rhs)
    PackWindows<T>(args, src, lhs ? dot.lhs_bytes : dot.rhs_bytes, lhs ? dot.pack_lhs : dot.pack_rhs,
                   {outer, rows, true}, {inner, k, false}, local, ld);
  else
    PackRegion<T>(src, lhs ? dot.lhs_bytes : dot.rhs_bytes, lhs ? dot.pack_lhs : dot.pack_rhs, outer, rows, inner, k,
                  local, ld);
  *step = ld;
  return local;
}

template <typename T>
TREADLE_INLINE bool Contiguous(const Group& group) {
  return group.dims == 0 || (group.dims == 1 && group.stride[0] == 1);
}

// Few outputs (m * n small), long k: every output is kSumLanes sums, folded pairwise at the end. Tiles: (part, batch).
template <typename T>
int LanesKernel(const TreadleCallFrame* frame) {
  const Dot<Plain<T>> dot(frame);
  const DotArgs& args = dot.args;
  constexpr int64_t kSums = kSumLanes<T>;
  const bool direct_lhs = !args.pack_lhs && Contiguous<T>(args.lhs_k) && args.lhs_m.dims <= 1;
  const bool direct_rhs = args.rhs_mode == kRhsDirect && Contiguous<T>(args.rhs_k) && args.rhs_n.dims <= 1;
  const int64_t outputs = args.m * args.n;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    const int64_t group = tile % ((args.batch + args.batch_tile - 1) / args.batch_tile);
    const int64_t part = tile / ((args.batch + args.batch_tile - 1) / args.batch_tile);
    const int64_t k_begin = part * args.part_k, k_end = Min(args.k, k_begin + args.part_k);
    for (int64_t batch = group * args.batch_tile; batch < Min((group + 1) * args.batch_tile, args.batch); ++batch) {
      T* sums = dot.Local(args.local_out);
      memset(sums, 0, outputs * 256);
      for (int64_t k0 = k_begin; k0 < k_end;) {
        // The last, broken block of lanes is packed alone where all else is read in place.
        int64_t kc = Min(args.kc, k_end - k0);
        if (kc > kSums) kc -= kc % kSums;
        int64_t a_step, b_step;
        const T* a = LaneRows<T>(dot, true, batch, k0, kc, direct_lhs, &a_step);
        const T* b = LaneRows<T>(dot, false, batch, k0, kc, direct_rhs, &b_step);
        for (int64_t i = 0; i < outputs; ++i) {
          MultiplyLanes<T>(a + i / args.n * a_step, b + i % args.n * b_step, (kc + kSums - 1) / kSums,
                           sums + i * kSums);
        }
        k0 += kc;
      }
      T* result = args.out_mode == kOutPartial ? dot.Parts(part, batch) : sums;
      for (int64_t i = 0; i < outputs; ++i) {
        T* s = sums + i * kSums;
        for (int64_t half = kSums / 2; half > 0; half /= 2) {
          for (int64_t j = 0; j < half; ++j) s[j] += s[j + half];
        }
        result[i] = s[0];
      }
      if (args.out_mode == kOutPartial) continue;
      if (int error = dot.Finish(result, args.n, 0, 0, args.m, args.n, batch)) return error;
    }
  }
  return TREADLE_KERNEL_OK;
}

// Adds the parts of k, neighbours first. Tiles: (batch, rows split in m_tiles).
template <typename T>
int FoldKernel(const TreadleCallFrame* frame) {
  const Dot<Plain<T>> dot(frame);
  const DotArgs& args = dot.args;
  constexpr int64_t n = kLanes<T>;
  T* panel = dot.Local(args.local_out);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    const int64_t batch = tile / args.m_tiles;
    const Range rows = Split(args.m, args.m_tiles, tile % args.m_tiles);
    const int64_t ld = args.group_panels * dot.kPanel;
    for (int64_t c0 = 0; c0 < args.n; c0 += ld) {
      const int64_t cols = Min(ld, args.n - c0);
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        for (int64_t c = 0; c < cols; c += n) {
          const Mask<T> mask(Min(n, cols - c));
          Vec<T> v[kMaxParts];
          for (int64_t p = 0; p < args.parts; ++p) v[p] = mask.Load(dot.Parts(p, batch) + r * args.n + c0 + c);
          for (int64_t left = args.parts; left > 1; left = (left + 1) / 2) {
            for (int64_t p = 0; p < left / 2; ++p) v[p] = v[2 * p] + v[2 * p + 1];
            if (left % 2) v[left / 2] = v[left - 1];
          }
          Store<T>(panel + (r - rows.begin) * ld + c, v[0]);
        }
      }
      if (int error = dot.Finish(panel, ld, rows.begin, c0, rows.end - rows.begin, cols, batch)) return error;
    }
  }
  return TREADLE_KERNEL_OK;
}

// Rows of one tile of dot_channels and, where they are not stored at once, of its panel.
constexpr int64_t kChannelPanelRows = 32;

// Some rows and batches of one part of k.
template <typename T>
void MultiplyChannels(const Dot<Plain<T>>& dot, int64_t part, int64_t batch, int64_t batches, Range rows) {
  const DotArgs& args = dot.args;
  const auto lhs = reinterpret_cast<const T*>(dot.Lhs(batch)), rhs = reinterpret_cast<const T*>(dot.Rhs(batch));
  const bool direct = args.out_mode == kOutDirect;
  T* const out = direct ? reinterpret_cast<T*>(dot.Out(batch)) : dot.Local(args.local_out);
  const int64_t ld = direct ? 0 : args.batch_tile, k_begin = part * args.part_k;
  const int64_t k_end = Min(args.k, k_begin + args.part_k);
  ChannelTile<T> tile = {};
  tile.rhs = rhs;
  int64_t k0 = k_begin;
  do {  // once where there is nothing to sum, too
    const int64_t kc = Min(ChannelTaps::kMost, k_end - k0);
    const ChannelTaps taps(args, k0, k0 + kc);
    tile.accumulate = k0 != k_begin;
    WindowIndex row(args, {args.lhs_m, rows, true}, rows.begin);
    for (int64_t r = rows.begin; r < rows.end; r += kChannelRows) {
      const int64_t count = Min(kChannelRows, rows.end - r);
      for (int64_t i = 0; i < count; ++i) {
        tile.c[i] = out + (direct ? OffsetOf(args.out_m, r + i) : (r + i - rows.begin) * ld);
      }
      MultiplyChannelRows<T>(args, lhs, taps, row, count, batches, tile);
    }
    k0 += kc;
  } while (k0 < k_end);
  if (args.out_mode == kOutPartial) {
    StoreStrided<T, T>(out, ld, rows.end - rows.begin, batches, dot.Parts(part, batch) + rows.begin, 1, args.m);
  } else if (!direct) {
    const int64_t step = args.out_batch.dims == 1 ? args.out_batch.stride[0] : 1;
    int64_t r = 0;
    Run m;
    for (Runs runs(args.out_m, rows.begin, rows.end); runs.Next(&m); r += m.count) {
      dot.store(out + r * ld, ld, m.count, batches, dot.Out(batch) + m.offset * dot.out_bytes,
                m.count == 1 ? ld : m.stride, step);
    }
  }
}

// n is 1, batches are next to each other in lhs and rhs. Tiles: (part of k, group of batches, rows split in m_tiles).
template <typename T>
int ChannelsKernel(const TreadleCallFrame* frame) {
  const Dot<Plain<T>> dot(frame);
  const DotArgs& args = dot.args;
  const int64_t groups = (args.batch + args.batch_tile - 1) / args.batch_tile;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    const Range rows = Split(args.m, args.m_tiles, tile % args.m_tiles);
    const int64_t batch = tile / args.m_tiles % groups * args.batch_tile, part = tile / args.m_tiles / groups;
    const int64_t batches = Min(args.batch_tile, args.batch - batch);
    for (int64_t r = rows.begin; r < rows.end; r += kChannelPanelRows) {
      MultiplyChannels<T>(dot, part, batch, batches, {r, Min(r + kChannelPanelRows, rows.end)});
    }
  }
  return TREADLE_KERNEL_OK;
}

// Copies lhs as m rows of k elements to scratch. Tiles: rows split in m_tiles.
template <typename T>
int CopyKernel(const TreadleCallFrame* frame) {
  const Dot<Plain<T>> dot(frame);
  const DotArgs& args = dot.args;
  T* const to = reinterpret_cast<T*>(static_cast<char*>(frame->scratch) + args.scratch_rhs);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    const Range rows = Split(args.m, args.m_tiles, tile);
    PackRegion<T>(dot.Lhs(0), dot.lhs_bytes, dot.pack_lhs, args.lhs_m, rows, args.lhs_k, {0, args.k},
                  to + rows.begin * args.k, args.k);
  }
  return TREADLE_KERNEL_OK;
}

template <typename K>
constexpr KernelSet kPairSet = {PackRhsKernel<K>, GemmKernel<K>, nullptr, nullptr, nullptr, nullptr};
#if !defined(__AVX512BF16__)
template <typename T>
constexpr KernelSet kSet = {PackRhsKernel<Plain<T>>, GemmKernel<Plain<T>>, LanesKernel<T>,
                            FoldKernel<T>,           ChannelsKernel<T>,    CopyKernel<T>};
#endif

}  // namespace

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
extern const PairKernels kPairKernels = {kPairSet<Bf16Pairs>, kPairSet<Int16Pairs>};
#else
extern const IsaKernels kIsaKernels = {kSet<float>, kSet<double>, kSet<uint32_t>, kSet<uint64_t>, kPairSet<Int16Pairs>};
#endif

}  // namespace treadle::kernels::dense::TREADLE_ISA
