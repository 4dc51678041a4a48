// Convolutions as steps of kernels: matrix products whose left operand a window walks.
//
// PlanConv turns a description of a convolution into the phases of a DotPlan (see dot.h): same buffers [lhs, rhs, out],
// same promises about tiles and threads, same types and accumulators. Nothing the size of the image times the window is
// ever made, and zeros between the elements of a dilated lhs are not multiplied: the results that share their taps are
// a product of their own, of those taps alone.
//
// The order of summation. An output is summed as dot.h tells it, over those taps that do not always meet zeros between
// elements; k walks the kernel as it lies in memory: its dimensions but for that of output features, the largest stride
// outermost, windows from their first tap to the last. m counts the images and the places that such a product has, n
// the output features of a group. Outside of the image lhs is 0 (and 0 * inf is NaN). It follows from the operation's
// attributes and types and from the CPU level, and from nothing else.
//
// Thread-safe: no state.
#ifndef TREADLE_KERNELS_DENSE_CONV_H_
#define TREADLE_KERNELS_DENSE_CONV_H_

#include <cstdint>
#include <vector>

#include "base/element_type.h"
#include "base/status.h"
#include "executable/target.h"
#include "kernels/dense/dot.h"

namespace treadle::kernels::dense {

// One spatial dimension. Sizes in elements; strides in elements of the operand or the result, of any sign.
struct ConvDim {
  int64_t input = 1, window = 1, output = 1;
  int64_t lhs = 0, rhs = 0, out = 0;
  int64_t stride = 1;  // of the window
  int64_t low = 0;     // padding before the first element of the dilated input; may be negative
  int64_t lhs_dilation = 1, rhs_dilation = 1;
  bool reversed = false;  // the window's last tap meets the first element
};

// out[g, b, o, f] = sum over taps t and features i of lhs[g, b, o * stride - low + t * rhs_dilation, i] * rhs[g, t, i,
// f].
struct ConvShape {
  DotDim groups;        // lhs, rhs, out
  DotDim batch;         // lhs, out
  DotDim in_features;   // of a group: lhs, rhs
  DotDim out_features;  // of a group: rhs, out
  std::vector<ConvDim> spatial;
};

// UNIMPLEMENTED where the types do not go together or there are too many dimensions: four spatial ones always fit.
StatusOr<DotPlan> PlanConv(const ConvShape& shape, ElementType lhs, ElementType rhs, ElementType out,
                           const executable::Target& target);

// How outputs are summed that share their taps: `places` of them for each output feature of a group, each of k terms.
SumOrder ConvSumOrder(const ConvShape& shape, int64_t places, int64_t k, ElementType accumulator);

}  // namespace treadle::kernels::dense

#endif  // TREADLE_KERNELS_DENSE_CONV_H_
