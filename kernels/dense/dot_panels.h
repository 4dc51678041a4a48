// Packing of rhs into panels, as wide as a register tile. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_DOT_PANELS_H_
#define TREADLE_KERNELS_DENSE_DOT_PANELS_H_

#include "kernels/dense/dot_frame.h"

namespace treadle::kernels::dense::TREADLE_ISA {

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

// How many elements of a group follow one another in memory.
TREADLE_INLINE int64_t RunAlong(const Group& group) {
  const int64_t last = group.dims - 1;
  return last >= 0 && group.stride[last] == 1 ? group.size[last] : 1;
}

// Some rows of one panel of a rhs that windows walk, where its elements follow one another along k: read that way, then
// turned.
template <typename K>
void PackTurnedWindows(const Dot<K>& dot, const char* rhs, Range k, Range columns, typename K::Element* dst) {
  using S = typename K::Element;
  constexpr int64_t kPanel = Dot<K>::kPanel, kDepth = 128, kLd = kDepth + 16;
  S block[kPanel * kLd];
  for (int64_t k0 = k.begin; k0 < k.end; k0 += kDepth, dst += kDepth * kPanel) {
    const Range ks = {k0, Min(k0 + kDepth, k.end)};
    PackWindows<S>(dot.args, rhs, dot.rhs_bytes, dot.pack_rhs, {dot.args.rhs_n, columns, true},
                   {dot.args.rhs_k, ks, false}, block, kLd);
    Pack<S, S>(block, 1, kLd, ks.end - ks.begin, columns.end - columns.begin, dst, kPanel);
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
    if (dot.windowed_rhs && RunAlong(args.rhs_k) > RunAlong(args.rhs_n)) {
      for (int64_t p = p0; p < p1; ++p) {
        const Range columns = {p * kPanel, Min((p + 1) * kPanel, args.n)};
        PackTurnedWindows<K>(dot, rhs, {k0, k0 + kc}, columns, dst + (p - p0) * stride);
      }
      return;
    }
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

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_DOT_PANELS_H_
