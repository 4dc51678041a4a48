// Tensors of complex numbers as pairs of real ones: their memory, their literals, their products.
#ifndef TREADLE_COMPILER_OPTIMIZE_COMPLEX_TENSORS_H_
#define TREADLE_COMPILER_OPTIMIZE_COMPLEX_TENSORS_H_

#include <map>
#include <tuple>

#include "compiler/optimize/complex_math.h"

namespace treadle::compiler {

// The shape of the parts, and of complex numbers in memory: those have a last dimension of 2 more, real part first.
Shape PartShape(const Shape& complex);
Shape PairShape(const Shape& complex);

// Tensors in memory form and their parts, so that what goes back into the form it came from costs nothing. Of one
// graph.
class ComplexPairs {
 public:
  // `pairs` is of a shape PairShape(f's), with f's shape that of a part.
  Complex Parts(Formula& f, graph::ValueId pairs);
  graph::ValueId Pairs(Formula& f, Complex parts);

 private:
  // By the region that they stand in and the parts.
  std::map<std::tuple<graph::RegionId, graph::ValueId, graph::ValueId>, graph::ValueId> pairs_;
};

// A complex constant with literal `attrs` (see graph::Attributes). f's shape is that of a part.
Complex ComplexConstant(Formula& f, const graph::Attributes& attrs);

// A dot_general or convolution of operands in memory form. f's shape is that of a part of the result.
Complex ComplexProduct(Formula& f, ComplexPairs& pairs, graph::OpCode code, graph::Attributes attrs, Complex lhs,
                       Complex rhs);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_COMPLEX_TENSORS_H_
