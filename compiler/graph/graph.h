// A StableHLO program as plain data: what the optimiser hands to the planner. No MLIR here.
//
// Values are tensors with static shapes, numbered through the whole program; each is defined once, by an operation or
// as an argument of a region. Regions of control flow read values of the regions around them freely. Function calls
// have been inlined, composites and CHLO expanded, complex numbers split, so `op_codes.def` is all there is.
#ifndef TREADLE_COMPILER_GRAPH_GRAPH_H_
#define TREADLE_COMPILER_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "base/sharding.h"

namespace treadle::graph {

enum class OpClass : uint8_t { kElementwise, kMovement, kOther };

enum class OpCode : uint8_t {
#define GRAPH_OP(code, name, cls) code,
#include "compiler/graph/op_codes.def"
};

std::string_view OpName(OpCode code);  // "stablehlo.add"
OpClass OpClassOf(OpCode code);

using ValueId = int32_t;
using OpId = int32_t;
using RegionId = int32_t;
inline constexpr OpId kNoOp = -1;

enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

// Dimension numbers of dot_general. Result dimensions: batch, then lhs free, then rhs free, each in operand order.
struct DotDims {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  bool operator==(const DotDims&) const = default;
};

// Dimension numbers of gather and scatter: windows of the operand at places that a tensor of indices gives. An *index
// vector* lies along `index_vector` of the indices; the other dimensions of the indices, in order, are those of the
// result (scatter: the updates) that are not in `window`.
struct IndexedWindows {
  std::vector<int64_t> window;         // offset_dims, update_window_dims: where the result walks a window
  std::vector<int64_t> dropped;        // collapsed_slice_dims, inserted_window_dims: operand dimensions it does not
  std::vector<int64_t> operand_batch;  // operand dimensions that are walked with those of the indices
  std::vector<int64_t> indices_batch;
  std::vector<int64_t> index_map;  // start_index_map: the operand dimension of each component of an index vector
  int64_t index_vector = 0;        // the rank of the indices where index vectors have one component
  bool operator==(const IndexedWindows&) const = default;
};

// Where the dimensions of an operand or the result of a convolution are.
struct ConvLayout {
  int64_t batch = 0;    // kernel: input features
  int64_t feature = 0;  // kernel: output features
  std::vector<int64_t> spatial;
  bool operator==(const ConvLayout&) const = default;
};

struct Convolution {
  ConvLayout lhs, rhs, out;
  std::vector<bool> reversed;  // by spatial dimension: the last tap comes first
  int64_t feature_groups = 1, batch_groups = 1;
  bool operator==(const Convolution&) const = default;
};

// What kernels/ has an algorithm for. Complex arrays are pairs along a last dimension of 2; matrices are the last two
// dimensions before that. Operands and results, then what `numbers` of an AlgorithmCall says:
enum class Algorithm : uint8_t {
  // x: transformed along one dimension. kernels::fft::FftKind, its length n, the dimension.
  kFft,
  kCholesky,          // a: its factor, all of it, the other triangle 0. Whether it is the lower one.
  kTriangularSolve,   // a, b: x. Left side, lower, unit diagonal, 0: a, 1: its transpose, 2: the adjoint.
  kLu,                // a: factors in one array, pivots, permutation (both i32)
  kQr,                // a: R and the reflectors below, their scales tau
  kReflectorProduct,  // reflectors, tau: their product, or its first columns
  kEigh,              // a: eigenvectors, eigenvalues. Whether its lower triangle is read.
  kTridiagonalSolve,  // below, diagonal, above, b: x. Whether tiny pivots are perturbed.
  kSvd,               // a: singular values, u, v^H. Whether u and v are square.
};

struct AlgorithmCall {
  Algorithm algorithm = Algorithm::kFft;
  bool complex = false;  // the first operand, or for real transforms' results the result, is pairs
  std::vector<int64_t> numbers;
  bool operator==(const AlgorithmCall&) const = default;
};

std::string_view AlgorithmName(Algorithm algorithm);  // "fft"

// Who meets whom in an exchange; participants as in base/sharding.h.
struct Exchange {
  std::vector<std::vector<int32_t>> groups;   // each participant is in one
  std::vector<std::vector<int32_t>> sources;  // for each participant: of its group, the same number for all
};

// What a transfer does: it puts its operands into a channel, or takes its results from one. Channels are queues of
// messages that the host and other programs see, too (runtime/channels.h).
struct Transfer {
  bool puts = false;
  // By participant, or one for all. Without a name: nothing is put, zeros are taken.
  std::vector<std::string> channels;
  bool of_device = false;   // each device has a channel of that name
  std::string config = {};  // what goes with a message that is put
  // Of the arrays, as the host sees them: complex where operands and results are pairs along a last dimension of 2.
  std::vector<Shape> shapes;
};

// The shape of complex numbers whose parts are pairs along a last dimension of 2.
Shape OfComplex(Shape pairs);

// What an operation says beyond its operands. Which fields hold for which op:
//   dims      broadcast_in_dim broadcast_dimensions; transpose permutation; reverse, reduce dimensions;
//             concatenate, iota, sort [dimension], never negative
//   (sort: results have the operands' shape, or less along the dimension: the first of each row)
//   starts limits strides    slice; dynamic_slice, gather: limits = slice_sizes
//   low high interior        pad (operands: operand, padding value)
//   limits strides low high  reduce_window: window dimensions, strides, padding; interior: base dilations less one;
//   dilations                window dilations
//   conv pairs strides low high interior dilations  convolution: by spatial dimension, as for reduce_window; pairs as
//             for dot_general
//   direction total_order    compare
//   exponent_bits mantissa_bits  reduce_precision
//   dot pairs dot_general; pairs: of complex numbers, operands and result are pairs along a last dimension of 2, which
//             `dot` leaves out
//   windows   gather, scatter
//   unique    scatter: no element is updated twice
//   literal splat            constant: row-major bytes in memory format (i1: a byte each); splat: one element stands
//   for all
//   exchange  exchange
//   call      algorithm
//   transfer  transfer
struct Attributes {
  std::vector<int64_t> dims, starts, limits, strides, low, high, interior, dilations;
  Direction direction = Direction::kEq;
  bool total_order = false;
  int exponent_bits = 0, mantissa_bits = 0;
  DotDims dot;
  std::shared_ptr<const Convolution> conv;
  bool pairs = false;
  IndexedWindows windows;
  bool unique = false;
  std::shared_ptr<const std::string> literal;
  bool splat = false;
  std::shared_ptr<const Exchange> exchange;
  std::shared_ptr<const AlgorithmCall> call;
  std::shared_ptr<const Transfer> transfer;
};

struct Op {
  OpCode code;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  Attributes attrs;
  int32_t location = -1;  // index into Graph::locations
};

struct Value {
  Shape shape;
  OpId def = kNoOp;     // kNoOp: an argument of `region`
  RegionId region = 0;  // where it is defined
};

// Arguments, operations in program order, results.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
  std::vector<ValueId> results;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Region> regions;  // regions[0] is the program
  std::vector<bool> donated;    // per argument of the program: its memory may be taken
  // Per argument: the result that must take its memory where the caller donates it (tf.aliasing_output), or -1.
  std::vector<int32_t> aliased_result;
  // Per argument and result of the program: whether its elements, pairs along a last dimension of 2, are complex
  // numbers to the caller. Empty: none are.
  std::vector<bool> complex_arguments, complex_results;
  // The last argument of the program is not the caller's: an i32, the participant.
  bool knows_participant = false;
  // How arguments (of the caller) and results are spread over the devices. Empty for programs of one device.
  std::vector<Sharding> argument_shardings, result_shardings;
  // Values of the program are whole arrays, though arguments and results are not (executable::View::kGlobal).
  bool global_view = false;
  std::vector<std::string> locations;  // "model.py:12:8 (jit(step)/dot_general)"

  const Shape& shape(ValueId value) const { return values[value].shape; }
  const std::string& location(const Op& op) const;
  // Arguments and results of the program as its caller sees them.
  Shape ArgumentShape(size_t number) const;
  Shape ResultShape(size_t number) const;

  ValueId AddValue(Shape shape, RegionId region, OpId def = kNoOp);
  RegionId AddRegion();
  // Appends to `region`; makes a value for each of `result_shapes`.
  OpId AddOp(RegionId region, OpCode code, std::vector<ValueId> operands, std::vector<Shape> result_shapes,
             Attributes attrs = {}, std::vector<RegionId> regions = {}, int32_t location = -1);
};

// Whether the operation is a transfer or holds one: then it happens, and in its place, whoever reads its results.
bool Transfers(const Graph& graph, const Op& op);

// One line an operation; for people and tests.
std::string Print(const Graph& graph);

}  // namespace treadle::graph

#endif  // TREADLE_COMPILER_GRAPH_GRAPH_H_
