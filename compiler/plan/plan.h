// The loop plan: what a kernel does, as plain data between StableHLO and machine code.
//
// A plan is a *scalar program with one lane axis*. Every value in it is a scalar. A `lanes` loop says which index is
// spread over vector lanes; the emitter widens what varies along it and leaves the rest scalar, so no vector type,
// shuffle, mask or tail is ever written here. There are four kinds of node: operation, loop, move and call; reductions,
// softmax, `while` and the like are compositions of these: a reduction is a loop whose carries are combined by a
// *tree*.
//
// Plans do not know sizes: extents, strides and most literals are push constants (Op::kPush), so that one kernel serves
// every shape. A plan's text (print.h) is its identity. Plans are built by schedules through builder.h, checked by
// verify.h, run by interpret.h (the oracle) and turned into code by compiler/emit.
#ifndef TREADLE_COMPILER_PLAN_PLAN_H_
#define TREADLE_COMPILER_PLAN_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/element_type.h"

namespace treadle::plan {

// A value: the number of the node that makes it. Nodes make at most one value; a loop's results are kResult nodes.
using Id = uint32_t;
inline constexpr Id kNone = ~0u;

enum class Op : uint8_t {
#define PLAN_OP(code, text, arity, pure) code,
#include "compiler/plan/ops.def"
};
std::string_view OpText(Op op);
int OpArity(Op op);  // -1: any
bool OpIsPure(Op op);

// kTotal*: the order of bits, -NaN < -inf < ... < -0 < +0 < ... < NaN; floats only.
enum class Predicate : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt, kTotalGe, kTotalGt, kTotalLe, kTotalLt };

// `c`, or push constant `sym` (an i64) plus `c`.
struct Size {
  int16_t sym = -1;
  int64_t c = 0;
  bool operator==(const Size&) const = default;
};

// index * stride. `index` is any i64 value in scope: one that varies along the lanes other than as the lane index
// itself makes the access a gather.
struct Term {
  Id index = kNone;
  Size stride;
  bool operator==(const Term&) const = default;
};

// Element number offset + sum of terms of a buffer, in 64-bit arithmetic. In bounds by construction: clamps are
// operations.
struct Access {
  uint16_t buffer = 0;
  Size offset;
  std::vector<Term> terms;
};

enum class Role : uint8_t {
  kIn,  // CallFrame::buffers, in order of the plan's buffers of roles kIn, kOut, kInOut
  kOut,
  kInOut,
  kLocal,    // CallFrame::local: one copy a running call; contents undefined at the start of each tile
  kScratch,  // CallFrame::scratch: shared by the phases of the plan
};

// Locals and scratch buffers are laid out in order, each at the next multiple of 64 bytes.
struct Buffer {
  ElementType elt = ElementType::kInvalid;
  Role role = Role::kIn;
  int16_t may_share =
      -1;  // kOut: the number of a kIn buffer whose memory this one may be; reads then precede writes per element
  Size elements;  // kLocal and kScratch only
};

// A run of Plan::operands.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Node {
  Op op;
  ElementType elt = ElementType::kInvalid;  // of the value; kInvalid where there is none
  Range args;
  uint64_t imm = 0;
};

// Nodes [first, end). Blocks are stretches of Plan::nodes: block arguments, body, kYield. Loops inside stand with all
// their blocks within the stretch. Empty: first == end.
struct Block {
  Id first = 0;
  Id end = 0;
  bool empty() const { return first == end; }
};

enum class LoopKind : uint8_t {
  kFor,    // index from lo below hi by step
  kLanes,  // index from lo below hi by 1, spread over lanes. Not inside another kLanes. Iterations independent unless
           // `tree`
  kWhile,  // as long as `cond` yields true
  kIf,     // once, `body` or `cond` (the else branch), by the uniform i1 value `lo`
};

// How the values that iterations yield become the results. All are functions of the trip count alone.
enum class Tree : uint8_t {
  kNone,      // kFor, kWhile: carries are handed from one iteration to the next. kLanes: no results
  kLanes,     // kLanes only; needs a commutative `combine`. See kSlotBytes
  kInOrder,   // kLanes only: adjacent pairs, for combiners that are associative but not commutative
  kPairwise,  // kFor only: a balanced tree over iterations in order, by a binary counter
};

