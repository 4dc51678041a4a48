#include "executable/serialize.h"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <random>

#include "executable/validate.h"

namespace treadle::executable {
namespace {

Executable Sample() {
  Executable e;
  e.name = "jit_f";
  e.target = {IsaLevel::kV3, false, false, "x86-64-v3", 1, 2, 3};
  e.num_replicas = 2;
  e.view = View::kGlobal;
  e.parameters = {{{ElementType::kF32, {2, 3}}, true, "pinned_host", {{2, 1}, {1, 0}}},
                  {{ElementType::kI32, {}}, false, "", {}, Giver::kRuntime}};
  e.results = {{{ElementType::kBF16, {4}}, 0, "unpinned_host", {{2}, {0, 1}}}, {{ElementType::kI4, {0, 7}}, -1}};
  e.constants = {{std::string("\0\1\2", 3)}, {""}};
  e.values = {
      {Home::kParameter, 0, 0, 24}, {Home::kArena, 0, 64, 8}, {Home::kResult, 1, 0, 0}, {Home::kMember, 3, 0, 4}};
  e.objects = {{std::string("\x7f"
                            "ELF\0",
                            5),
                true}};
  e.kernels = {{"k", 0}, {"table", -1}};
  KernelStep kernel{{{1, {{0, 4}, {1, 0}}, {7, ~0ull}, 5, {0}, 1, 1000}, {0, {{1, 8}}, {}, 2, {}, -1, 0}}, 128};
  e.sequences = {
      {{{kernel, "add", {0}, {1}}, {CopyStep{{0, 1}, {1, 2}, 3}, "copy", {}, {}}}},
      {{{WhileStep{0, 1, {1, 0}}, "while", {}, {}},
        {CaseStep{true, {1, 3}, {0, 1}}, "if", {}, {}},
        {ExchangeStep{{{1, 2}}, {{0, 1}}, {{0}, {1}}, 1, 3, 2}, "exchange", {}, {}},
        {TransferStep{true, {"out", ""}, true, "note", {{1, 4}}, {{ElementType::kC64, {2}}}}, "put", {}, {}}}}};
  e.arena_bytes = 4096;
  e.flops = 1e9;
  e.bytes_accessed = 2.5;
  e.program = "module {}";
  return e;
}

// Equal bytes of both mean equal fields: each field of Sample differs from its default.
TEST(Serialize, RoundTrip) {
  const std::string bytes = Serialize(Sample());
  StatusOr<Executable> read = Deserialize(bytes);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(Serialize(*read), bytes);
  EXPECT_EQ(read->target, Sample().target);
  EXPECT_EQ(read->parameters[0].shape, Sample().parameters[0].shape);
  EXPECT_TRUE(read->parameters[0].donated);
  EXPECT_EQ(read->parameters[0].memory_kind, "pinned_host");
  EXPECT_EQ(read->results[0].donor, 0);
  EXPECT_EQ(read->results[0].memory_kind, "unpinned_host");
  EXPECT_EQ(read->constants[0].bytes, Sample().constants[0].bytes);
  EXPECT_EQ(std::get<KernelStep>(read->sequences[0].steps[0].what).frames[0].args[1], ~0ull);
  EXPECT_EQ(std::get<CaseStep>(read->sequences[1].steps[1].what).index.offset, 3);
  EXPECT_EQ(read->view, View::kGlobal);
  EXPECT_EQ(read->parameters[0].sharding, Sample().parameters[0].sharding);
  EXPECT_EQ(read->num_arguments(), 1u);
  EXPECT_EQ(std::get<ExchangeStep>(read->sequences[1].steps[2].what).groups[0][1], 1);
  const auto& transfer = std::get<TransferStep>(read->sequences[1].steps[3].what);
  EXPECT_TRUE(transfer.puts && transfer.of_device);
  EXPECT_EQ(transfer.channels, (std::vector<std::string>{"out", ""}));
  EXPECT_EQ(transfer.config, "note");
  EXPECT_EQ(transfer.arrays[0].offset, 4);
  EXPECT_EQ(transfer.shapes[0], (Shape{ElementType::kC64, {2}}));
}

TEST(Serialize, RefusesDamagedBytes) {
  const std::string bytes = Serialize(Sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(Deserialize(damaged).ok()) << "byte " << i;
    EXPECT_FALSE(Deserialize(bytes.substr(0, i)).ok()) << "first " << i;
  }
  EXPECT_EQ(Deserialize("").status().code(), StatusCode::kInvalidArgument);
}

// Bytes whose checksum is right although their contents are not: what a careless or hostile writer could give.
TEST(Serialize, SurvivesDamageThatTheChecksumDoesNotSee) {
  const std::string bytes = Serialize(Sample());
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = bytes;
    const size_t body = damaged.size() - 8;
    for (int i = random() % 4 + 1; i > 0; --i) {
      const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, static_cast<uint8_t>(random())};
      damaged[random() % body] = static_cast<char>(values[random() % 6]);
    }
    const uint64_t checksum = XXH3_64bits(damaged.data(), body);
    std::memcpy(damaged.data() + body, &checksum, 8);
    StatusOr<Executable> result = Deserialize(damaged);
    if (!result.ok()) continue;
    ++read;
    (void)Validate(*result).ok();  // looks at every index
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 5000);
}

}  // namespace
}  // namespace treadle::executable
