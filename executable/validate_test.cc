#include "executable/validate.h"

#include <gtest/gtest.h>

namespace treadle::executable {
namespace {

// Uses every kind of field.
Executable Example() {
  const Shape shape{ElementType::kF32, {4, 5}};
  Executable e;
  e.name = "example";
  e.target = {.isa = IsaLevel::kV3, .cpu = "znver3", .l2_bytes = 1 << 20};
  e.parameters = {{.shape = shape, .donated = true}, {.shape = {ElementType::kI1, {}}}};
  e.results = {{.shape = shape, .donor = 0}, {.shape = shape}};
  e.constants = {{std::string(80, 'c')}};
  e.values = {{Home::kParameter, 0, 0, 80}, {Home::kParameter, 1, 0, 1}, {Home::kConstant, 0, 0, 80},
              {Home::kArena, 0, 64, 80},    {Home::kResult, 0, 0, 80},   {Home::kResult, 1, 0, 80}};
  e.objects = {{std::string("\0elf", 4)}};
  e.kernels = {{"k_0123", 0}, {"treadle_gemm", -1}};
  KernelStep kernel{.frames = {{.kernel = 0,
                                .buffers = {{0, 0}, {3, 16}},
                                .args = {1, ~uint64_t{0}},
                                .tiles = 7,
                                .callbacks = {1},
                                .scratch = 3,
                                .cost_ns = 1234}},
                    .local_bytes = 100};
  e.sequences.resize(3);
  e.sequences[0].steps = {{kernel, "add", {0}, {3}},
                          {CopyStep{{3, 0}, {4, 0}, 80}, "copy", {3}, {4}},
                          {WhileStep{1, 2, {1, 0}}, "while", {1}, {}},
                          {CaseStep{true, {1, 0}, {1, 2}}, "if", {1}, {}}};
  e.sequences[1].steps = {{CopyStep{{2, 0}, {5, 0}, 80}, "constant", {2}, {5}}};
  e.arena_bytes = 192;
  e.flops = 20;
  e.bytes_accessed = 160;
  e.program = "module {}";
  return e;
}

// Two participants; each copies what the other has.
Executable Swap() {
  const Shape shape{ElementType::kF32, {4}};
  Executable e;
  e.num_partitions = 2;
  e.parameters = {{.shape = shape, .sharding = {{2}, {0, 1}}},
                  {.shape = {ElementType::kI32, {}}, .giver = Giver::kRuntime}};
  e.results = {{.shape = shape, .sharding = {{2}, {1, 0}}}};
  e.values = {{Home::kParameter, 0, 0, 16}, {Home::kResult, 0, 0, 16}, {Home::kMember, 0, 0, 16}};
  e.sequences.resize(2);
  e.sequences[0].steps = {{ExchangeStep{{{0, 0}}, {{0, 1}}, {{1}, {0}}, 1, 0, 1}, "permute", {0}, {1}}};
  e.sequences[1].steps = {{CopyStep{{2, 0}, {1, 0}, 16}, "copy", {2}, {1}}};
  return e;
}

TEST(Validate, AcceptsWhatIsRight) { EXPECT_TRUE(Validate(Example()).ok()) << Validate(Example()).ToString(); }

TEST(Validate, FindsMistakesOfExchanges) {
  EXPECT_TRUE(Validate(Swap()).ok()) << Validate(Swap()).ToString();
  const auto wrong = [](auto change) {
    Executable e = Swap();
    change(e, std::get<ExchangeStep>(e.sequences[0].steps[0].what));
    return Validate(e).code() == StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.groups = {{0}, {1}}; }));  // reads from the other group
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.groups = {{0}}; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.groups = {{0, 1, 1}}; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.sources = {{1}}; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.sources[0] = {}; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.sources[0] = {2}; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.members = 2; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.first_member = 1; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.operands[0].value = 9; }));
  EXPECT_TRUE(wrong([](Executable&, ExchangeStep& x) { x.body = 2; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.values[2].bytes = 17; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.values[2].index = 1; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.view = View::kGlobal; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.parameters[0].giver = Giver::kRuntime; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.parameters[0].sharding.holders = {0, 0}; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.parameters[1].shape.type = ElementType::kU32; }));
  EXPECT_TRUE(wrong([](Executable& e, ExchangeStep&) { e.num_replicas = 1 << 30; }));
}

TEST(Validate, FindsMistakesOfTransfers) {
  const auto right = [] {
    Executable e = Swap();
    e.values.pop_back();  // nothing is lent
    e.sequences.pop_back();
    e.sequences[0].steps = {
        {TransferStep{.channels = {"a", "b"}, .arrays = {{1, 0}}, .shapes = {e.results[0].shape}}, "take", {}, {1}}};
    return e;
  };
  EXPECT_TRUE(Validate(right()).ok()) << Validate(right()).ToString();
  const auto wrong = [&](auto change) {
    Executable e = right();
    change(e, std::get<TransferStep>(e.sequences[0].steps[0].what));
    return Validate(e).code() == StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.channels.clear(); }));
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.channels.push_back("c"); }));
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.shapes.clear(); }));
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.shapes[0].dims = {5}; }));
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.shapes[0].dims = {-1}; }));
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.arrays[0].value = 0; }));  // takes into a parameter
  EXPECT_TRUE(wrong([](Executable&, TransferStep& t) { t.arrays[0].value = 9; }));
  EXPECT_TRUE(wrong([](Executable& e, TransferStep&) { e.view = View::kGlobal; }));
}

TEST(Validate, FindsEachMistake) {
  const auto wrong = [](auto change) {
    Executable e = Example();
    change(e);
    return Validate(e).code() == StatusCode::kInvalidArgument;
  };
  const auto kernel = [](Executable& e) -> KernelStep& { return std::get<KernelStep>(e.sequences[0].steps[0].what); };
  EXPECT_TRUE(wrong([](Executable& e) { e.sequences.clear(); }));
  EXPECT_TRUE(wrong([](Executable& e) { e.values[0].index = 2; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.values[0].bytes = 81; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.values[3].offset = 128; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.values[3].offset = 8; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.parameters[0].donated = false; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.results[1].donor = 0; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.results[1].donor = 1; }));
  EXPECT_TRUE(wrong([](Executable& e) { e.kernels[0].object = 1; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].kernel = 2; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].callbacks[0] = -1; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].buffers[0].value = 6; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].buffers[0].offset = 81; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].scratch = 0; }));
  EXPECT_TRUE(wrong([&](Executable& e) { kernel(e).frames[0].cost_ns = -1; }));
  EXPECT_TRUE(wrong([&](Executable& e) {
    kernel(e).frames.resize(3, kernel(e).frames[0]);
    for (Frame& frame : kernel(e).frames) frame.cost_ns = INT64_MAX / 2;
  }));
  EXPECT_TRUE(wrong([](Executable& e) { std::get<CopyStep>(e.sequences[0].steps[1].what).bytes = 81; }));
  EXPECT_TRUE(wrong([](Executable& e) { std::get<CopyStep>(e.sequences[0].steps[1].what).dst.value = 2; }));
  EXPECT_TRUE(wrong([](Executable& e) { std::get<WhileStep>(e.sequences[0].steps[2].what).body = 0; }));
  EXPECT_TRUE(wrong([](Executable& e) { std::get<WhileStep>(e.sequences[0].steps[2].what).cond = 3; }));
  EXPECT_TRUE(wrong([](Executable& e) { std::get<CaseStep>(e.sequences[0].steps[3].what).branches.pop_back(); }));
}

}  // namespace
}  // namespace treadle::executable
