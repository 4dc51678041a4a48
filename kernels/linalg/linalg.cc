#include "kernels/linalg/linalg.h"

#include <algorithm>
#include <cstring>

#include "kernels/linalg/linalg_args.h"

namespace treadle::kernels::linalg {
namespace {

constexpr int64_t kManyMatrices = 8;      // each of which is worth a tile,
constexpr int64_t kSmallMatrix = 96;      // or columns of one that is not worth several
constexpr int64_t kLaneMatrix = 24;       // rows of a matrix that has a lane
constexpr int64_t kSmallLocal = 1 << 20;  // bytes of local memory for a whole matrix; more is scratch
constexpr int64_t kSolveLocal = 256 << 10;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

class Planner {
 public:
  Planner(ElementType type, int64_t batch, int64_t m, int64_t n, const executable::Target& target)
      : type_(type),
        batch_(batch),
        parts_(IsComplex(type) ? 2 : 1),
        bytes_(ElementBytes(type) / parts_),
        pair_(2 * target.vector_bytes() / bytes_),
        speed_((target.isa == executable::IsaLevel::kV4   ? 80.0
                : target.isa == executable::IsaLevel::kV3 ? 40.0
                                                          : 12.0) *
               4 / static_cast<double>(bytes_)) {
    args_.m = m;
    args_.n = n;
    args_.padded_m = RoundUp(m, pair_) + pair_;
    args_.padded_n = RoundUp(n, pair_) + pair_;
    args_.matrix = -1;
    args_.chunks = 1;
  }

  LinalgPlan Cholesky(bool upper) {
    const int64_t n = args_.n;
    if (batch_ * n == 0) return {};
    args_.upper = upper;
    if (parts_ == 1 && n <= kLaneMatrix) return CholeskyLanes();
    args_.block = BlockFor(n);
    if (parts_ == 2 || upper) args_.matrix = Take(parts_ * n * args_.padded_n);
    TakeBlocks(args_.padded_n, 2);
    const double cost = Cube(n, n, n) / 3;
    if (IsWhole(n)) {
      args_.chunk = 8 * pair_;
      return Whole("cholesky", 0, cost);
    }
    Open();
    Rows("cholesky_load", n);
    for (int64_t begin = 0; begin < n; begin += args_.block) {
      const int64_t count = Columns(begin, n), left = n - args_.end;
      Add("cholesky_diagonal", 1, Cube(count, count, count));
      if (left == 0) break;
      args_.chunk = 4 * pair_;
      Add("cholesky_solve", CeilDiv(left, args_.chunk), Cube(left, count, count));
      Add("cholesky_update", CeilDiv(left, args_.chunk), Cube(left, left, count));
    }
    Rows("cholesky_finish", n);
    return plan_;
  }

  LinalgPlan Lu() {
    const int64_t m = args_.m, n = args_.n, least = std::min(m, n);
    if (batch_ == 0 || m == 0) return {};
    args_.k = least;
    args_.block = BlockFor(least);
    if (parts_ == 2) args_.matrix = Take(parts_ * m * args_.padded_n);
    TakeBlocks(args_.padded_m, 1);
    args_.chunk = 4 * pair_;
    const int64_t room = 2 * parts_ * kMaxBlock * args_.chunk;
    const double cost = Cube(m, n, least);
    if (IsWhole(std::max(m, n)) || least == 0) return Whole("lu", room, cost);
    Open();
    Rows("lu_load", m);
    for (int64_t begin = 0; begin < least; begin += args_.block) {
      const int64_t count = Columns(begin, least), left = n - args_.end;
      Add("lu_panel", 1, Cube(m - begin, count, count) * 2);
      args_.chunk = 4 * pair_;
      Add("lu_update", std::max<int64_t>(CeilDiv(left, args_.chunk), 1), Cube(m - begin, left, count) * 2, room);
    }
    Rows("lu_finish", m);
    return plan_;
  }

