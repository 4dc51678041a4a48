// Operations on integers that the graph has as combinations of others: generators of random bits, and bitcasts between
// elements of different widths.
#ifndef TREADLE_COMPILER_OPTIMIZE_INTEGER_FORMULAS_H_
#define TREADLE_COMPILER_OPTIMIZE_INTEGER_FORMULAS_H_

#include "compiler/optimize/formula.h"

namespace treadle::compiler {

struct RandomBits {
  graph::ValueId state = -1, bits = -1;
};

// rng_bit_generator. `state`: ui64[2], key and counter; for Philox also ui64[3], key and a counter of 128 bits.
// `output` has integers of 8 to 64 bits. The bits are those of XLA's expansions of both algorithms (Salmon et al.,
// Parallel random numbers: as easy as 1, 2, 3; SC 2011), with which streams can be compared: 20 rounds of Threefry
// 2x32, 10 of Philox 4x32.
RandomBits ThreefryBits(Formula& f, graph::ValueId state, const Shape& output);
RandomBits PhiloxBits(Formula& f, graph::ValueId state, const Shape& output);

// bitcast_convert of what lies in memory: where elements of one side are several of the other, the lowest comes first.
// Booleans are single bits.
graph::ValueId BitcastInMemory(Formula& f, graph::ValueId x, const Shape& result);

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_INTEGER_FORMULAS_H_
