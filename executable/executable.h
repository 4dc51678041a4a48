// What a compiled program is: plain data that the compiler fills and the runtime reads. Neither includes the other.
//
// A program works on *values*: buffers of known size that live in an argument, a constant, the arena or a result.
// *Steps* read and write values. Steps stand in *sequences*; sequence 0 is the program, the others are bodies of
// control flow. The compiler has ordered the steps of a sequence and placed every value, so running one after another
// is right; a runtime may overlap steps whose values do not conflict.
#ifndef TREADLE_EXECUTABLE_EXECUTABLE_H_
#define TREADLE_EXECUTABLE_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/shape.h"
#include "executable/target.h"

namespace treadle::executable {

// The version of this structure and of the meaning of its fields; files of another version are not read.
inline constexpr int kFormatVersion = 2;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

enum class Home : uint8_t {
  kParameter,  // argument `index` of the call; written only where a result takes its memory
  kConstant,   // constant `index`
  kArena,      // `offset` bytes into the arena of this execution
  kResult,     // the memory of result `index`
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

struct Parameter {
  Shape shape;
  bool donated = false;          // the program may take its memory, if the caller gives it up too
  std::string memory_kind = {};  // as the program names it ("pinned_host"); empty: the device's default
};

struct Result {
  Shape shape;
  // The parameter whose memory this result takes where the caller donates it, else -1. The steps are right both with
  // shared and with separate memory.
  int32_t donor = -1;
  std::string memory_kind = {};
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

struct Frame {
  std::vector<Operand> buffers;
  std::vector<uint64_t> args;
  int64_t tiles = 1;
};

// One kernel, run over the tiles of one frame or of several (equal work on different data: one step).
struct KernelStep {
  int32_t kernel = 0;
  std::vector<Frame> frames;
  std::vector<int32_t> callbacks;  // kernels
  int64_t local_bytes = 0;
  ValueId scratch = kNoValue;
  int64_t cost_ns = 0;  // estimate for one thread; below about 30 us a step runs on the calling thread
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

struct Step {
  std::variant<KernelStep, CopyStep, WhileStep, CaseStep> what;
  std::string name;  // for people: the ops of the step
  std::vector<ValueId> reads;
  std::vector<ValueId> writes;
};

struct Sequence {
  std::vector<Step> steps;
};

struct Executable {
  std::string name;
  Target target;
  int32_t num_replicas = 1;
  int32_t num_partitions = 1;
  std::vector<Parameter> parameters;
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
};

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_EXECUTABLE_H_