  LinalgPlan Qr() {
    const int64_t m = args_.m, n = args_.n, least = std::min(m, n);
    if (batch_ * m * n == 0) return {};
    const int64_t room = OpenReflectors(least);
    if (IsWhole(std::max(m, n))) return Whole("qr", room, Cube(m, n, least) * 2);
    Open();
    Rows("qr_load", m);
    for (int64_t begin = 0; begin < least; begin += args_.block) {
      const int64_t count = Columns(begin, least), left = n - args_.end;
      Add("qr_factor", 1, Cube(m - begin, count, count) * 6);
      args_.chunk = 4 * pair_;
      if (left > 0) Add("qr_apply", CeilDiv(left, args_.chunk), Cube(m - begin, left, count) * 4, room);
    }
    if (args_.matrix >= 0) Rows("qr_finish", m);
    return plan_;
  }

  LinalgPlan Eigh(bool upper, bool vectors) {
    const int64_t n = args_.n;
    if (batch_ * n == 0) return {};
    args_.upper = upper;
    args_.k = vectors;
    args_.matrix = Take(parts_ * n * args_.padded_n);
    args_.panel = Take(parts_ * n * args_.padded_n);
    args_.factor = Take(parts_ * args_.padded_n);
    // Vectors: a product, scales, then in 8 bytes each the diagonal, what is beside it, and their order.
    args_.minus = Take(4 * args_.padded_n + 3 * args_.padded_n * (8 / bytes_));
    return Whole("eigh", 0, Cube(n, n, n) * (vectors ? 6 : 2));
  }

  LinalgPlan Svd(SvdVectors vectors) {
    const int64_t most = std::max(args_.m, args_.n), least = std::min(args_.m, args_.n);
    if (batch_ * least == 0) return {};
    args_.k = static_cast<int64_t>(vectors);
    args_.padded_m = RoundUp(most, pair_) + pair_;
    args_.padded_n = RoundUp(least, pair_) + pair_;
    const int64_t columns = vectors == SvdVectors::kNone ? 0 : vectors == SvdVectors::kAll ? most : least;
    args_.matrix = Take(parts_ * most * args_.padded_n);
    args_.panel = Take(parts_ * (least + columns) * args_.padded_m);  // reflectors on the left, then vectors
    args_.factor = Take(parts_ * least * args_.padded_n);
    // Sums, a reflector, scales of both sides, then in 8 bytes each what is bidiagonal, and the order of the values.
    args_.minus = Take(8 * args_.padded_n + 3 * args_.padded_n * (8 / bytes_));
    return Whole("svd", 0, Cube(most, least, least) * (columns == 0 ? 4 : 16));
  }

  LinalgPlan Tridiagonal(bool perturb) {
    if (batch_ * args_.m * args_.n == 0) return {};
    args_.k = perturb;
    Take(3 * parts_ * args_.m);
    return Whole("tridiagonal", 0, static_cast<double>(args_.m * (8 + 8 * args_.n)));
  }

  LinalgPlan ReflectorProduct(int64_t k) {
    const int64_t m = args_.m, n = args_.n;
    if (batch_ * m * n == 0) return {};
    const int64_t room = OpenReflectors(k);
    if (IsWhole(m)) return Whole("product", room, Cube(m, n, k) * 4);
    Open();
    Rows("product_load", m);
    for (int64_t block = CeilDiv(k, args_.block); block-- > 0;) {
      const int64_t count = Columns(block * args_.block, k), columns = n - args_.begin;
      Add("product_read", 1, Cube(m - args_.begin, count, count) * 2);
      args_.chunk = 4 * pair_;
      Add("product_apply", CeilDiv(columns, args_.chunk), Cube(m - args_.begin, columns, count) * 4, room);
    }
    if (args_.matrix >= 0) Rows("product_finish", m);
    return plan_;
  }

