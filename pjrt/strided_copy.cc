#include "pjrt/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace treadle::pjrt {
namespace {

struct Axis {
  int64_t size, dst, src;  // strides in bytes
};

// The axes that matter, the one with the smallest destination stride last; axes that run on from one another merged.
std::vector<Axis> Simplify(std::span<const int64_t> dst, std::span<const int64_t> src, std::span<const int64_t> dims) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1) axes.push_back({dims[i], dst[i], src[i]});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return std::abs(a.dst) != std::abs(b.dst) ? std::abs(a.dst) > std::abs(b.dst) : std::abs(a.src) > std::abs(b.src);
  });
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (!merged.empty() && merged.back().dst == axis.dst * axis.size && merged.back().src == axis.src * axis.size) {
      merged.back() = {merged.back().size * axis.size, axis.dst, axis.src};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

// memcpy of a constant size is one move; it allows any alignment.
template <int kBytes>
void CopyRow(std::byte* dst, const std::byte* src, const Axis& axis) {
  for (int64_t i = 0; i < axis.size; ++i) std::memcpy(dst + i * axis.dst, src + i * axis.src, kBytes);
}

// Two axes in blocks, so that each cache line is fetched once on both sides though they run across one another.
template <int kBytes>
void CopyBlocks(std::byte* dst, const std::byte* src, const Axis& outer, const Axis& inner) {
  constexpr int64_t kBlock = 32;
  for (int64_t i0 = 0; i0 < outer.size; i0 += kBlock) {
    for (int64_t j0 = 0; j0 < inner.size; j0 += kBlock) {
      const Axis part = {std::min(kBlock, inner.size - j0), inner.dst, inner.src};
      for (int64_t i = i0; i < std::min(i0 + kBlock, outer.size); ++i) {
        CopyRow<kBytes>(dst + i * outer.dst + j0 * inner.dst, src + i * outer.src + j0 * inner.src, part);
      }
    }
  }
}

template <int kBytes>
void CopyAxes(std::byte* dst, const std::byte* src, std::span<const Axis> axes) {
  if (axes.empty()) {
    std::memcpy(dst, src, kBytes);
  } else if (axes.size() == 1) {
    if (axes[0].dst == kBytes && axes[0].src == kBytes) {
      std::memcpy(dst, src, axes[0].size * kBytes);
    } else {
      CopyRow<kBytes>(dst, src, axes[0]);
    }
  } else if (axes.size() == 2 && std::abs(axes[1].src) > std::abs(axes[0].src)) {
    CopyBlocks<kBytes>(dst, src, axes[0], axes[1]);
  } else {
    for (int64_t i = 0; i < axes[0].size; ++i) {
      CopyAxes<kBytes>(dst + i * axes[0].dst, src + i * axes[0].src, axes.subspan(1));
    }
  }
}

// Puts the axis along which the source is contiguous next to the last, where CopyBlocks finds it.
void PairForBlocks(std::vector<Axis>& axes) {
  if (axes.size() < 3) return;
  auto last = axes.end() - 1;
  auto fastest = std::min_element(axes.begin(), axes.end(),
                                  [](const Axis& a, const Axis& b) { return std::abs(a.src) < std::abs(b.src); });
  if (fastest < last - 1) std::rotate(fastest, fastest + 1, last);
}

}  // namespace

void StridedCopy(std::byte* dst, std::span<const int64_t> dst_strides, const std::byte* src,
                 std::span<const int64_t> src_strides, std::span<const int64_t> dims, int64_t element_bytes) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  std::vector<Axis> axes = Simplify(dst_strides, src_strides, dims);
  PairForBlocks(axes);
  switch (element_bytes) {
    case 1:
      return CopyAxes<1>(dst, src, axes);
    case 2:
      return CopyAxes<2>(dst, src, axes);
    case 4:
      return CopyAxes<4>(dst, src, axes);
    case 8:
      return CopyAxes<8>(dst, src, axes);
    case 16:
      return CopyAxes<16>(dst, src, axes);
    default:
      return;  // tokens have no bytes
  }
}

std::vector<int64_t> DenseByteStrides(const Shape& shape) {
  std::vector<int64_t> strides = shape.Strides();
  for (int64_t& stride : strides) stride *= ElementBytes(shape.type);
  return strides;
}

bool IsDense(const Shape& shape, std::span<const int64_t> byte_strides) {
  if (shape.elements() == 0) return true;
  int64_t expected = ElementBytes(shape.type);
  for (size_t i = shape.dims.size(); i-- > 0;) {
    if (shape.dims[i] != 1 && byte_strides[i] != expected) return false;
    expected *= shape.dims[i];
  }
  return true;
}

StatusOr<std::vector<int64_t>> LayoutByteStrides(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr) return DenseByteStrides(shape);
  const size_t rank = shape.dims.size();
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout->strides.num_byte_strides != rank || (rank > 0 && layout->strides.byte_strides == nullptr)) {
      return InvalidArgument("a memory layout has " + std::to_string(layout->strides.num_byte_strides) +
                             " strides for an array of shape " + shape.ToString());
    }
    return std::vector<int64_t>(layout->strides.byte_strides, layout->strides.byte_strides + rank);
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return InvalidArgument("unknown type of memory layout");
  if (layout->tiled.num_tiles != 0) return Unimplemented("tiled memory layouts");
  if (layout->tiled.minor_to_major_size != rank || (rank > 0 && layout->tiled.minor_to_major == nullptr)) {
    return InvalidArgument("minor_to_major has " + std::to_string(layout->tiled.minor_to_major_size) +
                           " entries for an array of shape " + shape.ToString());
  }
  std::vector<int64_t> strides(rank, 0);
  std::vector<bool> seen(rank, false);
  int64_t stride = ElementBytes(shape.type);
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = layout->tiled.minor_to_major[i];
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim]) {
      return InvalidArgument("minor_to_major is no permutation of the dimensions");
    }
    seen[dim] = true;
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape.dims[dim], 1);
  }
  return strides;
}

}  // namespace treadle::pjrt
