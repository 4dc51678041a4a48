// The kernels of linear algebra for one ISA level; compiled once per level with TREADLE_ISA set to its name. Each
// decomposition is there in steps, for few large matrices, and as one kernel that does all of a matrix; both do the
// same in the same order.
#include "kernels/linalg/cholesky.h"
#include "kernels/linalg/cholesky_lanes.h"
#include "kernels/linalg/eigh.h"
#include "kernels/linalg/linalg_isa.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/qr.h"
#include "kernels/linalg/solve.h"
#include "kernels/linalg/svd.h"
#include "kernels/linalg/tridiagonal.h"

namespace treadle::kernels::linalg::TREADLE_ISA {
namespace {

// Calls step(job, begin of the chunk) for the blocks of one matrix, each with its columns in the arguments. Buffers,
// scratch and local memory are those of the frame.
template <typename T, bool kComplex, typename Step>
void ForBlocks(const TreadleCallFrame* frame, int64_t number, int64_t columns, bool backward, Step step) {
  LinalgArgs args = *reinterpret_cast<const LinalgArgs*>(frame->args);
  TreadleCallFrame inner = *frame;
  inner.args = reinterpret_cast<const uint64_t*>(&args);
  const int64_t blocks = (columns + args.block - 1) / args.block;
  for (int64_t k = 0; k < blocks; ++k) {
    args.begin = (backward ? blocks - 1 - k : k) * args.block;
    args.end = Min(args.begin + args.block, columns);
    step(Job<T, kComplex>(&inner, number));
  }
}

// Chunks of `total`, one after the other.
template <typename Fn>
void ForChunks(const LinalgArgs& args, int64_t total, Fn use) {
  int64_t begin = 0;
  do {
    const int64_t end = Min(begin + args.chunk, total);
    use(Range{begin, end});
    begin = end;
  } while (begin < total);
}

// Behind the work memory that a tile of a whole matrix has in local memory.
template <typename T, bool kComplex>
T* Room(const Job<T, kComplex>& job) {
  T* local = static_cast<T*>(job.frame->local);
  return job.args.work_scratch >= 0 ? local : local + job.args.work;
}

template <typename T, bool kComplex>
struct Kernels {
  using J = Job<T, kComplex>;

  // --- Cholesky ---