 private:
  // Operations of m * n * k multiply-adds.
  double Cube(int64_t m, int64_t n, int64_t k) const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * (parts_ == 2 ? 4 : 1);
  }

  static int64_t BlockFor(int64_t n) { return n <= 256 ? 32 : kMaxBlock; }

  // Takes elements of a matrix's work memory.
  int64_t Take(int64_t elements) {
    const int64_t at = args_.work;
    args_.work += RoundUp(elements, 64 / bytes_);
    return at;
  }

  void TakeBlocks(int64_t padded, int count) {
    args_.factor = Take(parts_ * kMaxBlock * kMaxBlock);
    args_.panel = Take(parts_ * kMaxBlock * padded);
    if (count > 1) args_.minus = Take(parts_ * kMaxBlock * padded);
  }

  // A matrix in each lane, however many there are: that tells no bits.
  LinalgPlan CholeskyLanes() {
    const int64_t n = args_.n, lanes = pair_ / 2;
    const double group = static_cast<double>(n * n) * (static_cast<double>(n) / 4 + 6);  // cycles, about
    args_.k = batch_;
    args_.chunk = lanes * std::clamp<int64_t>(static_cast<int64_t>(3e4 / group), 1, 64);
    args_.work_scratch = -1;
    Add("cholesky_lanes", 1, 0, 2 * lanes * n * n);
    plan_.phases.back().tiles = CeilDiv(batch_, args_.chunk);
    plan_.phases.back().cost_ns = static_cast<int64_t>(group / 3 * static_cast<double>(CeilDiv(batch_, lanes))) + 100;
    return plan_;
  }

  // Elements of local memory that applying reflectors needs.
  int64_t OpenReflectors(int64_t k) {
    args_.k = k;
    args_.block = BlockFor(k);
    if (parts_ == 2) args_.matrix = Take(parts_ * args_.m * args_.padded_n);
    TakeBlocks(args_.padded_m, parts_);
    args_.chunk = 4 * pair_;
    return 3 * parts_ * kMaxBlock * args_.chunk;
  }

  bool IsWhole(int64_t n) const { return batch_ >= kManyMatrices || n <= kSmallMatrix; }

  void Open() {
    args_.work_scratch = 0;
    plan_.scratch_bytes = batch_ * args_.work * bytes_;
  }

  // One tile a matrix.
  LinalgPlan Whole(const char* kernel, int64_t room, double cost) {
    args_.work_scratch = -1;
    int64_t local = args_.work + room;
    if (local * bytes_ > kSmallLocal) {
      Open();
      local = room;
    }
    Add(kernel, 1, cost, local);
    return plan_;
  }

  // The block of columns from `begin` on; returns how many.
  int64_t Columns(int64_t begin, int64_t end) {
    args_.begin = begin;
    args_.end = std::min(begin + args_.block, end);
    return args_.end - begin;
  }

  // Phases that move rows.
  void Rows(const char* kernel, int64_t rows) {
    args_.chunk = std::clamp<int64_t>((64 << 10) / (args_.n * bytes_ * parts_ + 1), 8, 4096);
    Add(kernel, CeilDiv(rows, args_.chunk), static_cast<double>(rows * args_.n) * 8);
  }

  void Add(const char* kernel, int64_t chunks, double operations, int64_t local = 0) {
    args_.chunks = chunks;
    const char* type = type_ == ElementType::kF32   ? "f32"
                       : type_ == ElementType::kF64 ? "f64"
                       : type_ == ElementType::kC64 ? "c64"
                                                    : "c128";
    LinalgPhase& phase = plan_.phases.emplace_back();
    phase.symbol = std::string("linalg_") + kernel + "_" + type;
    phase.args.resize(sizeof(args_) / sizeof(uint64_t));
    std::memcpy(phase.args.data(), &args_, sizeof(args_));
    phase.tiles = batch_ * chunks;
    phase.local_bytes = local * bytes_;
    phase.cost_ns = static_cast<int64_t>(static_cast<double>(batch_) * (2 * operations / speed_ + 100));
  }

