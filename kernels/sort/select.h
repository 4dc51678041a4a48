// The first few of a row: what may be among them is collected as the row goes by, and thinned out now and then.
// Compiled once per ISA level, as dense/vec.h.
#ifndef TREADLE_KERNELS_SORT_SELECT_H_
#define TREADLE_KERNELS_SORT_SELECT_H_

#include <cstdint>

#include "kernels/dense/vec.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/radix.h"
#include "kernels/sort/sort_args.h"

namespace treadle::kernels::sort::TREADLE_ISA {

// Bit l is set where lane l of a is below `limit`.
template <typename K>
TREADLE_INLINE uint32_t LanesBelow(Vec<K> a, K limit) {
  typedef bool Bools __attribute__((ext_vector_type(kLanes<K>)));
  const Bools below = __builtin_convertvector(a < limit, Bools);
  if constexpr (kLanes<K> == 16) {
    return __builtin_bit_cast(uint16_t, below);
  } else {
    return __builtin_bit_cast(uint8_t, below) & ((1u << kLanes<K>)-1);
  }
}

// Items T of a key K and, in the lower half, the element's number.
template <typename T, typename K>
class Selector {
 public:
  // Both hold as many as args.candidates says.
  Selector(const SortArgs& args, T* candidates, T* spare)
      : args_(args), candidates_(candidates), minima_(reinterpret_cast<K*>(spare)) {}

  // The least `take` items of the row that begins at `elements` are candidates()[0, take) then, in any order. `merged`:
  // gets true where an element is not told by its key.
  template <typename W>
  void Run(const W* elements, const KeyArgs& key, bool* merged_any) {
    const KeyMap<W> map(key);
    W merged = 0;
    if (args_.groups > 0) Bound(elements, map);
    for (int64_t first = 0; first < args_.length; first += kSelectChunk) {
      const int64_t left = args_.length - first, count = left < kSelectChunk ? left : kSelectChunk;
      if (count_ + count > args_.candidates) ThinOut();
      K keys[kSelectChunk];
      const W* from = elements + first * args_.inner;
      if (args_.inner == 1) {
        for (int64_t i = 0; i < count; ++i) keys[i] = map.Key(from[i], &merged);
      } else {
        for (int64_t i = 0; i < count; ++i) keys[i] = map.Key(from[i * args_.inner], &merged);
      }
      Collect(keys, count, first);
    }
    if (count_ > args_.take) SelectLeast(candidates_, count_, args_.take);
    *merged_any |= merged != 0;
  }

 private:
  static constexpr int kKeyBits = 8 * sizeof(K);

  // Element i belongs to group i modulo their number. As many groups as elements are wanted have one at or below the
  // worst of their minima, so nothing above that is wanted. A few more elements than the wanted ones are left.
  template <typename W>
  void Bound(const W* elements, const KeyMap<W>& map) {
    W ignored = 0;
    for (int64_t g = 0; g < args_.groups; ++g) minima_[g] = static_cast<K>(~K{0});
    for (int64_t first = 0; first + kSelectChunk <= args_.length; first += kSelectChunk) {
      K* group = minima_ + first % args_.groups;
      const W* from = elements + first * args_.inner;
      for (int64_t i = 0; i < kSelectChunk; ++i) {
        const K key = map.Key(from[args_.inner == 1 ? i : i * args_.inner], &ignored);
        group[i] = key < group[i] ? key : group[i];
      }
    }
    for (count_ = 0; count_ < args_.groups;) Add(minima_[count_], count_);
    ThinOut();
    count_ = 0;
    limited_ = limit_ != static_cast<K>(~K{0});
    ++limit_;  // those that are equal may be wanted
  }

  void Add(K key, int64_t number) {
    candidates_[count_++] = static_cast<T>(static_cast<T>(key) << kKeyBits | static_cast<T>(number));
  }

  void Collect(const K* keys, int64_t count, int64_t first) {
    if (!limited_) {
      for (int64_t i = 0; i < count; ++i) Add(keys[i], first + i);
      return;
    }
    int64_t i = 0;
    for (; i + kLanes<K> <= count; i += kLanes<K>) {
      for (uint32_t lanes = LanesBelow<K>(Load<K>(keys + i), limit_); lanes != 0; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        Add(keys[i + lane], first + i + lane);
      }
    }
    for (; i < count; ++i) {
      if (keys[i] < limit_) Add(keys[i], first + i);
    }
  }

  // Keeps the best. From now on an element must have a lower key than the last of those: of equal ones it comes later.
  void ThinOut() {
    if (count_ <= args_.take) return;
    SelectLeast(candidates_, count_, args_.take);
    count_ = args_.take;
    T last = 0;
    for (int64_t i = 0; i < count_; ++i) last = candidates_[i] > last ? candidates_[i] : last;
    limit_ = static_cast<K>(last >> kKeyBits);
    limited_ = true;
  }

  const SortArgs& args_;
  T* candidates_;
  K* minima_;
  int64_t count_ = 0;
  bool limited_ = false;
  K limit_ = 0;
};

}  // namespace treadle::kernels::sort::TREADLE_ISA

#endif  // TREADLE_KERNELS_SORT_SELECT_H_