// Tree::kLanes: slots = the largest power of two <= kSlotBytes / (bytes of all carries together, i1 as 1 byte, bf16 and
// f16 as in memory). Iteration i goes to slot (i - leaf start) mod slots in order; at the end of a leaf the slots are
// folded by halves (slot s with slot s + width/2); leaves of kLeafElements iterations are folded pairwise by number
// with a binary counter. Slots that got no iteration take no part; results are combine(init, fold). The same on every
// instruction set. Tree::kInOrder: leaves of kLeafElements, in each a balanced tree over adjacent elements: at each
// level element 2k is combined with 2k+1, an odd last one moves up as it is; leaves pairwise by number; then
// combine(init, fold). Tree::kPairwise: binary counter over iterations in order: two subtrees of equal size are
// combined as soon as both are there; at the end the remaining subtrees are combined from the smallest (latest) to the
// largest, earlier operand left; then combine(init, fold). No iterations: the results are init.
inline constexpr int kSlotBytes = 256;
inline constexpr int kLeafElements = 8192;

// Block arguments. kFor, kLanes: the index (i64), then the carries unless `tree`. kWhile: the carries, for cond and
// body. kIf: none. `combine` (only with a tree): accumulated values, then new values, one of each per carry; yields as
// many.
struct Loop {
  LoopKind kind = LoopKind::kFor;
  Tree tree = Tree::kNone;
  uint8_t unroll = 1;  // independent copies of the body in flight; never changes a result
  Id lo = kNone;       // i64, uniform; kIf: the condition
  Id hi = kNone;
  Id step = kNone;  // kFor; kNone: 1. Positive
  Range init;       // first value of each carry
  Block body, cond, combine;
};

// A two-dimensional copy with any strides, for transposes: to[r*to_stride[0] + c*to_stride[1]] = from[r*from_stride[0]
// + ...] for r below extent[0], c below extent[1]. The accesses give element (0, 0).
struct Move {
  Access from, to;
  Size from_stride[2], to_stride[2];
  Id extent[2] = {kNone, kNone};
  bool stream = false;  // the destination is not read again soon
};

// A call of a kernel of kernels/table.h or of another plan's phase, with tiles 0..1. Buffers are addressed from their
// access on.
struct Call {
  std::string symbol;
  std::vector<Access> buffers;
};

// One exported function. Its block's argument is the tile number (i64). The executor runs the phases of a plan as
// separate steps, one after the other.
struct Phase {
  Block body;
};

struct Plan {
  std::string name;  // for people ("map add tanh"); not part of the identity
  std::vector<Buffer> buffers;
  std::vector<ElementType> push;  // types of the push constants
  std::vector<Node> nodes;
  std::vector<Id> operands;
  std::vector<Loop> loops;
  std::vector<Access> accesses;
  std::vector<Move> moves;
  std::vector<Call> calls;
  std::vector<Phase> phases;

  const Node& node(Id id) const { return nodes[id]; }
  Id arg(Id node, int k) const { return operands[nodes[node].args.first + k]; }
  const Loop& loop(Id node) const { return loops[nodes[node].imm]; }

  // The node after `id` in its block: past the blocks of a loop.
  Id Next(Id id) const;
};

// The time that a phase takes one thread, about: with good code and with code that was compiled fast.
struct Cost {
  int64_t ns = 0;
  int64_t quick_ns = 0;

  Cost& operator+=(const Cost& more) {
    ns += more.ns;
    quick_ns += more.quick_ns;
    return *this;
  }
};

// A plan with its push constants for particular shapes.
struct Instance {
  Plan plan;
  std::vector<uint64_t> args;  // as in CallFrame::args
  std::vector<int64_t> tiles;  // per phase
  std::vector<Cost> costs;     // per phase
};

// Bytes of CallFrame::local and CallFrame::scratch that the plan needs with these push constants.
int64_t LocalBytes(const Plan& plan, const std::vector<uint64_t>& args);
int64_t ScratchBytes(const Plan& plan, const std::vector<uint64_t>& args);

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_PLAN_H_