  const ElementType type_;
  const int64_t batch_, parts_, bytes_, pair_;
  const double speed_;  // operations a nanosecond
  LinalgArgs args_ = {};
  LinalgPlan plan_;
};

}  // namespace

LinalgPlan PlanCholesky(ElementType type, int64_t batch, int64_t n, bool upper, const executable::Target& target) {
  return Planner(type, batch, n, n, target).Cholesky(upper);
}

LinalgPlan PlanLu(ElementType type, int64_t batch, int64_t m, int64_t n, const executable::Target& target) {
  return Planner(type, batch, m, n, target).Lu();
}

LinalgPlan PlanQr(ElementType type, int64_t batch, int64_t m, int64_t n, const executable::Target& target) {
  return Planner(type, batch, m, n, target).Qr();
}

LinalgPlan PlanReflectorProduct(ElementType type, int64_t batch, int64_t m, int64_t n, int64_t k,
                                const executable::Target& target) {
  return Planner(type, batch, m, n, target).ReflectorProduct(k);
}

LinalgPlan PlanEigh(ElementType type, int64_t batch, int64_t n, bool upper, bool vectors,
                    const executable::Target& target) {
  return Planner(type, batch, n, n, target).Eigh(upper, vectors);
}

LinalgPlan PlanSvd(ElementType type, int64_t batch, int64_t m, int64_t n, SvdVectors vectors,
                   const executable::Target& target) {
  return Planner(type, batch, m, n, target).Svd(vectors);
}

LinalgPlan PlanTridiagonalSolve(ElementType type, int64_t batch, int64_t m, int64_t n, bool perturb,
                                const executable::Target& target) {
  return Planner(type, batch, m, n, target).Tridiagonal(perturb);
}

LinalgPlan PlanTriangularSolve(const TriangularSolveRequest& request, const executable::Target& target) {
  LinalgPlan plan;
  if (request.batch * request.n * request.columns == 0) return plan;
  const int64_t parts = IsComplex(request.type) ? 2 : 1, bytes = ElementBytes(request.type) / parts;
  const int64_t pair = 2 * target.vector_bytes() / bytes;
  SolveArgs args = {.n = request.n,
                    .columns = request.columns,
                    .left = request.left,
                    .unit = request.unit_diagonal,
                    .conjugate = request.conjugate};
  // On the right it is the transpose that stands on the left of the transposed system.
  const bool transposed = request.transpose == request.left;
  args.row_stride = transposed ? 1 : request.n;
  args.column_stride = transposed ? request.n : 1;
  args.upper = request.lower == transposed;
  const int64_t fit = kSolveLocal / (2 * parts * request.n * bytes) / pair * pair;
  args.chunk = std::clamp(std::min(fit, RoundUp(request.columns, pair)), pair, 4 * pair);
  args.padded = args.chunk;
  args.chunks = CeilDiv(request.columns, args.chunk);
  const char* type = request.type == ElementType::kF32   ? "f32"
                     : request.type == ElementType::kF64 ? "f64"
                     : request.type == ElementType::kC64 ? "c64"
                                                         : "c128";
  LinalgPhase phase;
  phase.symbol = std::string("linalg_triangular_solve_") + type;
  phase.args.resize(sizeof(args) / sizeof(uint64_t));
  std::memcpy(phase.args.data(), &args, sizeof(args));
  phase.tiles = request.batch * args.chunks;
  phase.local_bytes = 2 * parts * request.n * args.padded * bytes;
  const double operations = static_cast<double>(request.n) * static_cast<double>(request.n) *
                            static_cast<double>(args.padded * phase.tiles) * (parts == 2 ? 4 : 1);
  phase.cost_ns = static_cast<int64_t>(operations / 30) + 100 * phase.tiles;
  plan.phases.push_back(std::move(phase));
  return plan;
}

}  // namespace treadle::kernels::linalg
