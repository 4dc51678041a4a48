// Copies of strided blocks of any element type into row-major blocks of the compute type, and back. Compiled once per
// ISA level, as vec.h. All strides are in elements.
#ifndef TREADLE_KERNELS_DENSE_PACK_H_
#define TREADLE_KERNELS_DENSE_PACK_H_

#include "base/element_type.h"
#include "kernels/dense/convert.h"
#include "kernels/dense/dot_args.h"

namespace treadle::kernels::dense::TREADLE_ISA {

TREADLE_INLINE int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }

struct Range {
  int64_t begin, end;
};

// A stretch of equally spaced elements of a group.
struct Run {
  int64_t offset, stride, count;
};

// Walks the linear indices [begin, end) of a group as runs.
class Runs {
 public:
  TREADLE_INLINE Runs(const Group& group, int64_t begin, int64_t end) : group_(group), at_(begin), end_(end) {}

  TREADLE_INLINE bool Next(Run* run) {
    if (at_ >= end_) return false;
    if (group_.dims <= 1) {
      int64_t stride = group_.dims == 1 ? group_.stride[0] : 0;
      *run = {at_ * stride, stride, end_ - at_};
      at_ = end_;
      return true;
    }
    int64_t rest = at_, offset = 0, last = group_.dims - 1, first_inner = 0;
    for (int64_t d = last; d >= 0; --d) {
      int64_t i = d == 0 ? rest : rest % group_.size[d];
      if (d == last) first_inner = i;
      offset += i * group_.stride[d];
      rest /= group_.size[d];
    }
    *run = {offset, group_.stride[last], Min(group_.size[last] - first_inner, end_ - at_)};
    at_ += run->count;
    return true;
  }

 private:
  const Group& group_;
  int64_t at_, end_;
};

TREADLE_INLINE int64_t OffsetOf(const Group& group, int64_t index) {
  Run run = {0, 0, 0};
  Runs(group, index, index + 1).Next(&run);
  return run.offset;
}

// Fewer than two times kBytes, but kBytes or more, by two moves that overlap.
template <int kBytes>
TREADLE_INLINE void CopyOverlapping(const char* src, int64_t bytes, char* dst) {
  Vec<uint8_t, kBytes> first, last;
  memcpy(&first, src, kBytes);
  memcpy(&last, src + bytes - kBytes, kBytes);
  memcpy(dst, &first, kBytes);
  memcpy(dst + bytes - kBytes, &last, kBytes);
}

// n elements, of which none beside are read or written. (Stores under a mask take AMD's cores before Zen 4 twenty
// cycles.)
template <typename T>
TREADLE_INLINE void CopyRow(const T* src, int64_t n, T* dst) {
  constexpr int lanes = kLanes<T>;
  if (n >= lanes) {
    for (int64_t i = 0; i + lanes <= n; i += lanes) Store<T>(dst + i, Load<T>(src + i));
    return Store<T>(dst + n - lanes, Load<T>(src + n - lanes));
  }
  const auto* from = reinterpret_cast<const char*>(src);
  auto* to = reinterpret_cast<char*>(dst);
  const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
  if constexpr (kVecBytes == 64) {
    if (bytes >= 32) return CopyOverlapping<32>(from, bytes, to);
  }
  if (bytes >= 16) return CopyOverlapping<16>(from, bytes, to);
  if (bytes >= 8) return CopyOverlapping<8>(from, bytes, to);
  if (bytes >= 4) CopyOverlapping<4>(from, bytes, to);
}

// Fetches pieces of rows: where they are short and a page apart or more, no prefetcher follows.
TREADLE_INLINE void FetchRows(const char* row, int64_t row_bytes, int64_t rows, int64_t bytes) {
  for (int64_t r = 0; r < rows; ++r, row += row_bytes) {
    for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at);
  }
}

