#include "compiler/plan/schedules/transpose.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "compiler/plan/schedules/kernel.h"
#include "compiler/plan/schedules/map.h"

namespace treadle::plan {
namespace {

constexpr int64_t kNarrow = 8;
constexpr int64_t kRunBytes =
    512;  // read at a time from a source row: all of it before the next, as rows may share a cache set
constexpr int64_t kWriteBytes = 256;  // written at a time
constexpr int64_t kBlockBytes = 32 << 10;
constexpr int64_t kPadding = 16;  // elements between rows of the local block, against conflicts of cache sets

// A dimension of the result, with its strides in both tensors.
struct Dim {
  int64_t size, from, to;
};

// Result dimensions, outermost first; those of size 1 dropped, neighbours merged where they are neighbours in the
// operand too.
std::vector<Dim> CanonicalDims(const graph::Graph& graph, const graph::Op& op) {
  const Shape &in = graph.shape(op.operands[0]), &out = graph.shape(op.results[0]);
  std::vector<int64_t> from = in.Strides(), to = out.Strides();
  std::vector<Dim> dims;
  for (int64_t k = 0; k < out.rank(); ++k) {
    if (out.dims[k] == 1) continue;
    Dim dim{out.dims[k], from[op.attrs.dims[k]], to[k]};
    if (!dims.empty() && dims.back().from == dim.from * dim.size) {
      dims.back() = {dims.back().size * dim.size, dim.from, dim.to};
    } else {
      dims.push_back(dim);
    }
  }
  return dims;
}

// Results from this size on are written past the caches, whatever the last one's size: it is shared, on servers by
// many. A 64 MiB transpose in a 260 MiB cache: 20 ms, streamed 9, a plain copy 9.
constexpr int64_t kStreamBytes = 16 << 20;

class Transpose {
 public:
  Transpose(Kernel& kernel, std::vector<Dim> dims, ElementType type)
      : kernel_(kernel), b_(kernel.b()), columns_(dims.back()), type_(type) {
    dims.pop_back();
    for (const Dim& dim : dims) {
      if (dim.from == 1) {
        rows_ = dim;
      } else {
        others_.push_back(dim);
      }
    }
  }

  void Write() {
    ChooseBlock();
    int64_t row_blocks = (rows_.size + block_rows_ - 1) / block_rows_;
    int64_t column_blocks = (columns_.size + block_columns_ - 1) / block_columns_;
    int64_t tiles = row_blocks * column_blocks;
    for (const Dim& dim : others_) tiles *= dim.size;
    Id tile = b_.BeginPhase();
    Id column_count = kernel_.AddI64(column_blocks), row_count = kernel_.AddI64(row_blocks);
    Id column_block, row_block;
    std::tie(tile, column_block) = kernel_.DivRem(tile, column_count);
    std::tie(tile, row_block) = kernel_.DivRem(tile, row_count);
    WriteBlock(tile, row_block, column_block);
    double bytes = 2.0 * static_cast<double>(rows_.size * columns_.size * ElementBytes(type_));
    for (const Dim& dim : others_) bytes *= static_cast<double>(dim.size);
    Cost cost = Estimate(kernel_.target(), 2 * bytes, bytes, 0);
    cost.quick_ns = 4 * cost.ns;  // an element at a time
    kernel_.EndPhase(tiles, cost);
  }

 private:
  void ChooseBlock() {
    int64_t bytes = ElementBytes(type_);
    block_rows_ = std::min(rows_.size, kRunBytes / bytes);
    block_columns_ = std::min(columns_.size, std::max(kWriteBytes / bytes, kBlockBytes / bytes / block_rows_));
    block_rows_ = std::min(rows_.size, std::max(kRunBytes / bytes, kBlockBytes / bytes / block_columns_));
  }

  void WriteBlock(Id other, Id row_block, Id column_block) {
    int64_t bytes = ElementBytes(type_), total = rows_.size * columns_.size * bytes;
    uint16_t in = 0, out = kernel_.OutputBuffer(0);
    Id row = b_.Mul(row_block, kernel_.AddI64(block_rows_)),
       column = b_.Mul(column_block, kernel_.AddI64(block_columns_));
    Id row_extent = b_.Min(b_.Sub(kernel_.AddI64(rows_.size), row), kernel_.AddI64(block_rows_));
    Id column_extent = b_.Min(b_.Sub(kernel_.AddI64(columns_.size), column), kernel_.AddI64(block_columns_));
    Size from = kernel_.AddSize(columns_.from), to = kernel_.AddSize(rows_.to);
    Access source{in, {}, {{row, {-1, 1}}, {column, from}}}, target{out, {}, {{row, to}, {column, {-1, 1}}}};
    for (size_t k = others_.size(); k-- > 0;) {
      Id digit = other;
      if (k > 0) {
        Id size = kernel_.AddI64(others_[k].size);
        std::tie(other, digit) = kernel_.DivRem(other, size);
      }
      source.terms.push_back({digit, kernel_.AddSize(others_[k].from)});
      target.terms.push_back({digit, kernel_.AddSize(others_[k].to)});
    }
    bool small = total <= kernel_.target().l1_bytes / 2;  // both sides stay in L1 anyway
    if (small) {
      b_.AddMove({.from = source,
                  .to = target,
                  .from_stride = {{-1, 1}, from},
                  .to_stride = {to, {-1, 1}},
                  .extent = {row_extent, column_extent}});
      return;
    }
    Size pitch = kernel_.AddSize(block_columns_ + kPadding);
    uint16_t local = b_.AddBuffer(type_, Role::kLocal, kernel_.AddSize(block_rows_ * (block_columns_ + kPadding)));
    b_.AddMove({.from = source,
                .to = {local, {}, {}},
                .from_stride = {{-1, 1}, from},
                .to_stride = {pitch, {-1, 1}},
                .extent = {row_extent, column_extent}});
    b_.AddMove({.from = {local, {}, {}},
                .to = target,
                .from_stride = {pitch, {-1, 1}},
                .to_stride = {to, {-1, 1}},
                .extent = {row_extent, column_extent},
                .stream = total > std::min(kernel_.target().l3_bytes / 2, kStreamBytes)});
  }

  Kernel& kernel_;
  Builder& b_;
  Dim rows_{1, 1, 1};  // contiguous in the operand
  Dim columns_;        // contiguous in the result
  std::vector<Dim> others_;
  ElementType type_;
  int64_t block_rows_ = 1, block_columns_ = 1;
};

}  // namespace

StatusOr<Instance> ScheduleTranspose(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.back()];
  std::vector<Dim> dims = CanonicalDims(graph, op);
  bool narrow = dims.size() < 2 || dims.back().from == 1 || dims.back().size < kNarrow;
  for (const Dim& dim : dims) narrow = narrow || (dim.from == 1 && dim.size < kNarrow);
  if (narrow) return ScheduleMap(graph, group, target);
  Kernel kernel("transpose", graph, group, target);
  Transpose(kernel, std::move(dims), graph.shape(op.results[0]).type).Write();
  return kernel.Finish();
}

}  // namespace treadle::plan
