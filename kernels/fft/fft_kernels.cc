// The FFT kernels for one ISA level; compiled once per level with TREADLE_ISA set to its name. What they do is decided
// in fft.cc and told by their arguments.
#include <bit>

#include "executable/kernel_abi.h"
#include "kernels/fft/fft_args.h"
#include "kernels/fft/fft_isa.h"
#include "kernels/fft/halves.h"

namespace treadle::kernels::fft::TREADLE_ISA {
namespace {

constexpr int kTableBuffer = 1;

template <typename T>
Planes<T> Swapped(Planes<T> planes, bool swap) {
  return swap ? Planes<T>{planes.im, planes.re} : planes;
}

// Which of two pairs of planes is not `used`.
template <typename T>
Planes<T> Other(Planes<T> used, Planes<T> a, Planes<T> b) {
  return used.re == a.re ? b : a;
}

// Planes [count][lanes], each row times a complex number of `factors`.
template <typename T>
void MultiplyRows(Planes<T> z, int64_t count, int64_t lanes, const T* factors) {
  for (int64_t k = 0; k < count; ++k) {
    const Vec<T> c = Vec<T>(factors[2 * k]), d = Vec<T>(factors[2 * k + 1]);
    for (int64_t v = k * lanes; v < (k + 1) * lanes; v += kLanes<T>) {
      Vec<T> re = Load<T>(z.re + v), im = Load<T>(z.im + v);
      Multiply<T>(re, im, c, d);
      Store<T>(z.re + v, re);
      Store<T>(z.im + v, im);
    }
  }
}

// Returns which of both planes has the result.
template <typename T>
Planes<T> RunCore(const Core& core, const T* table, Planes<T> data, Planes<T> spare, int64_t lanes) {
  if (core.chirp < 0) return RunChain<T>(core.chain, table, data, spare, lanes);
  MultiplyRows(data, core.count, lanes, table + core.chirp);
  const int64_t used = core.count * lanes, all = core.chain.count * lanes;
  memset(data.re + used, 0, (all - used) * sizeof(T));
  memset(data.im + used, 0, (all - used) * sizeof(T));
  Planes<T> z = RunChain<T>(core.chain, table, data, spare, lanes);
  MultiplyRows(z, core.chain.count, lanes, table + core.kernel);
  // Back: the same with the parts' roles changed.
  const Planes<T> free = Other(z, data, spare);
  z = RunChain<T>(core.chain, table, Swapped(z, true), Swapped(free, true), lanes);
  z = Swapped(z, true);
  MultiplyRows(z, core.count, lanes, table + core.chirp);
  return z;
}

// --- transforms side by side ---

template <typename T>
struct Frame {
  explicit Frame(const TreadleCallFrame* frame) : frame(frame) {}

  const T* table() const { return static_cast<const T*>(frame->buffers[kTableBuffer]); }
  T* At(const Place& place) const {
    if (place.buffer >= 0) return static_cast<T*>(frame->buffers[place.buffer]);
    return reinterpret_cast<T*>(static_cast<char*>(frame->scratch) + place.scratch);
  }
  // Transforms [first, first + count), `unit` parts an element.
  Lanes<T> At(const Place& place, int64_t first, int64_t count, int64_t group, int64_t unit) const {
    Lanes<T> lanes = {.at = {}, .count = count, .group = group, .stride = place.stride, .neighbours = count > 1};
    for (int64_t l = 0; l < count; ++l) {
      const int64_t t = first + l;
      lanes.at[l] = At(place) + unit * (t / place.inner * place.outer_stride + t % place.inner * place.lane_stride);
      if (l > 0 && lanes.at[l] != lanes.at[l - 1] + unit) lanes.neighbours = false;
    }
    return lanes;
  }

