// One matrix of a call: its arguments and where its parts are. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_JOB_H_
#define TREADLE_KERNELS_LINALG_JOB_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "executable/kernel_abi.h"
#include "kernels/linalg/linalg_args.h"
#include "kernels/linalg/planes.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

// Rows [begin, end) of something, or columns.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

template <typename T, bool kComplex>
struct Job {
  static constexpr int64_t kParts = kComplex ? 2 : 1;

  Job(const TreadleCallFrame* frame, int64_t number)
      : frame(frame), args(*reinterpret_cast<const LinalgArgs*>(frame->args)), number(number) {
    work = static_cast<T*>(frame->local);
    if (args.work_scratch >= 0) {
      work = reinterpret_cast<T*>(static_cast<char*>(frame->scratch) + args.work_scratch) + number * args.work;
    }
  }

  T* Matrix(int buffer) const { return static_cast<T*>(frame->buffers[buffer]) + number * args.m * args.n * kParts; }
  Block<T> BlockAt(int64_t offset, int64_t rows, int64_t ld) const {
    return {work + offset, kComplex ? work + offset + rows * ld : nullptr, ld};
  }
  // What is worked on: the planes in work memory where there are any, else the result, in buffer `result`, itself.
  Block<T> Whole(int result) const {
    if (args.matrix < 0) return {Matrix(result), nullptr, args.n};
    return BlockAt(args.matrix, args.m, args.padded_n);
  }
  Block<T> Factor() const { return BlockAt(args.factor, kMaxBlock, kMaxBlock); }
  Range Chunk(int64_t tile, int64_t total) const {
    const int64_t begin = tile % args.chunks * args.chunk;
    return {Min(begin, total), Min(begin + args.chunk, total)};
  }

  const TreadleCallFrame* frame;
  const LinalgArgs& args;
  const int64_t number;
  T* work;
};

// The power of 2 that brings a matrix whose largest part is `most` near 1, and the one back, both normal numbers of T:
// the largest of all may stay above 1, subnormal ones below. Both are 1 for 0.
template <typename T>
struct NearOne {
  explicit NearOne(T most) {
    using Limits = std::numeric_limits<T>;
    int exponent = 0;
    std::frexp(most, &exponent);
    exponent = std::clamp(exponent, 1 - Limits::max_exponent, Limits::max_exponent - 2);
    factor = static_cast<T>(std::ldexp(1.0, -exponent));
    back = std::ldexp(1.0, exponent);
  }

  T factor;
  double back;
};

// Calls step(job, tile) for every tile of the frame; `chunks` tiles a matrix.
template <typename T, bool kComplex, typename Step>
int ForTiles(const TreadleCallFrame* frame, Step step) {
  const int64_t chunks = reinterpret_cast<const LinalgArgs*>(frame->args)->chunks;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    step(Job<T, kComplex>(frame, tile / chunks), tile);
  }
  return TREADLE_KERNEL_OK;
}

// Copies rows of the operand to where they are worked on.
template <typename T, bool kComplex>
void LoadRows(const Job<T, kComplex>& job, int result, Range rows) {
  const int64_t n = job.args.n;
  LoadBlock<T>(PartAt(job.Matrix(0), kComplex, rows.begin * n, 0), kComplex, n, rows.size(), n,
               job.Whole(result).At(rows.begin, 0));
}

// And back, where it is not the result already.
template <typename T, bool kComplex>
void StoreRows(const Job<T, kComplex>& job, int result, Range rows) {
  const int64_t n = job.args.n;
  if (job.args.matrix < 0) return;
  StoreBlock<T>(job.Whole(result).At(rows.begin, 0), rows.size(), n,
                PartAt(job.Matrix(result), kComplex, rows.begin * n, 0), kComplex, n);
}

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_JOB_H_
