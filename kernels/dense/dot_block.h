// The product itself: panels of rhs times packed rows of lhs, tile by tile. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_DOT_BLOCK_H_
#define TREADLE_KERNELS_DENSE_DOT_BLOCK_H_

#include "kernels/dense/dot_frame.h"
#include "kernels/dense/dot_panels.h"
#include "kernels/dense/pack_lhs.h"

namespace treadle::kernels::dense::TREADLE_ISA {

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

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_DOT_BLOCK_H_
