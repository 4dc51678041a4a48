// What all kernels of a dot need of their frame. Compiled once per ISA level, as vec.h.
#ifndef TREADLE_KERNELS_DENSE_DOT_FRAME_H_
#define TREADLE_KERNELS_DENSE_DOT_FRAME_H_

#include "executable/kernel_abi.h"
#include "kernels/dense/dot_args.h"
#include "kernels/dense/dot_isa.h"
#include "kernels/dense/micro.h"
#include "kernels/dense/pack.h"
#include "kernels/dense/pack_windows.h"

namespace treadle::kernels::dense::TREADLE_ISA {

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

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_DOT_FRAME_H_
