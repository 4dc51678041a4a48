#include "runtime/loaded_executable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "async/thread_pool.h"
#include "device/host/host_device.h"
#include "device/null/null_device.h"
#include "runtime/client.h"
#include "runtime/device_test_fixture.h"
#include "runtime/test_program.h"

namespace treadle {
namespace {

using executable::CaseStep;
using executable::ValueId;
using executable::WhileStep;
using test::ProgramBuilder;

constexpr int64_t kHuge = 1'000'000'000;  // a claimed cost that sends a program through the queue

struct Outcome {
  Status status;
  std::vector<std::unique_ptr<Buffer>> results;
  Event done;
};

class ExecuteTest : public test::DeviceTest {
 protected:
  ExecuteTest() : DeviceTest(/*threads=*/3) {}

  std::unique_ptr<Buffer> Make(const std::vector<int64_t>& values) {
    return *Buffer::CopyFromHost(device_.get(), ProgramBuilder::Array(static_cast<int64_t>(values.size())),
                                 values.data());
  }
  static Outcome Execute(LoadedExecutable& program, std::vector<Buffer*> arguments, std::vector<int64_t> keep = {}) {
    Outcome outcome;
    outcome.results.resize(program.num_results());
    outcome.status = program.Execute(arguments, {.non_donatable = keep}, outcome.results, &outcome.done);
    return outcome;
  }
  static std::vector<int64_t> Run(LoadedExecutable& program, std::vector<Buffer*> arguments) {
    Outcome outcome = Execute(program, std::move(arguments));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    return outcome.status.ok() ? Read(*outcome.results[0]) : std::vector<int64_t>();
  }

