// Between elements of operands and items, for blocks of rows. Compiled once per ISA level, as dense/vec.h.
#ifndef TREADLE_KERNELS_SORT_KEYS_H_
#define TREADLE_KERNELS_SORT_KEYS_H_

#include <cstdint>

#include "executable/kernel_abi.h"
#include "kernels/dense/vec.h"
#include "kernels/sort/radix.h"
#include "kernels/sort/sort_args.h"

namespace treadle::kernels::sort::TREADLE_ISA {

template <typename W>
using SignedOf = std::make_signed_t<W>;

// KeyArgs in the width of the element.
template <typename W>
struct KeyMap {
  W zero_end, nan_start, fold, flip;

  explicit KeyMap(const KeyArgs& args)
      : zero_end(static_cast<W>(args.zero_end)),
        nan_start(static_cast<W>(args.nan_start)),
        fold(static_cast<W>(args.fold)),
        flip(static_cast<W>(args.flip)) {}

  static constexpr W kSign = static_cast<W>(W{1} << (8 * sizeof(W) - 1));
  static TREADLE_INLINE W Magnitude(W bits) { return static_cast<W>(bits & static_cast<W>(~kSign)); }
  TREADLE_INLINE bool IsZero(W bits) const { return Magnitude(bits) < zero_end; }
  TREADLE_INLINE bool IsNan(W bits) const { return Magnitude(bits) > nan_start; }

