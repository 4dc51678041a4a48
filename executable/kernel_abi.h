/* The kernel ABI: what lies between code that computes (emitted or written by hand) and the runtime that calls it.
 * Plain C, so that any language can provide or call kernels.
 *
 * A kernel is a function over a range of *tiles*. How many tiles a step has, and what a tile covers, is fixed by sizes
 * alone; the executor hands out ranges of tiles, in any order, to any number of threads, each tile exactly once. A
 * kernel must not rely on which ranges it is given: results are the same bits for every split. */
#ifndef TREADLE_EXECUTABLE_KERNEL_ABI_H_
#define TREADLE_EXECUTABLE_KERNEL_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TreadleCallFrame;

/* Returns 0, or a TreadleKernelError. */
typedef int (*TreadleKernel)(const struct TreadleCallFrame* frame);

enum TreadleKernelError {
  TREADLE_KERNEL_OK = 0,
  TREADLE_KERNEL_INVALID_ARGUMENT = 3,
  TREADLE_KERNEL_RESOURCE_EXHAUSTED = 8,
  TREADLE_KERNEL_UNIMPLEMENTED = 12,
  TREADLE_KERNEL_INTERNAL = 13,
};

typedef struct TreadleCallFrame {
  /* Tensors in the kernel's own order, inputs and outputs. Dense unless the push constants say otherwise. Alignment:
   * that of the element type; buffers of the runtime's own are 64-byte aligned, imported memory need not be. An output
   * may be the same memory as an input only where the kernel declared that it may. Null for tensors without elements.
   */
  void* const* buffers;
  /* Push constants: sizes, strides, scalar literals. 8 bytes each: integers sign- or zero-extended to 64 bits, floats
   * as their bits in the low end. */
  const uint64_t* args;
  /* Memory for this call alone (one per running worker), 64-byte aligned, contents undefined. Size: the step's. */
  void* local;
  /* Memory shared by all calls of one step, and by the steps that name the same scratch value. 64-byte aligned. */
  void* scratch;
  /* Kernels that this one calls back, for instance the epilogue of a matrix product. Null where there are none. */
  const TreadleKernel* callbacks;
  int64_t tile_begin;
  int64_t tile_end;
} TreadleCallFrame;

#ifdef __cplusplus
}
static_assert(sizeof(TreadleCallFrame) == 56, "emitted code relies on the layout");
#endif

#endif /* TREADLE_EXECUTABLE_KERNEL_ABI_H_ */
