// Copies between arrays of one shape and any two orders of elements in memory.
#ifndef TREADLE_PJRT_STRIDED_COPY_H_
#define TREADLE_PJRT_STRIDED_COPY_H_

#include <cstdint>
#include <span>

#include "base/shape.h"
#include "base/status.h"
#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// Copies every element from `src` to `dst`. Both point at the element with all indices 0; strides are in bytes and may
// be negative, zero (src only) or not a multiple of the element. The arrays must not overlap. Needs no alignment.
void StridedCopy(std::byte* dst, std::span<const int64_t> dst_strides, const std::byte* src,
                 std::span<const int64_t> src_strides, std::span<const int64_t> dims, int64_t element_bytes);

// Row-major strides of `shape` in bytes.
std::vector<int64_t> DenseByteStrides(const Shape& shape);

// Whether elements with these byte strides lie as in a dense row-major array (strides of dimensions of size 1, and all
// of an array without elements, do not matter).
bool IsDense(const Shape& shape, std::span<const int64_t> byte_strides);

// Byte strides of an array that a client lays out so. Null is dense row-major. UNIMPLEMENTED: tiles.
StatusOr<std::vector<int64_t>> LayoutByteStrides(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_STRIDED_COPY_H_