  TREADLE_INLINE W Fold(W bits) const {
    const W negative = static_cast<W>(static_cast<SignedOf<W>>(bits) >> (8 * sizeof(W) - 1));
    return static_cast<W>(bits ^ (negative & fold));
  }
  // `merged`: gets bits set where the key does not tell the element.
  TREADLE_INLINE W Key(W bits, W* merged) const {
    W one = IsZero(bits) ? W{0} : bits;
    one = IsNan(bits) ? static_cast<W>(~kSign) : one;
    *merged = static_cast<W>(*merged | (one ^ bits));
    return static_cast<W>(Fold(one) ^ flip);
  }
  TREADLE_INLINE W Element(W key) const { return Fold(static_cast<W>(key ^ flip)); }
};

// Rows that are sorted together. Their items lie `stride` apart; those of each begin at items[column].
template <typename T>
struct Block {
  int64_t columns;
  int64_t stride;
  int64_t first, length;  // numbers of the elements of each row that are loaded
  int64_t stored;         // items of each that are stored
  T* items[kMaxColumns];
  int64_t in[kMaxColumns];   // where the row begins in the operands, in elements
  int64_t out[kMaxColumns];  // and in the outputs
  bool adjacent;             // the rows lie next to each other, each one's elements apart
  bool merged;               // an element of the only key is not told by its item
};

template <typename T>
Block<T> BlockOf(const SortArgs& args, int64_t tile) {
  Block<T> block;
  const int64_t first = tile * args.columns, left = args.rows - first;
  block.columns = left < args.columns ? left : args.columns;
  for (int64_t c = 0; c < block.columns; ++c) {
    const int64_t outer = (first + c) / args.inner, inner = (first + c) % args.inner;
    block.in[c] = outer * args.length * args.inner + inner;
    block.out[c] = outer * args.take * args.inner + inner;
  }
  block.first = 0;
  block.length = args.length;
  block.stored = args.take;
  block.adjacent = args.inner > 1 && block.in[block.columns - 1] - block.in[0] == block.columns - 1;
  block.merged = false;
  return block;
}

// Elements [begin, end) of one row. The caller sets where its items are, one behind the other.
template <typename T>
Block<T> StretchOf(const SortArgs& args, int64_t row, int64_t begin, int64_t end) {
  Block<T> block;
  const int64_t outer = row / args.inner, inner = row % args.inner;
  block.columns = block.stride = 1;
  block.first = begin;
  block.length = block.stored = end - begin;
  block.in[0] = outer * args.length * args.inner + inner;
  block.out[0] = (outer * args.take + begin) * args.inner + inner;
  block.adjacent = block.merged = false;
  return block;
}

// Items from elements `from_step` apart; numbers from `number` on, each number_step more.
template <typename T, typename W>
TREADLE_INLINE W LoadRun(const W* from, int64_t from_step, T* to, int64_t to_step, int64_t count, const KeyMap<W>& map,
                         int shift, bool first, uint64_t number, uint64_t number_step) {
  W merged = 0;
  for (int64_t i = 0; i < count; ++i, number += number_step) {
    const T key = static_cast<T>(static_cast<T>(map.Key(from[i * from_step], &merged)) << shift);
    to[i * to_step] = static_cast<T>(key | (first ? static_cast<T>(number) : to[i * to_step]));
  }
  return merged;
}

template <typename T, typename W>
bool LoadKey(const void* buffer, const KeyArgs& args, int64_t step, bool first, bool numbered, const Block<T>& block) {
  if constexpr (sizeof(W) > sizeof(T)) {
    return false;
  } else {
    const KeyMap<W> map(args);
    const W* elements = static_cast<const W*>(buffer);
    const int shift = static_cast<int>(args.shift);
    W merged = 0;
    if (block.adjacent) {
      const bool packed = block.items[block.columns - 1] - block.items[0] == block.columns - 1;
      for (int64_t i = 0; i < block.length; ++i) {
        const W* from = elements + block.in[0] + (block.first + i) * step;
        const uint64_t number = numbered ? static_cast<uint64_t>(block.first + i) : 0;
        if (packed) {
          merged |=
              LoadRun<T, W>(from, 1, block.items[0] + i * block.stride, 1, block.columns, map, shift, first, number, 0);
        } else {
          for (int64_t c = 0; c < block.columns; ++c)
            merged |= LoadRun<T, W>(from + c, 1, block.items[c] + i * block.stride, 1, 1, map, shift, first, number, 0);
        }
      }
    } else {
      for (int64_t c = 0; c < block.columns; ++c) {
        const W* from = elements + block.in[c] + block.first * step;
        const uint64_t number = numbered ? static_cast<uint64_t>(block.first) : 0;
        if (step == 1 && block.stride == 1) {
          merged |= LoadRun<T, W>(from, 1, block.items[c], 1, block.length, map, shift, first, number, numbered);
        } else {
          merged |= LoadRun<T, W>(from, step, block.items[c], block.stride, block.length, map, shift, first, number,
                                  numbered);
        }
      }
    }
    return merged != 0;
  }
}

// Calls F with an unsigned integer of so many bytes.
template <typename F>
TREADLE_INLINE void WithWidth(int64_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

// Fills the block's items.
template <typename T>
void LoadItems(const TreadleCallFrame* frame, const SortArgs& args, Block<T>& block) {
  for (int64_t k = 0; k < args.keys; ++k) {
    const KeyArgs& key = args.key()[k];
    const void* buffer = frame->buffers[key.buffer];
    const bool numbered = args.position_bits > 0;
    WithWidth(key.bytes, [&](auto zero) {
      block.merged |= LoadKey<T, decltype(zero)>(buffer, key, args.inner, k == 0, numbered, block);
    });
  }
}

// Calls each(i, c) for the items of each row that are stored, in the order in which outputs lie in memory.
template <typename T, typename Each>
TREADLE_INLINE void ForOutputs(const Block<T>& block, Each each) {
  if (block.adjacent) {
    for (int64_t i = 0; i < block.stored; ++i) {
      for (int64_t c = 0; c < block.columns; ++c) each(i, c);
    }
  } else {
    for (int64_t c = 0; c < block.columns; ++c) {
      for (int64_t i = 0; i < block.stored; ++i) each(i, c);
    }
  }
}

template <typename T>
TREADLE_INLINE int64_t NumberOf(T item, int position_bits) {
  if constexpr (sizeof(T) == 16) {
    return static_cast<int64_t>(item);
  } else {
    return static_cast<int64_t>(item & static_cast<T>((T{1} << position_bits) - 1));
  }
}

template <typename T, typename W>
void StoreNumbers(const SortArgs& args, W* to, const Block<T>& block) {
  const int bits = static_cast<int>(args.position_bits);
  ForOutputs(block, [&](int64_t i, int64_t c) {
    to[block.out[c] + i * args.inner] = static_cast<W>(NumberOf(block.items[c][i * block.stride], bits));
  });
}

template <typename T, typename W>
void StoreElements(const SortArgs& args, const W* from, W* to, const Block<T>& block) {
  const int bits = static_cast<int>(args.position_bits);
  ForOutputs(block, [&](int64_t i, int64_t c) {
    const int64_t number = NumberOf(block.items[c][i * block.stride], bits);
    to[block.out[c] + i * args.inner] = from[block.in[c] + number * args.inner];
  });
}

// Elements of the only key, made from items. Merged ones are wrong; see PlaceMerged.
template <typename T, typename W>
void StoreKeys(const SortArgs& args, W* to, const Block<T>& block) {
  if constexpr (sizeof(W) <= sizeof(T)) {
    const KeyMap<W> map(args.key()[0]);
    const int shift = static_cast<int>(args.position_bits);
    ForOutputs(block, [&](int64_t i, int64_t c) {
      to[block.out[c] + i * args.inner] = map.Element(static_cast<W>(block.items[c][i * block.stride] >> shift));
    });
  }
}

// Where items hold no numbers: zeros and NaNs of whole rows of the operand, in order, to where they belong among the
// outputs.
template <typename T, typename W>
void PlaceMerged(const SortArgs& args, const W* from, W* to, const Block<T>& block) {
  const KeyMap<W> map(args.key()[0]);
  W ignored = 0;
  const W zero = map.Key(0, &ignored), nan = map.Key(KeyMap<W>::Magnitude(static_cast<W>(~W{0})), &ignored);
  for (int64_t c = 0; c < block.columns; ++c) {
    const W* row = from + block.in[c];
    int64_t zeros = 0, nans = 0;  // where the first one of each goes
    for (int64_t i = 0; i < args.length; ++i) {
      const W key = map.Key(row[i * args.inner], &ignored);
      zeros += key < zero;
      nans += key < nan;
    }
    for (int64_t i = 0; i < args.length; ++i) {
      const W element = row[i * args.inner];
      const bool is_nan = map.IsNan(element);
      if (!is_nan && !map.IsZero(element)) continue;
      const int64_t place = is_nan ? nans++ : zeros++;
      if (place < args.take) to[block.out[c] + place * args.inner] = element;
    }
  }
}

template <typename T, typename W>
void StoreOutput(const TreadleCallFrame* frame, const SortArgs& args, const OutputArgs& output, const Block<T>& block) {
  W* to = static_cast<W*>(frame->buffers[output.to]);
  if (output.from < 0) return StoreNumbers<T, W>(args, to, block);
  const W* from = static_cast<const W*>(frame->buffers[output.from]);
  const bool numbered = args.position_bits > 0;
  if (numbered && (!output.is_key || block.merged)) return StoreElements<T, W>(args, from, to, block);
  StoreKeys<T, W>(args, to, block);
}

template <typename T, typename W>
void PlaceOutput(const TreadleCallFrame* frame, const SortArgs& args, const OutputArgs& output, const Block<T>& block) {
  PlaceMerged<T, W>(args, static_cast<const W*>(frame->buffers[output.from]),
                    static_cast<W*>(frame->buffers[output.to]), block);
}

// Writes the merged elements of a block of whole rows whose items hold no numbers, after StoreOutputs.
template <typename T>
void PlaceOutputs(const TreadleCallFrame* frame, const SortArgs& args, const Block<T>& block) {
  const OutputArgs& output = args.output()[0];
  WithWidth(output.bytes, [&](auto zero) { PlaceOutput<T, decltype(zero)>(frame, args, output, block); });
}

// Writes all outputs of a block whose items are in order; merged elements only where items hold numbers.
template <typename T>
void StoreOutputs(const TreadleCallFrame* frame, const SortArgs& args, const Block<T>& block) {
  for (int64_t k = 0; k < args.outputs; ++k) {
    const OutputArgs& output = args.output()[k];
    WithWidth(output.bytes, [&](auto zero) { StoreOutput<T, decltype(zero)>(frame, args, output, block); });
  }
}

// Both, for blocks of whole rows.
template <typename T>
void StoreRows(const TreadleCallFrame* frame, const SortArgs& args, const Block<T>& block) {
  StoreOutputs(frame, args, block);
  if (block.merged && args.position_bits == 0) PlaceOutputs(frame, args, block);
}

}  // namespace treadle::kernels::sort::TREADLE_ISA

#endif  // TREADLE_KERNELS_SORT_KEYS_H_
