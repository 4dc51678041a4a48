// The sort kernels for one ISA level; compiled once per level with TREADLE_ISA set to its name. What they do is decided
// in sort.cc and told by SortArgs.
#include "executable/kernel_abi.h"
#include "kernels/sort/keys.h"
#include "kernels/sort/network.h"
#include "kernels/sort/radix.h"
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
    StoreOutputs(frame, args, block);
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
    StoreOutputs(frame, args, block);
  }
  return TREADLE_KERNEL_OK;
}

template <typename T>
constexpr KernelSet kSet = {NetworkKernel<T>, RowsKernel<T>, nullptr};

}  // namespace

extern const IsaKernels kIsaKernels = {
    kSet<uint16_t>, kSet<uint32_t>, kSet<uint64_t>, {nullptr, RowsKernel<Wide>, nullptr}};

}  // namespace treadle::kernels::sort::TREADLE_ISA
