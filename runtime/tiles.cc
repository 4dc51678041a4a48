#include "runtime/tiles.h"

#include <cstring>
#include <vector>

namespace treadle::internal {
namespace {

constexpr int64_t kBytesPerNs = 4;

// A box as rows, each of which is contiguous in both memories.
struct Rows {
  explicit Rows(const Tile& box) {
    size_t dim = box.tile.dims.size();
    bytes = ElementBytes(box.tile.type);
    bool whole = true;  // the dimensions to the right: whole in the tile as well
    while (dim > 0 && whole) {
      --dim;
      bytes *= box.tile.dims[dim];
      whole = box.tile.dims[dim] == box.array.dims[dim];
    }
    const std::vector<int64_t> strides = box.array.Strides();
    for (size_t i = 0; i < box.tile.dims.size(); ++i) first += box.offset[i] * strides[i];
    first *= ElementBytes(box.array.type);
    for (size_t i = 0; i < dim; ++i) {
      count *= box.tile.dims[i];
      dims.push_back(box.tile.dims[i]);
      array_strides.push_back(strides[i] * ElementBytes(box.array.type));
    }
  }

  // Where in the array a row begins.
  int64_t At(int64_t row) const {
    int64_t at = first;
    for (size_t dim = dims.size(); dim-- > 0; row /= dims[dim]) at += row % dims[dim] * array_strides[dim];
    return at;
  }

  int64_t bytes = 0;  // of a row
  int64_t count = 1;
  int64_t first = 0;
  std::vector<int64_t> dims, array_strides;
};

// `copy(offset in the array, offset in the tile, bytes)` for all rows.
template <typename Copy>
void ForRows(ThreadPool& pool, const Rows& rows, Copy copy) {
  if (rows.count == 0 || rows.bytes == 0) return;
  pool.ParallelFor(rows.count, rows.count * rows.bytes / kBytesPerNs, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) copy(rows.At(row), row * rows.bytes, rows.bytes);
  });
}

}  // namespace

void CopyIntoTile(ThreadPool& pool, const Tile& box, const void* array, void* tile) {
  ForRows(pool, Rows(box), [&](int64_t in_array, int64_t in_tile, int64_t bytes) {
    std::memcpy(static_cast<char*>(tile) + in_tile, static_cast<const char*>(array) + in_array, bytes);
  });
}

void CopyFromTile(ThreadPool& pool, const Tile& box, const void* tile, void* array) {
  ForRows(pool, Rows(box), [&](int64_t in_array, int64_t in_tile, int64_t bytes) {
    std::memcpy(static_cast<char*>(array) + in_array, static_cast<const char*>(tile) + in_tile, bytes);
  });
}

}  // namespace treadle::internal
