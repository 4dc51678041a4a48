// The push constants of the dot kernels: what dot.cc decides and the kernels of every ISA level obey. Plain words, so
// that an executable can carry them; only dot.cc writes them and only dot_kernels.cc and its headers read them.
#ifndef TREADLE_KERNELS_DENSE_DOT_ARGS_H_
#define TREADLE_KERNELS_DENSE_DOT_ARGS_H_

#include <stdint.h>

namespace treadle::kernels::dense {

inline constexpr int kMaxDims = 6;
inline constexpr int kMaxWindows = 5;
inline constexpr int kChannelBatches = 256;  // batches that a tile of dot_channels has, at most
inline constexpr int kChannelPanelRows =
    32;  // rows of a tile of dot_channels and, where they are not stored at once, of its panel
inline constexpr int64_t kPanelBytes = 16 << 10;  // of a panel of results, about

// A linear index over the dims of one group (say all m dims), seen from one operand: outermost dim first, strides in
// elements of the operand. Collapsed, so that most groups have one dim. No dims: the group has one element.
struct Group {
  int64_t dims;
  int64_t size[kMaxDims];
  int64_t stride[kMaxDims];
};

// How an index of a group moves a window: by `step` with every `unit` of the index along `dim`; -1: not at all.
struct WindowSide {
  int64_t dim, unit, step;
};

// An element of the windowed operand counts as 0 where `start` and the moves along m and k together are not in
// [0, size).
struct Window {
  WindowSide m, k;
  int64_t start, size;
};

enum RhsMode : int64_t {
  kRhsDirect,   // the kernel reads rows of the tensor: elements of the compute type, contiguous along n
  kRhsTile,     // each tile packs the block that it is about to use
  kRhsTurned,   // few rows of lhs, elements of the compute type contiguous along k: turned in registers, never stored
  kRhsScratch,  // a phase before packs all of it into scratch
};

enum OutMode : int64_t {
  kOutDirect,     // the register tile is stored in the output
  kOutStore,      // panels are converted and stored with the output's strides
  kOutPartial,    // part of k: the register tile is stored in scratch, dot_fold adds the parts
  kOutPanels,     // the epilogue is called on panels
  kOutWholeRows,  // the epilogue is called on panels that span all columns
};

// Complex products are real ones: lhs rows are read as (re, im, re, im ...), each rhs row (re, im) becomes the two rows
// (re, im ...) and (-im, re ...), so the result comes out as (re, im) pairs. m, n, k and the lhs and out groups
// below count reals, the rhs groups count complex numbers.
struct DotArgs {
  int64_t m, n, k, batch;
  int64_t lhs_type, rhs_type, out_type;  // ElementType
  int64_t lhs_buffer, rhs_buffer;        // 0 and 1, or 1 and 0 where the product is computed transposed
  int64_t complex_rhs;
  int64_t lhs_start, rhs_start,
      out_start;  // of the elements with indices 0, in elements (of complex ones: lhs, out: parts)
  // Of lhs, or of rhs where the product is computed transposed; that operand is packed.
  int64_t windows;
  Window window[kMaxWindows];
  // Tiles: (part of k, group of batches, columns, rows), rows fastest. Rows are split evenly in m_tiles, panels (of two
  // vectors of columns each) evenly in n_tiles.
  int64_t parts, part_k, batch_tile, n_tiles, m_tiles;
  int64_t kc;  // k is walked in blocks of kc; part_k is a multiple
  int64_t pack_lhs;
  int64_t lhs_along_m;  // packed lhs is [register tile of rows][k][row], else [m][k]
  int64_t rhs_mode, out_mode;
  int64_t group_panels;  // panels that are finished together in one buffer
  // Bytes into `local` and `scratch`; ld_* in elements.
  int64_t local_lhs, lhs_ld, local_rhs, local_out, local_call, local_epilogue;
  int64_t scratch_rhs, scratch_parts;
  // Where phases before put a copy of an operand in the compute type, which its groups describe then; -1: nowhere.
  int64_t copied_lhs, copied_rhs;
  int64_t epilogue_buffers, epilogue_args;  // how many of the step's follow
  Group lhs_m, lhs_k, rhs_k, rhs_n, out_m, out_n;
  Group lhs_batch, rhs_batch, out_batch;
};

inline constexpr int kDotArgsWords = sizeof(DotArgs) / sizeof(uint64_t);
static_assert(sizeof(DotArgs) % sizeof(uint64_t) == 0);

// Parts of k that one output is summed from, at most.
inline constexpr int kMaxParts = 64;

// Lanes of the order of summation of narrow products: 256 bytes of them on every ISA level.
template <typename T>
inline constexpr int kSumLanes = 256 / sizeof(T);

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_DOT_ARGS_H_