  const TreadleCallFrame* frame;
};

// The real numbers of an odd transform: imaginary parts of 0.
template <typename T>
void LoadReals(const Lanes<T>& lanes, int64_t n, Planes<T> to) {
  memset(to.im, 0, n * lanes.group * sizeof(T));
  for (int64_t l = 0; l < lanes.count; ++l) {
    for (int64_t j = 0; j < n; ++j) to.re[j * lanes.group + l] = lanes.at[l][j * lanes.stride];
  }
}

template <typename T>
void StoreReals(const Lanes<T>& lanes, int64_t n, T scale, Planes<T> from) {
  for (int64_t l = 0; l < lanes.count; ++l) {
    for (int64_t j = 0; j < n; ++j) lanes.at[l][j * lanes.stride] = from.re[j * lanes.group + l] * scale;
  }
}

// The second half of a transform of real numbers from the first.
template <typename T>
void MirrorLanes(Planes<T> z, int64_t n, int64_t group) {
  for (int64_t v = 0; v < group; ++v) z.im[v] = 0;
  for (int64_t k = 1; 2 * k < n; ++k) {
    for (int64_t v = 0; v < group; ++v) {
      z.re[(n - k) * group + v] = z.re[k * group + v];
      z.im[(n - k) * group + v] = -z.im[k * group + v];
    }
  }
}

// Number k of lane j times w^(j k), lanes from `first` on.
template <typename T>
void Twiddle(const LanesArgs& args, const T* table, int64_t first, Planes<T> z) {
  const int64_t count = args.core.count, block = args.twiddle_block, lanes = args.twiddle_lanes;
  const int64_t blocks = (count + block - 1) / block;
  const T* far_re = table + args.twiddle + first;
  const T* far_im = far_re + blocks * lanes;
  const T* near_re = far_im + blocks * lanes;
  const T* near_im = near_re + block * lanes;
  for (int64_t k = 0; k < count; ++k) {
    for (int64_t v = 0; v < args.group; v += kLanes<T>) {
      Vec<T> c = Load<T>(near_re + k % block * lanes + v), d = Load<T>(near_im + k % block * lanes + v);
      if (k >= block) {
        Multiply<T>(c, d, Load<T>(far_re + k / block * lanes + v), Load<T>(far_im + k / block * lanes + v));
      }
      Vec<T> re = Load<T>(z.re + k * args.group + v), im = Load<T>(z.im + k * args.group + v);
      Multiply<T>(re, im, c, d);
      Store<T>(z.re + k * args.group + v, re);
      Store<T>(z.im + k * args.group + v, im);
    }
  }
}

// One group of transforms. Local: two pairs of planes.
template <typename T>
void TransformLanes(const Frame<T>& frame, const LanesArgs& args, int64_t first, int64_t count) {
  const int64_t m = args.core.count, group = args.group;
  const int64_t rows = (args.core.chain.count > m ? args.core.chain.count : m) + 1;
  T* local = static_cast<T*>(frame.frame->local);
  const Planes<T> a = {local, local + rows * group}, b = {local + 2 * rows * group, local + 3 * rows * group};
  const T* table = frame.table();
  const T scale = static_cast<T>(std::bit_cast<double>(args.scale));
  const bool reals_in = args.form == kRealParts, reals_out = args.form == kRealOut;
  const Lanes<T> in = frame.At(args.in, first, count, group, reals_in || args.form == kHalvedInput ? 1 : 2);
  const Lanes<T> out = frame.At(args.out, first, count, group, reals_out || args.form == kHalvedResult ? 1 : 2);
  if (reals_in) {
    LoadReals<T>(in, m, a);
  } else {
    const int64_t n = args.form == kHalvedResult ? m + 1 : reals_out ? m / 2 + 1 : m;
    LoadLanes<T>(in, n, Swapped(a, args.form == kComplex && args.swap_in));
    if (args.form == kHalvedResult) PackLanes<T>(a, m, group, table + args.unpack);
    if (reals_out) MirrorLanes<T>(a, m, group);
  }
  const bool swaps = args.form != kComplex && args.swap_in;  // planes that had to be right before
  Planes<T> z = RunCore<T>(args.core, table, Swapped(a, swaps), Swapped(b, swaps), group);
  if (args.twiddle >= 0) Twiddle<T>(args, table, first % args.in.inner, z);
  z = Swapped(z, args.swap_out);
  if (args.form == kHalvedInput) UnpackLanes<T>(z, m, group, table + args.unpack);
  if (reals_out) {
    StoreReals<T>(out, m, scale, z);
  } else {
    StoreLanes<T>(out, args.form == kHalvedInput ? m + 1 : reals_in ? m / 2 + 1 : m, scale, z);
  }
}

template <typename T>
int LanesKernel(const TreadleCallFrame* call) {
  const Frame<T> frame(call);
  const LanesArgs& args = *reinterpret_cast<const LanesArgs*>(call->args);
  const int64_t groups = (args.span + args.group - 1) / args.group;
  for (int64_t tile = call->tile_begin; tile < call->tile_end; ++tile) {
    const int64_t in_span = tile % groups * args.group;
    TransformLanes<T>(frame, args, tile / groups * args.span + in_span, Min(args.group, args.span - in_span));
  }
  return TREADLE_KERNEL_OK;
}

// --- one transform, in two steps ---

// [n1][lanes2], times the twiddle factors, to [lanes2][lanes1].
template <typename T>
void TurnAndTwiddle(const RowsArgs& args, const T* table, Planes<const T> from, Planes<T> to) {
  constexpr int w = kLanes<T>;
  const int64_t n1 = args.first.count, lanes1 = args.lanes1, lanes2 = args.lanes2;
  const T *cos = table + args.twiddle, *sin = cos + n1 * lanes2;
  for (int64_t k = 0; k < n1; k += w) {
    for (int64_t j = 0; j < lanes2; j += w) {
      Vec<T> re[w], im[w];
#pragma clang loop unroll(full)
      for (int r = 0; r < w; ++r) {
        const int64_t at = (k + r) * lanes2 + j;
        re[r] = Load<T>(from.re + at);
        im[r] = Load<T>(from.im + at);
        if (k + r < n1) Multiply<T>(re[r], im[r], Load<T>(cos + at), Load<T>(sin + at));
      }
      Transpose<T>(re);
      Transpose<T>(im);
#pragma clang loop unroll(full)
      for (int r = 0; r < w; ++r) {
        Store<T>(to.re + (j + r) * lanes1 + k, re[r]);
        Store<T>(to.im + (j + r) * lanes1 + k, im[r]);
      }
    }
  }
}

// Number j = j1 * n2 + j2 stands at [j1][j2]; number k = k1 + n1 * k2 of the result comes out at [k2][k1].
template <typename T>
void TransformRow(const RowsArgs& args, const T* table, const T* in, T* out, T* local) {
  const int64_t n1 = args.first.count, n2 = args.second.count, m = n1 * n2, size = args.lanes1 * args.lanes2;
  const Planes<T> a = {local, local + size}, b = {local + 2 * size, local + 3 * size};
  const T scale = static_cast<T>(std::bit_cast<double>(args.scale));
  if (args.form == kHalvedResult) {
    PackRow<T>(in, m, 0, m, table + args.unpack, a);
  } else {
    for (int64_t j = 0; j < n1; ++j) LoadRun<T>(in + 2 * j * n2, n2, a.re + j * args.lanes2, a.im + j * args.lanes2);
  }
  Planes<T> z = Swapped(a, args.swap), free = Swapped(b, args.swap);
  const Planes<T> columns = RunChain<T>(args.first, table, z, free, args.lanes2);
  const Planes<T> turned = Other(columns, z, free);
  TurnAndTwiddle<T>(args, table, {columns.re, columns.im}, turned);
  z = Swapped(RunChain<T>(args.second, table, turned, columns, args.lanes1), args.swap);
  if (args.form == kHalvedInput) {
    UnpackRow<T>({z.re, z.im}, m, 0, m + 1, scale, table + args.unpack, out);
  } else {
    for (int64_t k = 0; k < n2; ++k) {
      StoreRun<T>(z.re + k * args.lanes1, z.im + k * args.lanes1, n1, scale, out + 2 * k * n1);
    }
  }
}

template <typename T>
int RowsKernel(const TreadleCallFrame* call) {
  const RowsArgs& args = *reinterpret_cast<const RowsArgs*>(call->args);
  const T* table = static_cast<const T*>(call->buffers[kTableBuffer]);
  const T* in = static_cast<const T*>(call->buffers[0]);
  T* out = static_cast<T*>(call->buffers[2]);
  for (int64_t tile = call->tile_begin; tile < call->tile_end; ++tile) {
    for (int64_t row = tile * args.tile_rows; row < Min((tile + 1) * args.tile_rows, args.rows); ++row) {
      TransformRow<T>(args, table, in + row * args.in_stride, out + row * args.out_stride,
                      static_cast<T*>(call->local));
    }
  }
  return TREADLE_KERNEL_OK;
}

// Tiles: chunks of rows. Local: a chunk's planes.
template <typename T>
int UnpackKernel(const TreadleCallFrame* call) {
  const UnpackArgs& args = *reinterpret_cast<const UnpackArgs*>(call->args);
  const T* roots = static_cast<const T*>(call->buffers[kTableBuffer]) + args.unpack;
  T* scratch = reinterpret_cast<T*>(static_cast<char*>(call->scratch) + args.scratch);
  const int64_t m = args.count;
  for (int64_t tile = call->tile_begin; tile < call->tile_end; ++tile) {
    const int64_t row = tile / args.chunks, begin = tile % args.chunks * args.chunk;
    const bool last = tile % args.chunks == args.chunks - 1;
    T* z = scratch + row * 2 * m;
    if (args.pack) {
      T* local = static_cast<T*>(call->local);
      const int64_t end = last ? m : begin + args.chunk;
      const T* x = static_cast<const T*>(call->buffers[0]) + row * 2 * (m + 1);
      PackRow<T>(x, m, begin, end, roots, {local, local + args.chunk});
      StoreRun<T>(local, local + args.chunk, end - begin, T(1), z + 2 * begin);
    } else {
      T* x = static_cast<T*>(call->buffers[2]) + row * 2 * (m + 1);
      UnpackMemory<T>(z, m, begin, last ? m + 1 : begin + args.chunk, roots, x);
    }
  }
  return TREADLE_KERNEL_OK;
}

template <typename T>
constexpr KernelSet kSet = {LanesKernel<T>, RowsKernel<T>, UnpackKernel<T>};

}  // namespace

extern const IsaKernels kIsaKernels = {kSet<float>, kSet<double>};

}  // namespace treadle::kernels::fft::TREADLE_ISA
