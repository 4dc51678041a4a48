// The kernels of a dot for one ISA level; compiled once per level with TREADLE_ISA set to its name. What they do is
// decided in dot.cc and told by DotArgs. The order of summation is in dot.h.
#include "kernels/dense/channels.h"
#include "kernels/dense/dot_block.h"
#include "kernels/dense/dot_frame.h"
#include "kernels/dense/dot_lanes.h"
#include "kernels/dense/dot_panels.h"

namespace treadle::kernels::dense::TREADLE_ISA {
namespace {

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
