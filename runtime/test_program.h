// Small programs over kernels written in C++, for tests and benchmarks.
#ifndef TREADLE_RUNTIME_TEST_PROGRAM_H_
#define TREADLE_RUNTIME_TEST_PROGRAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "executable/executable.h"
#include "executable/kernel_abi.h"
#include "runtime/link/link.h"

namespace treadle::test {

// buffers[1][i] = buffers[0][i] + args[0], i64, a tile per element.
inline int AddKernel(const TreadleCallFrame* frame) {
  const auto* in = static_cast<const int64_t*>(frame->buffers[0]);
  auto* out = static_cast<int64_t*>(frame->buffers[1]);
  for (int64_t i = frame->tile_begin; i < frame->tile_end; ++i) out[i] = in[i] + static_cast<int64_t>(frame->args[0]);
  return TREADLE_KERNEL_OK;
}

// buffers[1][0] = buffers[0][0] < args[0], i1.
inline int LessKernel(const TreadleCallFrame* frame) {
  *static_cast<uint8_t*>(frame->buffers[1]) =
      *static_cast<const int64_t*>(frame->buffers[0]) < static_cast<int64_t>(frame->args[0]);
  return TREADLE_KERNEL_OK;
}

// Fails with INTERNAL where buffers[0][0] is 13; else copies the element.
inline int PickyKernel(const TreadleCallFrame* frame) {
  const int64_t value = *static_cast<const int64_t*>(frame->buffers[0]);
  *static_cast<int64_t*>(frame->buffers[1]) = value;
  return value == 13 ? TREADLE_KERNEL_INTERNAL : TREADLE_KERNEL_OK;
}

// Builds executables step by step; every value is an array of i64 unless said otherwise.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name = "test") {
    link::RegisterSymbol("test_add", reinterpret_cast<void*>(&AddKernel));
    link::RegisterSymbol("test_less", reinterpret_cast<void*>(&LessKernel));
    link::RegisterSymbol("test_picky", reinterpret_cast<void*>(&PickyKernel));
    e_.name = std::move(name);
    e_.kernels = {{"test_add", -1}, {"test_less", -1}, {"test_picky", -1}};
    e_.sequences.resize(1);
  }

  static Shape Array(int64_t elements) { return {ElementType::kI64, {elements}}; }

  executable::ValueId Parameter(int64_t elements, bool donated = false) {
    e_.parameters.push_back({Array(elements), donated});
    return AddValue(executable::Home::kParameter, static_cast<int32_t>(e_.parameters.size() - 1), elements * 8);
  }
  executable::ValueId Result(int64_t elements, int32_t donor = -1) {
    e_.results.push_back({Array(elements), donor});
    return AddValue(executable::Home::kResult, static_cast<int32_t>(e_.results.size() - 1), elements * 8);
  }
  executable::ValueId Constant(std::string bytes) {
    const int64_t size = static_cast<int64_t>(bytes.size());
    e_.constants.push_back({std::move(bytes)});
    return AddValue(executable::Home::kConstant, static_cast<int32_t>(e_.constants.size() - 1), size);
  }
  executable::ValueId Arena(int64_t bytes) {
    e_.values.push_back({executable::Home::kArena, 0, e_.arena_bytes, bytes});
    e_.arena_bytes += (bytes + 63) / 64 * 64;
    return static_cast<executable::ValueId>(e_.values.size() - 1);
  }

  int32_t Sequence() {
    e_.sequences.emplace_back();
    return static_cast<int32_t>(e_.sequences.size() - 1);
  }
  void Add(executable::ValueId in, executable::ValueId out, int64_t elements, int64_t addend, int64_t cost_ns = 100,
           int32_t sequence = 0) {
    Kernel(0, in, out, elements, static_cast<uint64_t>(addend), cost_ns, sequence, "add");
  }
  void Less(executable::ValueId in, executable::ValueId out, int64_t bound, int32_t sequence = 0) {
    Kernel(1, in, out, 1, static_cast<uint64_t>(bound), 10, sequence, "less");
  }
  void Picky(executable::ValueId in, executable::ValueId out) { Kernel(2, in, out, 1, 0, 10, 0, "picky"); }
  void Copy(executable::ValueId src, executable::ValueId dst, int64_t bytes, int32_t sequence = 0) {
    Push(executable::CopyStep{{src, 0}, {dst, 0}, bytes}, "copy", sequence);
  }
  template <typename S>
  void Push(S step, std::string name, int32_t sequence = 0) {
    e_.sequences[sequence].steps.push_back({std::move(step), std::move(name), {}, {}});
  }

  executable::Executable& Get() { return e_; }

 private:
  executable::ValueId AddValue(executable::Home home, int32_t index, int64_t bytes) {
    e_.values.push_back({home, index, 0, bytes});
    return static_cast<executable::ValueId>(e_.values.size() - 1);
  }
  void Kernel(int32_t kernel, executable::ValueId in, executable::ValueId out, int64_t tiles, uint64_t arg,
              int64_t cost_ns, int32_t sequence, std::string name) {
    executable::KernelStep step;
    step.frames = {
        {.kernel = kernel, .buffers = {{in, 0}, {out, 0}}, .args = {arg}, .tiles = tiles, .cost_ns = cost_ns}};
    Push(std::move(step), std::move(name), sequence);
  }

  executable::Executable e_;
};

}  // namespace treadle::test

#endif  // TREADLE_RUNTIME_TEST_PROGRAM_H_