// dst[r * ld + c] = src[r * rs + c * cs]
template <typename T, typename Src>
void Pack(const void* from, int64_t rs, int64_t cs, int64_t rows, int64_t cols, T* dst, int64_t ld) {
  constexpr int n = kLanes<T>;
  const Src* src = static_cast<const Src*>(from);
  if (cs == 1 || cols == 1) {
    for (int64_t r = 0; r < rows; ++r, src += rs, dst += ld) {
      int64_t c = 0;
      for (; c + n <= cols; c += n) Store<T>(dst + c, LoadAs<T>(src + c));
      if (c == cols) continue;
      if constexpr (std::is_same_v<T, Src>)
        CopyRow<T>(src + c, cols - c, dst + c);
      else
        Mask<T>(cols - c).Store(dst + c, LoadAsPart<T>(src + c, cols - c));
    }
    return;
  }
  if (rs == 1) {
    for (int64_t c = 0; c < cols; c += n) {
      int64_t nc = Min(n, cols - c);
      for (int64_t r = 0; r < rows; r += n) {
        int64_t nr = Min(n, rows - r);
        const Src* block = src + c * cs + r;
        Vec<T> v[n];
        if (nr == n && nc == n) {
          LoadTurned<T>(block, cs, v);
#pragma clang loop unroll(full)
          for (int i = 0; i < n; ++i) Store<T>(dst + (r + i) * ld + c, v[i]);
          continue;
        }
        for (int64_t i = 0; i < n; ++i) v[i] = i < nc ? LoadAsPart<T>(block + i * cs, Min(nr, n - 1)) : Vec<T>(0);
        if (nr == n) {
          for (int64_t i = 0; i < nc; ++i) v[i] = LoadAs<T>(block + i * cs);
        }
        Transpose<T>(v);
        if (nc == n) {
          for (int64_t i = 0; i < nr; ++i) Store<T>(dst + (r + i) * ld + c, v[i]);
          continue;
        }
        const Mask<T> mask(nc);
        for (int64_t i = 0; i < nr; ++i) mask.Store(dst + (r + i) * ld + c, v[i]);
      }
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += n) {
      Src part[n];
      int64_t nc = Min(n, cols - c);
      memset(part, 0, sizeof(part));
      for (int64_t i = 0; i < nc; ++i) part[i] = src[r * rs + (c + i) * cs];
      Mask<T>(nc).Store(dst + r * ld + c, LoadAs<T>(part));
    }
  }
}

template <typename T>
using PackFunction = void (*)(const void* src, int64_t rs, int64_t cs, int64_t rows, int64_t cols, T* dst, int64_t ld);

// Null where the compute type T does not take elements of `type`. Complex types count as their parts.
template <typename T>
PackFunction<T> PackOf(int64_t type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::kI1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
      return Pack<T, uint8_t>;
    case ElementType::kI2:
    case ElementType::kI4:
    case ElementType::kI8:
      return Pack<T, int8_t>;
    case ElementType::kI16:
      return Pack<T, int16_t>;
    case ElementType::kU16:
      return Pack<T, uint16_t>;
    case ElementType::kI32:
      return Pack<T, int32_t>;
    case ElementType::kU32:
      return Pack<T, uint32_t>;
    case ElementType::kI64:
      return Pack<T, int64_t>;
    case ElementType::kU64:
      return Pack<T, uint64_t>;
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (static_cast<ElementType>(type)) {
      case ElementType::kBF16:
        return Pack<T, Bf16>;
      case ElementType::kF16:
        return Pack<T, F16>;
      case ElementType::kC64:
      case ElementType::kF32:
        return Pack<T, float>;
      case ElementType::kC128:
      case ElementType::kF64:
        return Pack<T, double>;
      default:
        break;
    }
  }
  return nullptr;
}

// Packs the elements at (rows, cols) of two groups. `unit` rows and columns of dst stand for one of the groups.
template <typename S>
void PackRegion(const char* src, int64_t bytes, PackFunction<S> pack, const Group& row_group, Range rows,
                const Group& col_group, Range cols, S* dst, int64_t ld, int64_t unit = 1) {
  Run row, col;
  for (Runs rs(row_group, rows.begin, rows.end); rs.Next(&row); dst += row.count * unit * ld) {
    int64_t c = 0;
    for (Runs cs(col_group, cols.begin, cols.end); cs.Next(&col); c += col.count * unit) {
      pack(src + (row.offset + col.offset) * bytes, row.stride, col.count == 1 ? 1 : col.stride, row.count, col.count,
           dst + c, ld);
    }
  }
}

