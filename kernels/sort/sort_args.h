// The push constants of the sort kernels: what sort.cc decides and the kernels of every ISA level obey.
//
// A row is sorted as *items*: unsigned integers that hold its keys, mapped so that their order is that of the integers,
// and behind them, in the lowest bits, the element's number in the row. So no two items are equal, and any way of
// sorting them is stable. Where the only output is the one key's own operand there is no number, and elements are made
// from items again.
#ifndef TREADLE_KERNELS_SORT_SORT_ARGS_H_
#define TREADLE_KERNELS_SORT_SORT_ARGS_H_

#include <cstdint>

namespace treadle::kernels::sort {

// How an element's bits, `bytes` wide, become a key: magnitudes (without the sign bit) below zero_end become 0, those
// above nan_start the greatest NaN; then negative ones are xor-ed with `fold`, then all with `flip`. Elements merged in
// the first two steps are those that the comparator takes for equal though their bits differ.
struct KeyArgs {
  int64_t buffer;
  int64_t bytes;
  int64_t shift;  // in the item
  uint64_t zero_end;
  uint64_t nan_start;
  uint64_t fold;
  uint64_t flip;
};

// An output: the elements of buffer `from`, or where that is -1 their numbers, in order.
struct OutputArgs {
  int64_t from;
  int64_t to;
  int64_t bytes;
  int64_t is_key;  // `from` is the operand of the only key
};

struct SortArgs {
  int64_t rows;    // to be sorted, each by itself
  int64_t length;  // of a row
  int64_t inner;   // rows next to each other: element i of row r is number (r / inner * length + i) * inner + r % inner
  int64_t take;    // the first so many of each row are wanted: the length of the outputs' rows
  int64_t columns;        // rows of a tile
  int64_t position_bits;  // of an item; 0: no numbers
  int64_t item_bits;
  int64_t candidates;     // selections: for the first of a row, held at a time
  int64_t groups;         // selections: whose least elements bound the wanted ones; 0: no bound is sought
  int64_t by_network;     // selections: what is selected is sorted by a network
  int64_t chunks;         // long rows: of each, for one tile
  int64_t row_bytes;      // long rows: scratch of each
  int64_t keys, outputs;  // KeyArgs, then OutputArgs follow
  const KeyArgs* key() const { return reinterpret_cast<const KeyArgs*>(this + 1); }
  const OutputArgs* output() const { return reinterpret_cast<const OutputArgs*>(key() + keys); }
};

// Rows that a tile has at most: 16-bit items in the longest vectors.
inline constexpr int64_t kMaxColumns = 32;

// Elements that a selection looks at before it makes room.
inline constexpr int64_t kSelectChunk = 128;

// Up to here rows are sorted by insertion where there is no network.
inline constexpr int64_t kInsertionLength = 48;

// Of a long row.
inline constexpr int kBucketBits = 11;
inline constexpr int64_t kBuckets = int64_t{1} << kBucketBits;

constexpr int64_t AlignedBytes(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Counters of a radix sort: those of one digit twice.
inline constexpr int64_t kCounterBytes = 2 * 256 * sizeof(uint32_t);

}  // namespace treadle::kernels::sort

#endif  // TREADLE_KERNELS_SORT_SORT_ARGS_H_
