// Products of few outputs over a long k: sums along vectors. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_DOT_LANES_H_
#define TREADLE_KERNELS_DENSE_DOT_LANES_H_

#include "kernels/dense/dot_frame.h"

namespace treadle::kernels::dense::TREADLE_ISA {

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

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_DOT_LANES_H_