  static int CholeskyInLanes(const TreadleCallFrame* frame) {
    for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) CholeskyLanes<T>(frame).Run(tile);
    return TREADLE_KERNEL_OK;
  }
  static int CholeskyWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [frame](const J& job, int64_t) {
      const int64_t n = job.args.n;
      Cholesky<T, kComplex>(job).Open({0, n});
      ForBlocks<T, kComplex>(frame, job.number, n, false, [n](const J& block) {
        Cholesky<T, kComplex> cholesky(block);
        cholesky.Diagonal();
        const int64_t left = n - block.args.end;
        if (left == 0) return;
        ForChunks(block.args, left, [&](Range rows) { cholesky.Solve(rows); });
        ForChunks(block.args, left, [&](Range rows) { cholesky.Update(rows); });
      });
      Cholesky<T, kComplex>(job).Finish({0, n});
    });
  }
  static int CholeskyLoad(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t tile) { Cholesky<T, kComplex>(job).Open(job.Chunk(tile, job.args.n)); });
  }
  static int CholeskyDiagonal(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) { Cholesky<T, kComplex>(job).Diagonal(); });
  }
  static int CholeskySolve(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      Cholesky<T, kComplex>(job).Solve(job.Chunk(tile, job.args.n - job.args.end));
    });
  }
  static int CholeskyUpdate(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      Cholesky<T, kComplex>(job).Update(job.Chunk(tile, job.args.n - job.args.end));
    });
  }
  static int CholeskyFinish(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t tile) { Cholesky<T, kComplex>(job).Finish(job.Chunk(tile, job.args.n)); });
  }

  static int TriangularSolve(const TreadleCallFrame* frame) {
    for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) SolveColumns<T, kComplex>(frame, tile);
    return TREADLE_KERNEL_OK;
  }

  // --- LU ---

  static int LuWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [frame](const J& job, int64_t) {
      const LinalgArgs& args = job.args;
      LoadRows<T, kComplex>(job, 1, {0, args.m});
      ForBlocks<T, kComplex>(frame, job.number, Min(args.m, args.n), false, [&](const J& block) {
        Lu<T, kComplex> lu(block);
        lu.Panel();
        ForChunks(block.args, args.n - block.args.end, [&](Range columns) { lu.Update(columns, Room(job)); });
      });
      Lu<T, kComplex>(job).Finish({0, args.m});
    });
  }
  static int LuLoad(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t tile) { LoadRows<T, kComplex>(job, 1, job.Chunk(tile, job.args.m)); });
  }
  static int LuPanel(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) { Lu<T, kComplex>(job).Panel(); });
  }
  static int LuUpdate(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      Lu<T, kComplex>(job).Update(job.Chunk(tile, job.args.n - job.args.end), Room(job));
    });
  }
  static int LuFinish(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t tile) { Lu<T, kComplex>(job).Finish(job.Chunk(tile, job.args.m)); });
  }

  // --- QR: a; r and reflectors, tau ---

  static constexpr int kQrResult = 1, kQrTau = 2;
  static int QrWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [frame](const J& job, int64_t) {
      const LinalgArgs& args = job.args;
      LoadRows<T, kComplex>(job, kQrResult, {0, args.m});
      ForBlocks<T, kComplex>(frame, job.number, args.k, false, [&](const J& block) {
        Reflectors<T, kComplex> reflectors(block, kQrResult, kQrTau);
        reflectors.Factor();
        ForChunks(block.args, args.n - block.args.end,
                  [&](Range columns) { reflectors.Apply(block.args.end, columns, true, Room(job)); });
      });
      StoreRows<T, kComplex>(job, kQrResult, {0, args.m});
    });
  }
  static int QrLoad(const TreadleCallFrame* frame) { return LuLoad(frame); }
  static int QrFactor(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t) { Reflectors<T, kComplex>(job, kQrResult, kQrTau).Factor(); });
  }
  static int QrApply(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      Reflectors<T, kComplex>(job, kQrResult, kQrTau)
          .Apply(job.args.end, job.Chunk(tile, job.args.n - job.args.end), true, Room(job));
    });
  }
  static int QrFinish(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(
        frame, [](const J& job, int64_t tile) { StoreRows<T, kComplex>(job, kQrResult, job.Chunk(tile, job.args.m)); });
  }

  // --- products of reflectors: reflectors, tau; their product. It starts as the identity. ---

  static constexpr int kProductTau = 1, kProductResult = 2;
  static void LoadIdentity(const J& job, Range rows) {
    const Block<T> whole = job.Whole(kProductResult);
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const Block<T> row = whole.At(r, 0);
      for (int64_t c = 0; c < job.args.n; ++c) {
        row.re[c] = r == c ? T(1) : T(0);
        if (kComplex) row.im[c] = 0;
      }
    }
  }
  static int ProductWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [frame](const J& job, int64_t) {
      const LinalgArgs& args = job.args;
      LoadIdentity(job, {0, args.m});
      ForBlocks<T, kComplex>(frame, job.number, args.k, true, [&](const J& block) {
        Reflectors<T, kComplex> reflectors(block, kProductResult, kProductTau);
        reflectors.Read(job.Matrix(0));
        ForChunks(block.args, args.n - block.args.begin,
                  [&](Range columns) { reflectors.Apply(block.args.begin, columns, false, Room(job)); });
      });
      StoreRows<T, kComplex>(job, kProductResult, {0, args.m});
    });
  }
  static int ProductLoad(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame,
                                 [](const J& job, int64_t tile) { LoadIdentity(job, job.Chunk(tile, job.args.m)); });
  }
  static int ProductRead(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) {
      Reflectors<T, kComplex>(job, kProductResult, kProductTau).Read(job.Matrix(0));
    });
  }
  static int ProductApply(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      Reflectors<T, kComplex>(job, kProductResult, kProductTau)
          .Apply(job.args.begin, job.Chunk(tile, job.args.n - job.args.begin), false, Room(job));
    });
  }
  static int ProductFinish(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t tile) {
      StoreRows<T, kComplex>(job, kProductResult, job.Chunk(tile, job.args.m));
    });
  }

  static int EighWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) { Eigh<T, kComplex>(job).Run(); });
  }
  static int TridiagonalWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) { Tridiagonal<T, kComplex>(job).Run(); });
  }
  static int SvdWhole(const TreadleCallFrame* frame) {
    return ForTiles<T, kComplex>(frame, [](const J& job, int64_t) { Svd<T, kComplex>(job).Run(); });
  }
};

template <typename T, bool kComplex, typename K = Kernels<T, kComplex>>
constexpr KernelSet kSet = {kComplex ? nullptr : K::CholeskyInLanes,
                            K::CholeskyWhole,
                            K::CholeskyLoad,
                            K::CholeskyDiagonal,
                            K::CholeskySolve,
                            K::CholeskyUpdate,
                            K::CholeskyFinish,
                            K::TriangularSolve,
                            K::LuWhole,
                            K::LuLoad,
                            K::LuPanel,
                            K::LuUpdate,
                            K::LuFinish,
                            K::QrWhole,
                            K::QrLoad,
                            K::QrFactor,
                            K::QrApply,
                            K::QrFinish,
                            K::ProductWhole,
                            K::ProductLoad,
                            K::ProductRead,
                            K::ProductApply,
                            K::ProductFinish,
                            K::EighWhole,
                            K::SvdWhole,
                            K::TridiagonalWhole};

}  // namespace

extern const IsaKernels kIsaKernels = {kSet<float, false>, kSet<double, false>, kSet<float, true>, kSet<double, true>};

}  // namespace treadle::kernels::linalg::TREADLE_ISA