// Each complex src[r * rs + c * cs] becomes dst[2r * ld + 2c ..] = (re, im) and dst[(2r + 1) * ld + 2c ..] = (-im, re).
template <typename T, typename Part>
void PackComplex(const void* from, int64_t rs, int64_t cs, int64_t rows, int64_t cols, T* dst, int64_t ld) {
  const Part* src = static_cast<const Part*>(from);
  for (int64_t r = 0; r < rows; ++r) {
    const Part* row = src + 2 * r * rs;
    T* plain = dst + 2 * r * ld;
    T* turned = plain + ld;
    for (int64_t c = 0; c < cols; ++c) {
      T re = static_cast<T>(row[2 * c * cs]), im = static_cast<T>(row[2 * c * cs + 1]);
      plain[2 * c] = re;
      plain[2 * c + 1] = im;
      turned[2 * c] = -im;
      turned[2 * c + 1] = re;
    }
  }
}

// dst[r * rs + c] = src[r * ld + c], rounded or wrapped to Out.
template <typename T, typename Out>
void StoreRows(const T* src, int64_t ld, int64_t rows, int64_t cols, void* to, int64_t rs) {
  constexpr int n = kLanes<T>;
  Out* dst = static_cast<Out*>(to);
  for (int64_t r = 0; r < rows; ++r, src += ld, dst += rs) {
    int64_t c = 0;
    for (; c + n <= cols; c += n) StoreAs<Out, T>(dst + c, Load<T>(src + c));
    if (c < cols) StoreAsPart<Out, T>(dst + c, Mask<T>(cols - c).Load(src + c), cols - c);
  }
}

// dst[r * rs + c * cs] = src[r * ld + c], rounded or wrapped to Out.
template <typename T, typename Out>
void StoreStrided(const T* src, int64_t ld, int64_t rows, int64_t cols, void* to, int64_t rs, int64_t cs) {
  constexpr int n = kLanes<T>;
  Out* dst = static_cast<Out*>(to);
  if (cs == 1) return StoreRows<T, Out>(src, ld, rows, cols, dst, rs);
  if (rs == 1) {  // turned in blocks
    constexpr int kBlock = 64;
    T turned[n * kBlock];
    for (int64_t c = 0; c < cols; c += n) {
      for (int64_t r = 0; r < rows; r += kBlock) {
        int64_t nc = Min(n, cols - c), nr = Min(kBlock, rows - r);
        Pack<T, T>(src + r * ld + c, 1, ld, nc, nr, turned, kBlock);
        StoreRows<T, Out>(turned, kBlock, nc, nr, dst + c * cs + r, cs);
      }
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += n) {
      Out part[n];
      int64_t nc = Min(n, cols - c);
      StoreAs<Out, T>(part, Mask<T>(nc).Load(src + r * ld + c));
      for (int64_t i = 0; i < nc; ++i) dst[r * rs + (c + i) * cs] = part[i];
    }
  }
}

template <typename T>
using StoreFunction = void (*)(const T* src, int64_t ld, int64_t rows, int64_t cols, void* dst, int64_t rs, int64_t cs);

template <typename T>
StoreFunction<T> StoreOf(int64_t type) {
  auto t = static_cast<ElementType>(type);
  if constexpr (std::is_floating_point_v<T>) {
    switch (t) {
      case ElementType::kBF16:
        return StoreStrided<T, Bf16>;
      case ElementType::kF16:
        return StoreStrided<T, F16>;
      case ElementType::kC64:
      case ElementType::kF32:
        return StoreStrided<T, float>;
      case ElementType::kC128:
      case ElementType::kF64:
        return StoreStrided<T, double>;
      default:
        return nullptr;
    }
  } else if constexpr (sizeof(T) == 4) {
    switch (t) {
      case ElementType::kI1:
        return StoreStrided<T, Bool>;
      case ElementType::kI2:
        return StoreStrided<T, SmallInt<2>>;
      case ElementType::kU2:
        return StoreStrided<T, SmallUint<2>>;
      case ElementType::kI4:
        return StoreStrided<T, SmallInt<4>>;
      case ElementType::kU4:
        return StoreStrided<T, SmallUint<4>>;
      case ElementType::kI8:
      case ElementType::kU8:
        return StoreStrided<T, uint8_t>;
      case ElementType::kI16:
      case ElementType::kU16:
        return StoreStrided<T, uint16_t>;
      case ElementType::kI32:
      case ElementType::kU32:
        return StoreStrided<T, T>;
      default:
        return nullptr;
    }
  } else {
    return t == ElementType::kI64 || t == ElementType::kU64 ? StoreStrided<T, T> : nullptr;
  }
}

}  // namespace treadle::kernels::dense::TREADLE_ISA

#endif  // TREADLE_KERNELS_DENSE_PACK_H_
