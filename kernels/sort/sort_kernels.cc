// The sort kernels for one ISA level; compiled once per level with TREADLE_ISA set to its name. What they do is decided
// in sort.cc and told by SortArgs.
#include "executable/kernel_abi.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/long_rows.h"
#include "kernels/sort/network.h"
#include "kernels/sort/radix.h"
#include "kernels/sort/select.h"
#include "kernels/sort/sort_args.h"
#include "kernels/sort/sort_isa.h"

namespace treadle::kernels::sort::TREADLE_ISA {
namespace {

const SortArgs& ArgsOf(const TreadleCallFrame* frame) { return *reinterpret_cast<const SortArgs*>(frame->args); }

// Short rows: as many as a vector has lanes, each in one lane. Local: the rows' items.
template <typename T>
int NetworkKernel(const TreadleCallFrame* frame) {
  const SortArgs& args = ArgsOf(frame);
  T* items = static_cast<T*>(frame->local);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    Block<T> block = BlockOf<T>(args, tile);
    block.stride = kLanes<T>;
    for (int64_t c = 0; c < block.columns; ++c) block.items[c] = items + c;
    LoadItems(frame, args, block);
    Network<T>::Sort(items, args.length);
    StoreRows(frame, args, block);
  }
  return TREADLE_KERNEL_OK;
}

// Rows one after the other. Local: counters, then the items of a tile's rows, and of one row more.
template <typename T>
int RowsKernel(const TreadleCallFrame* frame) {
  const SortArgs& args = ArgsOf(frame);
  auto counters = static_cast<uint32_t*>(frame->local);
  T* items = reinterpret_cast<T*>(static_cast<char*>(frame->local) + kCounterBytes);
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    Block<T> block = BlockOf<T>(args, tile);
    block.stride = 1;
    for (int64_t c = 0; c < block.columns; ++c) block.items[c] = items + c * args.length;
    T* spare = items + block.columns * args.length;
    LoadItems(frame, args, block);
    for (int64_t c = 0; c < block.columns; ++c) {
      T* sorted = RadixSort(block.items[c], spare, args.length, static_cast<int>(args.position_bits), counters);
      if (sorted == spare) spare = block.items[c];
      block.items[c] = sorted;
    }
    StoreRows(frame, args, block);
  }
  return TREADLE_KERNEL_OK;
}

// Candidates of row `in` of the only key, thinned out to the wanted ones.
template <typename T, typename K>
void Select(const TreadleCallFrame* frame, const SortArgs& args, int64_t in, T* candidates, T* spare, bool* merged) {
  const KeyArgs& key = args.key()[0];
  const void* buffer = frame->buffers[key.buffer];
  Selector<T, K> selector(args, candidates, spare);
  if constexpr (sizeof(K) == 8) {
    selector.Run(static_cast<const uint64_t*>(buffer) + in, key, merged);
  } else if (key.bytes == 4) {
    selector.Run(static_cast<const uint32_t*>(buffer) + in, key, merged);
  } else if (key.bytes == 2) {
    selector.Run(static_cast<const uint16_t*>(buffer) + in, key, merged);
  } else {
    selector.Run(static_cast<const uint8_t*>(buffer) + in, key, merged);
  }
}

// The first few of each row. Local: counters, candidates of one row, as many again, then the items of a tile's rows,
// in lanes if a network sorts them.
template <typename T, typename K>
int SelectKernel(const TreadleCallFrame* frame) {
  const SortArgs& args = ArgsOf(frame);
  auto counters = static_cast<uint32_t*>(frame->local);
  T* candidates = reinterpret_cast<T*>(static_cast<char*>(frame->local) + kCounterBytes);
  T *spare = candidates + args.candidates, *items = spare + args.candidates;
  for (int64_t tile = frame->tile_begin; tile < frame->tile_end; ++tile) {
    Block<T> block = BlockOf<T>(args, tile);
    block.stride = args.by_network ? kLanes<uint64_t> : 1;
    for (int64_t c = 0; c < block.columns; ++c) {
      Select<T, K>(frame, args, block.in[c], candidates, spare, &block.merged);
      block.items[c] = args.by_network ? items + c : items + c * args.take;
      const T* chosen = candidates;
      // In no order, so by their numbers too.
      if (!args.by_network) chosen = RadixSort(candidates, spare, args.take, 0, counters);
      for (int64_t i = 0; i < args.take; ++i) block.items[c][i * block.stride] = chosen[i];
    }
    if constexpr (sizeof(T) == 8) {
      if (args.by_network) Network<T>::Sort(items, args.take);
    }
    StoreRows(frame, args, block);
  }
  return TREADLE_KERNEL_OK;
}

template <typename T>
constexpr KernelSet SetOf(TreadleKernel network, TreadleKernel select) {
  return {network,          RowsKernel<T>,     select,          LoadLongRows<T>,
          CountLongRows<T>, SpreadLongRows<T>, SortLongRows<T>, PlaceLongRows<T>};
}

}  // namespace

extern const IsaKernels kIsaKernels = {SetOf<uint16_t>(NetworkKernel<uint16_t>, nullptr),
                                       SetOf<uint32_t>(NetworkKernel<uint32_t>, nullptr),
                                       SetOf<uint64_t>(NetworkKernel<uint64_t>, SelectKernel<uint64_t, uint32_t>),
                                       SetOf<Wide>(nullptr, SelectKernel<Wide, uint64_t>)};

}  // namespace treadle::kernels::sort::TREADLE_ISA
