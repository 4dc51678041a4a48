// What a compiled program is: plain data that the compiler fills and the runtime reads. Neither includes the other.
//
// A program works on *values*: buffers of known size that live in an argument, a constant, the arena or a result.
// *Steps* read and write values. Steps stand in *sequences*; sequence 0 is the program, the others are bodies of
// control flow. The compiler has ordered the steps of a sequence and placed every value, so running one after another
// is right; a runtime may overlap steps whose values do not conflict.
//
// A program may be for several devices, its *participants*: num_replicas * num_partitions of them. See View.
#ifndef TREADLE_EXECUTABLE_EXECUTABLE_H_
#define TREADLE_EXECUTABLE_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/shape.h"
#include "base/sharding.h"
#include "executable/target.h"

namespace treadle::executable {

// The version of this structure and of the meaning of its fields; files of another version are not read.
inline constexpr int kFormatVersion = 5;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class Home : uint8_t {
  kParameter,  // argument `index` of the call; written only where a result takes its memory
  kConstant,   // constant `index`
  kArena,      // `offset` bytes into the arena of this execution
  kResult,     // the memory of result `index`
  kMember,  // lent by another participant: inside the body of the ExchangeStep that `index` belongs to; never written
};

struct Value {
  Home home = Home::kArena;
  int32_t index = 0;
  int64_t offset = 0;  // bytes; kArena only, a multiple of 64
  int64_t bytes = 0;
};

// A value from `offset` bytes on.
struct Operand {
  ValueId value = kNoValue;
  int64_t offset = 0;
};

// Where the value of a parameter comes from.
enum class Giver : uint8_t {
  kCaller,
  kRuntime,  // an i32: the participant that this execution is
};

struct Parameter {
  Shape shape;                   // of what the steps see: see View
  bool donated = false;          // the program may take its memory, if the caller gives it up too
  std::string memory_kind = {};  // as the program names it ("pinned_host"); empty: the device's default
  Sharding sharding = {};        // of the whole array over the participants
  Giver giver = Giver::kCaller;
};

struct Result {
  Shape shape;
  // The parameter whose memory this result takes where the caller donates it, else -1. The steps are right both with
  // shared and with separate memory.
  int32_t donor = -1;
  std::string memory_kind = {};
  Sharding sharding = {};
};

struct Constant {
  std::string bytes;  // placed 64-byte aligned
};

// Relocatable machine code (ELF). Defines the symbols of some kernels; may refer to symbols of kernels/table.h.
struct Object {
  std::string bytes;
  bool quick =
      false;  // compiled fast: another object may define the same kernels, with the same results, as better code
};

// A TreadleKernel: a symbol of an object, or one that Treadle brings along: a row of kernels/table.h or builtin code
// (kernels/builtin_code.h).
struct Kernel {
  std::string symbol;
  int32_t object = -1;  // index into Executable::objects; -1: what Treadle brings along
};

// One kernel over its tiles.
struct Frame {
  int32_t kernel = 0;
  std::vector<Operand> buffers;
  std::vector<uint64_t> args;
  int64_t tiles = 1;
  std::vector<int32_t> callbacks;  // kernels
  ValueId scratch = kNoValue;
  int64_t cost_ns = 0;  // of all tiles, an estimate for one thread
};

// The tiles of frames that do not wait for each other, on whatever threads there are: one frame, or several that are
// independent. Below about 30 us in all a step runs on the calling thread.
struct KernelStep {
  std::vector<Frame> frames;
  int64_t local_bytes = 0;  // for each thread

  int64_t cost_ns() const {
    int64_t cost = 0;
    for (const Frame& frame : frames) cost += frame.cost_ns;
    return cost;
  }
};

// dst = src, `bytes` of them. Does nothing where both are the same memory.
struct CopyStep {
  Operand src;
  Operand dst;
  int64_t bytes = 0;
};

// Runs the sequence `body` as long as the sequence `cond` leaves a byte other than 0 in `predicate`.
struct WhileStep {
  int32_t cond = 0;
  int32_t body = 0;
  Operand predicate;
};

// Runs one of `branches`. With `predicate`: an i1, true takes branches[0], false branches[1]. Else `index` is an i32,
// and any value outside [0, branches) takes the last (StableHLO `case`).
struct CaseStep {
  bool predicate = false;
  Operand index;
  std::vector<int32_t> branches;
};

// The participants of a group lend each other their `operands`. Each comes here and waits for the others; then runs
// `body`, which reads what its `sources` have lent; then waits until all of the group are through with that. All
// participants come to an exchange equally often. No exchange lies in the body of another.
struct ExchangeStep {
  std::vector<Operand> operands;
  std::vector<std::vector<int32_t>> groups;   // each participant in one
  std::vector<std::vector<int32_t>> sources;  // for each participant: `members` participants of its group
  int32_t members = 0;
  // Operand k of source m is the value whose home is (kMember, first_member + k * members + m).
  int32_t first_member = 0;
  int32_t body = 0;  // a sequence
};

// Puts arrays into a channel as one message, or takes a message from one and with it the arrays, waiting for it where
// none is there. Channels belong to the client that runs the program (runtime/channels.h).
struct TransferStep {
  bool puts = false;
  // By participant, or one for all. Without a name: nothing is put, zeros are taken.
  std::vector<std::string> channels;
  bool of_device = false;  // each device has a channel of that name
  std::string config = {};
  std::vector<Operand> arrays;
  std::vector<Shape> shapes;  // of the arrays: dense, row-major
};

struct Step {
  std::variant<KernelStep, CopyStep, WhileStep, CaseStep, ExchangeStep, TransferStep> what;
  std::string name;  // for people: the ops of the step
  std::vector<ValueId> reads;
  std::vector<ValueId> writes;
};

struct Sequence {
  std::vector<Step> steps;
};

enum class View : uint8_t {
  kDevice,  // each participant runs the steps, on what it holds: parameters and results have the shape of one tile
  kGlobal,  // the steps run once for all, on whole arrays
};

struct Executable {
  std::string name;
  Target target;
  int32_t num_replicas = 1;
  int32_t num_partitions = 1;
  View view = View::kDevice;
  std::vector<Parameter> parameters;  // those from the caller first
  std::vector<Result> results;
  std::vector<Constant> constants;
  std::vector<Value> values;
  std::vector<Object> objects;
  std::vector<Kernel> kernels;
  std::vector<Sequence> sequences;
  int64_t arena_bytes = 0;
  double flops = 0;           // of one execution
  double bytes_accessed = 0;  // by one execution
  std::string program;        // the optimised StableHLO as bytecode or text, for introspection; may be empty

  int64_t participants() const { return int64_t{num_replicas} * num_partitions; }
  // Parameters that the caller gives.
  size_t num_arguments() const {
    size_t count = parameters.size();
    while (count > 0 && parameters[count - 1].giver != Giver::kCaller) --count;
    return count;
  }
  // The shape of what one participant holds of a parameter or result.
  template <typename T>
  Shape HeldShape(const T& array) const {
    return view == View::kGlobal ? array.sharding.TileShape(array.shape) : array.shape;
  }
};

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_EXECUTABLE_H_
