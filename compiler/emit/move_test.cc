// Copies with a permutation: every combination of dense sides and element size against the obvious loop.
#include <cstring>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/testing/object_loader.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/identity.h"
#include "gtest/gtest.h"

namespace treadle::emit {
namespace {

using plan::Id;
using plan::Role;
using plan::Size;

struct Layout {
  bool from_row_dense, to_row_dense;  // which stride is the constant 1
  bool stream = false;
};

plan::Plan MakeMove(ElementType type, Layout layout) {
  plan::Builder b("move");
  int rows = b.AddPush(ElementType::kI64), columns = b.AddPush(ElementType::kI64);
  int from_pitch = b.AddPush(ElementType::kI64), to_pitch = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(type, Role::kIn), y = b.AddBuffer(type, Role::kOut);
  b.BeginPhase();
  plan::Move move{.from = {x, {}, {}}, .to = {y, {}, {}}, .stream = layout.stream};
  auto strides = [](Size* stride, bool row_dense, int pitch) {
    stride[row_dense ? 1 : 0] = {-1, 1};
    stride[row_dense ? 0 : 1] = {static_cast<int16_t>(pitch), 0};
  };
  strides(move.from_stride, layout.from_row_dense, from_pitch);
  strides(move.to_stride, layout.to_row_dense, to_pitch);
  move.extent[0] = b.Push(rows);
  move.extent[1] = b.Push(columns);
  b.AddMove(move);
  b.EndPhase();
  return b.Finish();
}

void Check(TreadleKernel kernel, Layout layout, int bytes, int64_t rows, int64_t columns) {
  int64_t from_pitch = (layout.from_row_dense ? columns : rows) + 3,
          to_pitch = (layout.to_row_dense ? columns : rows) + 1;
  if (layout.stream) to_pitch = (to_pitch + 63) / 64 * 64;
  int64_t longest = rows + columns + 68;
  std::vector<uint8_t> x(longest * longest * bytes), memory(x.size() + 64, 0xee), expected(x.size(), 0xee);
  uint8_t* y = memory.data() + 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 37 + i / 251);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      int64_t from = layout.from_row_dense ? r * from_pitch + c : c * from_pitch + r;
      int64_t to = layout.to_row_dense ? r * to_pitch + c : c * to_pitch + r;
      std::copy_n(x.begin() + from * bytes, bytes, expected.begin() + to * bytes);
    }
  }
  uint64_t args[4] = {static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), static_cast<uint64_t>(from_pitch),
                      static_cast<uint64_t>(to_pitch)};
  void* buffers[2] = {x.data(), y};
  TreadleCallFrame frame = {buffers, args, nullptr, nullptr, nullptr, 0, 1};
  ASSERT_EQ(kernel(&frame), 0);
  ASSERT_EQ(std::memcmp(y, expected.data(), expected.size()), 0)
      << rows << " x " << columns << " of " << bytes << " bytes";
}

TEST(MoveTest, CopiesAndTransposes) {
  for (const executable::Target& target : HostTargets()) {
    for (ElementType type : {ElementType::kI8, ElementType::kBF16, ElementType::kF32, ElementType::kF64}) {
      for (Layout layout : {Layout{true, true}, Layout{true, false}, Layout{false, true}, Layout{false, false},
                            Layout{true, true, true}}) {
        plan::Plan plan = MakeMove(type, layout);
        const plan::Plan* plans[] = {&plan};
        StatusOr<std::string> object = EmitPlans(plans, {.target = target, .verify = true});
        ASSERT_TRUE(object.ok()) << object.status().ToString();
        ObjectLoader loader;
        ASSERT_TRUE(loader.Add(*object).ok());
        StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
        ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
        SCOPED_TRACE(target.Key());
        for (int64_t rows : {0, 1, 15, 16, 35}) {
          for (int64_t columns : {0, 1, 16, 33}) Check(*kernel, layout, ElementBytes(type), rows, columns);
        }
      }
    }
  }
}

// A kernel that this test defines: adds its argument to a float.
int AddArgument(const TreadleCallFrame* frame) {
  if (frame->args[0] == 0) return TREADLE_KERNEL_INVALID_ARGUMENT;
  *static_cast<float*>(frame->buffers[0]) += static_cast<float>(frame->args[0]);
  return 0;
}

TEST(CallTest, CallsKernelsAndPassesErrorsOn) {
  for (const executable::Target& target : HostTargets()) {
    plan::Builder b("calls");
    int amount = b.AddPush(ElementType::kU32);
    uint16_t y = b.AddBuffer(ElementType::kF32, Role::kInOut);
    Id tile = b.BeginPhase();
    Id args[] = {b.Push(amount)};
    b.AddCall({"add_argument", {{y, {}, {{tile, {-1, 1}}}}}}, args);
    b.EndPhase();
    plan::Plan plan = b.Finish();
    const plan::Plan* plans[] = {&plan};
    StatusOr<std::string> object = EmitPlans(plans, {.target = target, .verify = true});
    ASSERT_TRUE(object.ok()) << object.status().ToString();
    ObjectLoader loader;
    loader.Define("add_argument", reinterpret_cast<void*>(&AddArgument));
    ASSERT_TRUE(loader.Add(*object).ok());
    StatusOr<TreadleKernel> kernel = loader.Find(plan::KernelSymbol(plan, target, 0));
    ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
    float values[3] = {1, 2, 3};
    void* buffers[] = {values};
    uint64_t push[] = {5};
    TreadleCallFrame frame = {buffers, push, nullptr, nullptr, nullptr, 0, 3};
    EXPECT_EQ((*kernel)(&frame), 0);
    EXPECT_EQ(values[0], 6);
    EXPECT_EQ(values[2], 8);
    push[0] = 0;
    EXPECT_EQ((*kernel)(&frame), TREADLE_KERNEL_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace treadle::emit