  // result = parameter + 1, both of `elements`.
  std::unique_ptr<LoadedExecutable> AddOne(int64_t elements, int64_t cost_ns = 100, bool donated = false) {
    ProgramBuilder b("add_one");
    const ValueId in = b.Parameter(elements, donated);
    b.Add(in, b.Result(elements, donated ? 0 : -1), elements, 1, cost_ns);
    return Load(b);
  }
};

TEST_P(ExecuteTest, RunsAKernelInline) {
  auto program = AddOne(3);
  auto x = Make({1, 2, 3});
  Outcome outcome = Execute(*program, {x.get()});
  ASSERT_TRUE(outcome.status.ok());
  EXPECT_TRUE(outcome.done.ready());
  EXPECT_TRUE(outcome.results[0]->ready().ready());
  EXPECT_EQ(Read(*outcome.results[0]), std::vector<int64_t>({2, 3, 4}));
  EXPECT_EQ(Read(*x), std::vector<int64_t>({1, 2, 3}));
}

TEST_P(ExecuteTest, QueuesMuchWork) {
  auto program = AddOne(1000, kHuge);
  auto x = Make(std::vector<int64_t>(1000, 5));
  Outcome outcome = Execute(*program, {x.get()});
  ASSERT_TRUE(outcome.status.ok());
  void* address = outcome.results[0]->data();
  EXPECT_NE(address, nullptr);
  x.reset();
  program.reset();
  EXPECT_TRUE(outcome.done.Await().ok());
  EXPECT_EQ(outcome.results[0]->data(), address);
  EXPECT_EQ(Read(*outcome.results[0]), std::vector<int64_t>(1000, 6));
}

TEST_P(ExecuteTest, ChecksArguments) {
  auto program = AddOne(3);
  auto right = Make({1, 2, 3});
  auto wrong = Make({1, 2});
  const auto error = [&](std::vector<Buffer*> arguments) {
    const Status status = Execute(*program, std::move(arguments)).status;
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_NE(error({}).find("takes 1 arguments, got 0"), std::string::npos);
  EXPECT_NE(error({nullptr}).find("argument 0 of add_one is null"), std::string::npos);
  EXPECT_NE(error({wrong.get()}).find("expected 3xi64 on device 0, got 2xi64"), std::string::npos);
  auto other = MakeHostDevice(&pool_, {}, {.id = 1});
  auto elsewhere = *right->CopyToDevice(other.get());
  EXPECT_NE(error({elsewhere.get()}).find("another device"), std::string::npos);
  right->Delete();
  EXPECT_NE(error({right.get()}).find("argument 0 of add_one has been deleted or donated"), std::string::npos);
  Event done;
  auto fine = Make({1, 2, 3});
  Buffer* arguments[] = {fine.get()};
  EXPECT_EQ(program->Execute(arguments, {}, {}, &done).code(), StatusCode::kInvalidArgument);
}

TEST_P(ExecuteTest, ArenaConstantsAndCopies) {
  for (int64_t elements : {int64_t{8}, int64_t{1} << 18}) {  // an arena that stays, one that goes back
    ProgramBuilder b;
    const ValueId in = b.Parameter(elements);
    const ValueId temp = b.Arena(elements * 8);
    const int64_t seven = 7;
    const ValueId constant = b.Constant(std::string(reinterpret_cast<const char*>(&seven), 8));
    b.Add(in, temp, elements, 10);
    b.Copy(constant, temp, 8);
    b.Add(temp, b.Result(elements), elements, 100);
    auto program = Load(b);
    for (int round = 0; round < 3; ++round) {
      auto x = Make(std::vector<int64_t>(elements, round));
      std::vector<int64_t> expected(elements, 110 + round);
      expected[0] = 107;
      EXPECT_EQ(Run(*program, {x.get()}), expected);
    }
  }
}

TEST_P(ExecuteTest, Loops) {
  ProgramBuilder b;
  const ValueId in = b.Parameter(1);
  const ValueId out = b.Result(1);
  const ValueId go = b.Arena(1);
  const int32_t cond = b.Sequence(), body = b.Sequence();
  b.Copy(in, out, 8);
  b.Less(out, go, 1000, cond);
  b.Add(out, out, 1, 3, 10, body);
  b.Push(WhileStep{cond, body, {go, 0}}, "while");
  auto program = Load(b);
  for (int64_t start : {0, 999, 1000, -7}) {
    int64_t expected = start;
    while (expected < 1000) expected += 3;
    auto x = Make({start});
    EXPECT_EQ(Run(*program, {x.get()}), std::vector<int64_t>({expected}));
  }
}

TEST_P(ExecuteTest, Branches) {
  ProgramBuilder b;
  const ValueId in = b.Parameter(1);
  const ValueId out = b.Result(1), other = b.Result(1);
  const ValueId predicate = b.Arena(1);
  std::vector<int32_t> branches;
  for (int i = 0; i < 3; ++i) {
    branches.push_back(b.Sequence());
    b.Add(in, out, 1, 100 * (i + 1), 10, branches[i]);
  }
  const int32_t yes = b.Sequence(), no = b.Sequence();
  b.Add(in, other, 1, 1, 10, yes);
  b.Add(in, other, 1, 2, 10, no);
  b.Push(CaseStep{false, {in, 0}, branches}, "case");
  b.Less(in, predicate, 1);
  b.Push(CaseStep{true, {predicate, 0}, {yes, no}}, "if");
  auto program = Load(b);
  for (int64_t index : {0, 1, 2, 3, -1}) {
    auto x = Make({index});
    Outcome outcome = Execute(*program, {x.get()});
    ASSERT_TRUE(outcome.status.ok());
    const int64_t branch = index < 0 || index > 2 ? 2 : index;
    EXPECT_EQ(Read(*outcome.results[0])[0], index + 100 * (branch + 1));
    EXPECT_EQ(Read(*outcome.results[1])[0], index + (index < 1 ? 1 : 2));
  }
}

TEST_P(ExecuteTest, KernelErrorsPoisonResultsAndWhatUsesThem) {
  for (int64_t cost : {int64_t{100}, kHuge}) {
    ProgramBuilder b("picky_program");
    const ValueId in = b.Parameter(1);
    b.Picky(in, b.Result(1));
    std::get<executable::KernelStep>(b.Get().sequences[0].steps[0].what).frames[0].cost_ns = cost;
    auto program = Load(b);
    auto bad = Make({13}), good = Make({12});
    Outcome outcome = Execute(*program, {bad.get()});
    ASSERT_TRUE(outcome.status.ok());
    EXPECT_EQ(outcome.done.Await().code(), StatusCode::kInternal);
    EXPECT_NE(outcome.done.status().message().find("in 'picky'"), std::string::npos);
    EXPECT_EQ(outcome.results[0]->ready().Await().code(), StatusCode::kInternal);
    auto next = AddOne(1);
    Outcome poisoned = Execute(*next, {outcome.results[0].get()});
    ASSERT_TRUE(poisoned.status.ok());
    EXPECT_EQ(poisoned.results[0]->ready().Await().code(), StatusCode::kInternal);
    EXPECT_EQ(Run(*program, {good.get()}), std::vector<int64_t>({12}));
  }
}

TEST_P(ExecuteTest, AwaitsArguments) {
  auto program = AddOne(1);
  Promise promise, failing;
  auto x = *Buffer::Pending(device_.get(), ProgramBuilder::Array(1), promise.event());
  auto y = *Buffer::Pending(device_.get(), ProgramBuilder::Array(1), failing.event());
  Outcome first = Execute(*program, {x.get()});
  Outcome second = Execute(*program, {first.results[0].get()});
  Outcome third = Execute(*program, {y.get()});
  EXPECT_FALSE(first.done.ready());
  EXPECT_FALSE(second.done.ready());
  const int64_t value = 40;
  ASSERT_TRUE(device_->CopyFromHost(x->data(), &value, 8).ok());
  promise.Set();
  EXPECT_EQ(Read(*second.results[0]), std::vector<int64_t>({42}));
  failing.Set(Internal("transfer failed"));
  EXPECT_EQ(third.results[0]->ready().Await().message(), "transfer failed");
}

TEST_P(ExecuteTest, DonatedMemoryBecomesTheResult) {
  for (int64_t cost : {int64_t{100}, kHuge}) {
    auto program = AddOne(4, cost, /*donated=*/true);
    auto x = Make({1, 2, 3, 4});
    void* memory = x->data();
    for (int round = 0; round < 20; ++round) {
      Outcome outcome = Execute(*program, {x.get()});
      ASSERT_TRUE(outcome.status.ok());
      EXPECT_TRUE(x->deleted());
      EXPECT_EQ(outcome.results[0]->data(), memory);
      x = std::move(outcome.results[0]);
    }
    EXPECT_EQ(Read(*x), std::vector<int64_t>({21, 22, 23, 24}));
  }
}

TEST_P(ExecuteTest, MemoryThatOthersSeeIsNotTaken) {
  auto program = AddOne(1, 100, /*donated=*/true);
  {  // the caller keeps it
    auto x = Make({1});
    Outcome outcome = Execute(*program, {x.get()}, {0});
    EXPECT_FALSE(x->deleted());
    EXPECT_EQ(Read(*x)[0], 1);
    EXPECT_EQ(Read(*outcome.results[0])[0], 2);
  }
  {  // somebody looks at it
    auto x = Make({1});
    ASSERT_TRUE(x->IncreaseExternalReferenceCount().ok());
    Outcome outcome = Execute(*program, {x.get()});
    EXPECT_TRUE(x->deleted());
    EXPECT_NE(outcome.results[0]->data(), x->data());
    int64_t value = 0;
    ASSERT_TRUE(device_->CopyToHost(&value, x->data(), 8).ok());
    EXPECT_EQ(value, 1);
    EXPECT_EQ(Read(*outcome.results[0])[0], 2);
    EXPECT_TRUE(x->DecreaseExternalReferenceCount().ok());
  }
  {  // it is not ours
    alignas(64) int64_t memory[8] = {1};
    bool returned = false;
    auto x = Buffer::Import(device_.get(), ProgramBuilder::Array(1), memory, [&] { returned = true; });
    Outcome outcome = Execute(*program, {x.get()});
    EXPECT_EQ(memory[0], 1);
    EXPECT_EQ(Read(*outcome.results[0])[0], 2);
    EXPECT_TRUE(returned);
  }
  {  // a copy on its way still reads it
    Promise promise;
    auto x = *Buffer::Pending(device_.get(), ProgramBuilder::Array(1), promise.event());
    int64_t seen = 0;
    const Event read = x->CopyToHost(&seen);
    Outcome outcome = Execute(*program, {x.get()});
    const int64_t value = 8;
    // The handle is deleted, the memory is there until the copy is done.
    EXPECT_EQ(x->data(), nullptr);
    EXPECT_FALSE(outcome.done.ready());
    promise.Set(Internal("never filled"));
    EXPECT_FALSE(read.Await().ok());
    EXPECT_EQ(outcome.done.Await().message(), "never filled");
    (void)value;
  }
}

TEST_P(ExecuteTest, OneBufferTwiceWithDonation) {
  ProgramBuilder b;
  const ValueId first = b.Parameter(1, true), second = b.Parameter(1, true);
  const ValueId out = b.Result(1, 0), other = b.Result(1, 1);
  b.Add(first, out, 1, 1);
  b.Add(second, other, 1, 10);
  auto program = Load(b);
  auto x = Make({5});
  Outcome outcome = Execute(*program, {x.get(), x.get()});
  EXPECT_EQ(outcome.status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(outcome.status.message().find("is donated, and the same buffer is argument 1"), std::string::npos)
      << outcome.status.message();
  EXPECT_FALSE(x->deleted());
  // What is not given may come twice.
  outcome = Execute(*program, {x.get(), x.get()}, {0, 1});
  ASSERT_TRUE(outcome.status.ok());
  EXPECT_EQ(Read(*outcome.results[0])[0], 6);
  EXPECT_EQ(Read(*outcome.results[1])[0], 15);
}

TEST_P(ExecuteTest, DonationWaitsForReadersInTheQueue) {
  Promise gate;
  device_->Enqueue(gate.event(), [] {});  // holds the queue
  auto reader = AddOne(1, kHuge);
  auto taker = AddOne(1, 100, /*donated=*/true);
  auto x = Make({1});
  void* memory = x->data();
  Outcome read = Execute(*reader, {x.get()});
  Outcome taken = Execute(*taker, {x.get()});  // small, but what it overwrites has yet to be read
  EXPECT_FALSE(taken.done.ready());
  EXPECT_EQ(taken.results[0]->data(), memory);
  Outcome again = Execute(*taker, {taken.results[0].get()});
  gate.Set();
  EXPECT_EQ(Read(*read.results[0])[0], 2);
  EXPECT_EQ(Read(*again.results[0])[0], 3);
}

TEST_P(ExecuteTest, AThousandCallsInFlight) {
  auto step = AddOne(1, kHuge, /*donated=*/true);
  auto square = AddOne(64, kHuge);
  auto x = Make({0});
  auto y = Make(std::vector<int64_t>(64, 1));
  std::vector<std::unique_ptr<Buffer>> all;
  for (int i = 0; i < 1000; ++i) {
    Outcome outcome = Execute(*step, {x.get()});
    ASSERT_TRUE(outcome.status.ok());
    x = std::move(outcome.results[0]);
    Outcome side = Execute(*square, {y.get()});
    ASSERT_TRUE(side.status.ok());
    all.push_back(std::move(side.results[0]));
  }
  EXPECT_EQ(Read(*x)[0], 1000);
  for (auto& each : all) EXPECT_EQ(Read(*each), std::vector<int64_t>(64, 2));
}

TEST_P(ExecuteTest, AllocationTooLargeIsAnErrorAndNothingIsLost) {
  ProgramBuilder b("big");
  const ValueId in = b.Parameter(1, true);
  b.Add(in, b.Result(1, 0), 1, 1);
  b.Result(int64_t{1} << 40);
  auto big = Load(b);
  auto x = Make({1});
  const Status status = Execute(*big, {x.get()}).status;
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("result 1"), std::string::npos) << status.message();
  EXPECT_FALSE(x->deleted());
  ProgramBuilder c("arena");
  const ValueId parameter = c.Parameter(1);
  c.Arena(int64_t{1} << 50);
  c.Add(parameter, c.Result(1), 1, 1);
  auto arena = Load(c);
  EXPECT_EQ(Execute(*arena, {x.get()}).status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Run(*AddOne(1), {x.get()}), std::vector<int64_t>({2}));
}

TEST_P(ExecuteTest, EightThreadsShareAProgram) {
  auto small = AddOne(16);
  auto large = AddOne(5000, kHuge);
  auto middle = AddOne(5000, 500'000);
  auto shared = Make(std::vector<int64_t>(5000, 3));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto x = Make(std::vector<int64_t>(16, t));
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(Run(*small, {x.get()}), std::vector<int64_t>(16, t + 1));
        EXPECT_EQ(Run(round % 2 ? *large : *middle, {shared.get()}), std::vector<int64_t>(5000, 4));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ExecuteTest, ThreadsRaceToDonate) {
  auto taker = AddOne(1, 100, /*donated=*/true);
  auto reader = AddOne(1);
  for (int round = 0; round < 200; ++round) {
    auto x = Make({1});
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        Outcome outcome = Execute(t == 0 ? *reader : *taker, {x.get()});
        if (!outcome.status.ok()) return;  // somebody was faster
        taken += t != 0;
        EXPECT_EQ(Read(*outcome.results[0])[0], 2);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GE(taken, 1);
    EXPECT_TRUE(x->deleted());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ExecuteTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "host" : "null"; });

TEST(LoadedExecutable, RefusesWhatItCannotRun) {
  ThreadPool pool(1);
  auto device = MakeHostDevice(&pool, {});
  ProgramBuilder b("unknown_kernel");
  b.Get().kernels.push_back({"no_such_kernel", -1});
  const Status missing = LoadedExecutable::Load(b.Get(), device.get()).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_NE(missing.message().find("no_such_kernel"), std::string::npos);
  ProgramBuilder malformed;
  malformed.Get().sequences.clear();
  EXPECT_EQ(LoadedExecutable::Load(malformed.Get(), device.get()).status().code(), StatusCode::kInvalidArgument);
  ProgramBuilder many;
  many.Get().num_partitions = 8;
  EXPECT_EQ(LoadedExecutable::Load(many.Get(), device.get()).status().code(), StatusCode::kInvalidArgument);
  ProgramBuilder object;
  object.Get().objects.push_back({"no object code"});
  object.Get().kernels.push_back({"k", 0});
  EXPECT_EQ(LoadedExecutable::Load(object.Get(), device.get()).status().code(), StatusCode::kInvalidArgument);
}

TEST(Client, MakesDevices) {
  EXPECT_FALSE(Client::Create({.num_devices = -1}).ok());
  auto client = Client::Create({.num_devices = 3, .num_threads = 2});
  ASSERT_TRUE(client.ok());
  ASSERT_EQ((*client)->devices().size(), 3u);
  EXPECT_EQ((*client)->devices()[2]->id(), 2);
}

// A process may end while work is queued and running, with or without its client.
TEST(ClientDeathTest, ExitWithWorkQueued) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (bool destroy : {false, true}) {
    EXPECT_EXIT(
        {
          auto* client = Client::Create({.num_threads = 2})->release();
          ProgramBuilder b;
          const ValueId in = b.Parameter(1 << 20);
          const ValueId out = b.Result(1 << 20);
          for (int i = 0; i < 20; ++i) b.Add(i == 0 ? in : out, out, 1 << 20, 1, kHuge);
          Device* device = client->devices()[0].get();
          auto program = *LoadedExecutable::Load(b.Get(), device);
          std::vector<std::unique_ptr<Buffer>> results(1);
          auto x = *Buffer::Allocate(device, ProgramBuilder::Array(1 << 20));
          Buffer* arguments[] = {x.get()};
          for (int i = 0; i < 20; ++i) {
            Event done;
            if (!program->Execute(arguments, {}, results, &done).ok()) std::exit(1);
          }
          x.reset();
          results.clear();
          program.reset();
          if (destroy) delete client;
          std::exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
}

}  // namespace
}  // namespace treadle
