#include "runtime/spmd_executable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/client.h"
#include "runtime/test_program.h"

namespace treadle {
namespace {

using executable::CaseStep;
using executable::ExchangeStep;
using executable::Giver;
using executable::Home;
using executable::ValueId;
using executable::View;
using executable::WhileStep;
using test::ProgramBuilder;

constexpr int64_t kHuge = 1'000'000'000;  // a claimed cost that sends a call to the workers

// buffers[2][i] = buffers[0][i] + buffers[1][i], i64. Takes a while that depends on the values.
int SumKernel(const TreadleCallFrame* frame) {
  const auto* a = static_cast<const int64_t*>(frame->buffers[0]);
  const auto* b = static_cast<const int64_t*>(frame->buffers[1]);
  auto* out = static_cast<int64_t*>(frame->buffers[2]);
  for (int64_t i = frame->tile_begin; i < frame->tile_end; ++i) {
    for (int64_t spin = 0; spin < (a[i] * 7 + b[i] * 3) % 16 * 20; ++spin) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    out[i] = a[i] + b[i];
  }
  return TREADLE_KERNEL_OK;
}

// Programs of several devices over values of `elements`.
class SpmdBuilder : public ProgramBuilder {
 public:
  explicit SpmdBuilder(int participants, std::string name = "spmd") : ProgramBuilder(std::move(name)) {
    link::RegisterSymbol("test_sum", reinterpret_cast<void*>(&SumKernel));
    Get().kernels.push_back({"test_sum", -1});
    Get().num_partitions = participants;
  }

  void Sum(ValueId a, ValueId b, ValueId out, int64_t elements, int32_t sequence, int64_t cost_ns = 100) {
    executable::KernelStep step;
    step.frames = {
        {.kernel = 3, .buffers = {{a, 0}, {b, 0}, {out, 0}}, .args = {}, .tiles = elements, .cost_ns = cost_ns}};
    Push(std::move(step), "sum", sequence);
  }

  // An exchange of `operand` in `groups`, everyone reading from all of its group. Returns the members as values, and
  // the body's sequence.
  std::pair<std::vector<ValueId>, int32_t> Exchange(ValueId operand, std::vector<std::vector<int32_t>> groups,
                                                    int32_t sequence = 0) {
    ExchangeStep step{.operands = {{operand, 0}}, .groups = groups, .members = static_cast<int32_t>(groups[0].size())};
    step.sources.resize(Get().num_partitions);
    for (const auto& group : groups) {
      for (int32_t participant : group) step.sources[participant] = group;
    }
    step.first_member = next_member_;
    step.body = Sequence();
    std::vector<ValueId> members;
    for (int32_t m = 0; m < step.members; ++m) {
      Get().values.push_back({Home::kMember, next_member_++, 0, Get().values[operand].bytes});
      members.push_back(static_cast<ValueId>(Get().values.size() - 1));
    }
    const int32_t body = step.body;
    Push(std::move(step), "exchange", sequence);
    return {members, body};
  }

  // out = the sum of `in` over the groups.
  void AllReduce(ValueId in, ValueId out, int64_t elements, std::vector<std::vector<int32_t>> groups,
                 int32_t sequence = 0, int64_t cost_ns = 100) {
    auto [members, body] = Exchange(in, std::move(groups), sequence);
    Copy(members[0], out, elements * 8, body);
    for (size_t m = 1; m < members.size(); ++m) Sum(out, members[m], out, elements, body, cost_ns);
  }

 private:
  int32_t next_member_ = 0;
};

std::vector<int32_t> Everyone(int participants) {
  std::vector<int32_t> all;
  for (int p = 0; p < participants; ++p) all.push_back(p);
  return all;
}

// A call: buffers of all devices.
struct Call {
  std::vector<std::vector<std::unique_ptr<Buffer>>> owned, results;
  std::vector<Event> done;
  Status status;

  void Run(SpmdExecutable& program, const ExecuteOptions& options = {}) {
    std::vector<std::vector<Buffer*>> arguments(owned.size());
    results.clear();
    results.resize(owned.size());
    done.assign(owned.size(), Event());
    std::vector<std::span<Buffer* const>> argument_lists;
    std::vector<std::span<std::unique_ptr<Buffer>>> result_lists;
    for (size_t p = 0; p < owned.size(); ++p) {
      for (const auto& buffer : owned[p]) arguments[p].push_back(buffer.get());
      results[p].resize(program.executable().results.size());
      argument_lists.emplace_back(arguments[p]);
      result_lists.emplace_back(results[p]);
    }
    status = program.Execute(argument_lists, options, result_lists, done);
  }
};

class SpmdTest : public testing::Test {
 protected:
  explicit SpmdTest(int devices = 8, int threads = 2)
      : client_(*Client::Create({.num_devices = devices, .num_threads = threads})) {
    for (const auto& device : client_->devices()) devices_.push_back(device.get());
  }
  ~SpmdTest() override {
    client_->parallel_calls().Drain();
    for (Device* device : devices_) {
      device->Drain();
      EXPECT_EQ(device->memory_stats().bytes_in_use, 0) << "device " << device->id();
    }
  }

  std::unique_ptr<SpmdExecutable> Load(ProgramBuilder& builder) {
    const auto executable = std::make_shared<const executable::Executable>(builder.Get());
    auto loaded =
        SpmdExecutable::Load(executable, client_.get(), std::span(devices_).first(executable->participants()));
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return *std::move(loaded);
  }
  std::unique_ptr<Buffer> Make(size_t device, const std::vector<int64_t>& values) {
    return *Buffer::CopyFromHost(devices_[device], ProgramBuilder::Array(static_cast<int64_t>(values.size())),
                                 values.data());
  }
  // One argument a device: elements p * 10, p * 10 + 1, ...
  Call Numbers(int participants, int64_t elements) {
    Call call;
    for (int p = 0; p < participants; ++p) {
      std::vector<int64_t> values;
      for (int64_t i = 0; i < elements; ++i) values.push_back(p * 10 + i);
      call.owned.emplace_back();
      call.owned.back().push_back(Make(p, values));
    }
    return call;
  }
  static std::vector<int64_t> Read(const Buffer& buffer) {
    std::vector<int64_t> values(buffer.shape().elements());
    const Status status = buffer.CopyToHost(values.data()).Await();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return values;
  }

  std::unique_ptr<SpmdExecutable> AllReduceOnEight(int64_t cost_ns, int64_t elements = 3) {
    SpmdBuilder b(8);
    const ValueId in = b.Parameter(elements), out = b.Result(elements);
    b.AllReduce(in, out, elements, {Everyone(8)}, 0, cost_ns);
    return Load(b);
  }

  std::unique_ptr<Client> client_;
  std::vector<Device*> devices_;
};

TEST_F(SpmdTest, AllReduceOnTheCallingThread) {
  auto program = AllReduceOnEight(100);
  Call call = Numbers(8, 3);
  call.Run(*program);
  ASSERT_TRUE(call.status.ok()) << call.status.ToString();
  for (int p = 0; p < 8; ++p) {
    EXPECT_TRUE(call.done[p].ready());
    EXPECT_EQ(&call.results[p][0]->device(), devices_[p]);
    EXPECT_EQ(Read(*call.results[p][0]), (std::vector<int64_t>{280, 288, 296}));
  }
}

// 8 devices on 2 threads, in four exchanges of different groups, a thousand times.
TEST_F(SpmdTest, AThousandTimes) {
  SpmdBuilder b(8);
  const ValueId in = b.Parameter(3), a = b.Arena(24), c = b.Arena(24), d = b.Arena(24), out = b.Result(3);
  b.AllReduce(in, a, 3, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 0, kHuge);
  b.AllReduce(a, c, 3, {{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  b.AllReduce(c, d, 3, {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  b.AllReduce(d, out, 3, {Everyone(8)});
  auto program = Load(b);
  for (int round = 0; round < 1000; ++round) {
    Call call = Numbers(8, 3);
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    if (round % 3 == 0) call.owned.clear();  // the call keeps what it needs
    for (int p = 0; p < 8; ++p) {
      ASSERT_EQ(Read(*call.results[p][0]), (std::vector<int64_t>{2240, 2304, 2368})) << "round " << round;
    }
  }
}

TEST_F(SpmdTest, ManyThreadsCallAtOnce) {
  auto quick = AllReduceOnEight(100), slow = AllReduceOnEight(kHuge);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&, t] {
      Call call = Numbers(8, 3);
      for (int i = 0; i < 100; ++i) {
        call.Run((t + i) % 2 == 0 ? *quick : *slow);
        if (!call.status.ok()) ++wrong;
        for (int p = 0; p < 8; ++p) wrong += Read(*call.results[p][0])[1] != 288;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SpmdTest, ManyCallsInFlight) {
  auto program = AllReduceOnEight(kHuge, 1);
  Call first = Numbers(8, 1);
  std::vector<Call> calls(2000);
  for (Call& call : calls) {
    call.owned.swap(first.owned);
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    call.owned.swap(first.owned);
  }
  for (Call& call : calls) ASSERT_EQ(Read(*call.results[5][0])[0], 280);
}

// One call's results are the next one's arguments.
TEST_F(SpmdTest, CallsInARow) {
  auto program = AllReduceOnEight(kHuge, 1);
  Call call = Numbers(8, 1);
  for (int i = 0; i < 5; ++i) {
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    call.owned = std::move(call.results);
  }
  EXPECT_EQ(Read(*call.owned[7][0])[0], 280 * 8 * 8 * 8 * 8);
}

TEST_F(SpmdTest, ExchangesInLoopsAndBranches) {
  SpmdBuilder b(4, "loop");
  const ValueId in = b.Parameter(1), sum = b.Result(1), go = b.Arena(1), odd = b.Arena(1);
  b.Copy(in, sum, 8);
  const int32_t cond = b.Sequence(), body = b.Sequence(), yes = b.Sequence(), no = b.Sequence();
  b.Push(WhileStep{cond, body, {go, 0}}, "while");
  b.Less(sum, go, 1000, cond);
  const ValueId next = b.Arena(8);
  b.AllReduce(sum, next, 1, {Everyone(4)}, body);
  b.Less(next, odd, 100, body);
  b.Push(CaseStep{true, {odd, 0}, {yes, no}}, "if", body);
  b.AllReduce(next, sum, 1, {{0, 1}, {2, 3}}, yes);  // doubles
  b.Copy(next, sum, 8, no);
  auto program = Load(b);
  Call call;
  for (int p = 0; p < 4; ++p) {
    call.owned.emplace_back();
    call.owned.back().push_back(Make(p, {1}));
  }
  call.Run(*program);  // 1 -> 4 -> 8 -> 32 -> 64 -> 256 -> 1024
  ASSERT_TRUE(call.status.ok());
  for (int p = 0; p < 4; ++p) EXPECT_EQ(Read(*call.results[p][0])[0], 1024);
}

TEST_F(SpmdTest, TheParticipantIsAnArgument) {
  SpmdBuilder b(4, "who");
  b.Get().parameters = {{.shape = {ElementType::kI32, {}}, .giver = Giver::kRuntime}};
  b.Get().values = {{Home::kParameter, 0, 0, 4}};
  b.Get().results = {{.shape = {ElementType::kI32, {}}}};
  b.Get().values.push_back({Home::kResult, 0, 0, 4});
  b.Copy(0, 1, 4);
  auto program = Load(b);
  Call call;
  call.owned.resize(4);
  call.Run(*program);
  ASSERT_TRUE(call.status.ok());
  for (int p = 0; p < 4; ++p) {
    int32_t participant = -1;
    ASSERT_TRUE(call.results[p][0]->CopyToHost(&participant).Await().ok());
    EXPECT_EQ(participant, p);
  }
}

// One device fails before the exchange, at it, and after it.
TEST_F(SpmdTest, AnErrorIsThatOfAllDevices) {
  for (int64_t cost : {int64_t{100}, kHuge}) {
    SpmdBuilder b(8, "fails");
    const ValueId in = b.Parameter(1), value = b.Arena(8), out = b.Result(1);
    b.Picky(in, value);
    b.AllReduce(value, out, 1, {Everyone(8)}, 0, cost);
    auto program = Load(b);
    Call call;
    for (int p = 0; p < 8; ++p) {
      call.owned.emplace_back();
      call.owned.back().push_back(Make(p, {p == 5 ? 13 : 1}));
    }
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    for (int p = 0; p < 8; ++p) {
      const Status status = call.done[p].Await();
      EXPECT_EQ(status.code(), StatusCode::kInternal);
      EXPECT_NE(status.message().find("on device 5"), std::string::npos) << status.message();
      EXPECT_FALSE(call.results[p][0]->ready().Await().ok());
    }
  }
}

// Devices that do not run the same collectives are told so.
TEST_F(SpmdTest, DivergingDevicesDoNotHang) {
  for (int64_t cost : {int64_t{100}, kHuge}) {
    SpmdBuilder b(4, "diverges");
    const ValueId in = b.Parameter(1), small = b.Arena(1), out = b.Result(1);
    b.Less(in, small, 5);
    const int32_t yes = b.Sequence(), no = b.Sequence();
    b.Push(CaseStep{true, {small, 0}, {yes, no}}, "if");
    b.AllReduce(in, out, 1, {Everyone(4)}, yes, cost);
    b.Copy(in, out, 8, no);
    auto program = Load(b);
    Call call = Numbers(4, 1);  // the first is small, the others are not
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    const Status status = call.done[0].Await();
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_NE(status.message().find("0 at 'exchange'; 3 have finished"), std::string::npos) << status.message();
    EXPECT_TRUE(call.done[1].Await().ok());
  }
}

TEST_F(SpmdTest, WaitsForArguments) {
  auto program = AllReduceOnEight(100);
  for (bool fails : {false, true}) {
    Call call = Numbers(8, 3);
    Promise promise;
    auto pending = *Buffer::Pending(devices_[6], ProgramBuilder::Array(3), promise.event());
    std::memset(pending->data(), 0, 24);
    call.owned[6][0] = std::move(pending);
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    EXPECT_FALSE(call.done[0].ready());
    promise.Set(fails ? Internal("poison") : OkStatus());
    const Status status = call.done[0].Await();
    EXPECT_EQ(status.ok(), !fails);
    if (!fails) EXPECT_EQ(Read(*call.results[0][0])[0], 220);
  }
}

TEST_F(SpmdTest, DonationsOnEachDevice) {
  SpmdBuilder b(2);
  const ValueId in = b.Parameter(3, /*donated=*/true), sum = b.Arena(24), out = b.Result(3, 0);
  b.AllReduce(in, sum, 3, {Everyone(2)});
  b.Copy(sum, out, 24);
  auto program = Load(b);
  Call call = Numbers(2, 3);
  std::vector<void*> addresses = {call.owned[0][0]->data(), call.owned[1][0]->data()};
  call.Run(*program);
  ASSERT_TRUE(call.status.ok());
  for (int p = 0; p < 2; ++p) {
    EXPECT_TRUE(call.owned[p][0]->deleted());
    EXPECT_EQ(call.results[p][0]->data(), addresses[p]);
    EXPECT_EQ(Read(*call.results[p][0]), (std::vector<int64_t>{10, 12, 14}));
  }
  Call kept = Numbers(2, 3);
  const std::vector<int64_t> keep = {0};
  kept.Run(*program, {.non_donatable = keep});
  ASSERT_TRUE(kept.status.ok());
  EXPECT_FALSE(kept.owned[1][0]->deleted());
  EXPECT_EQ(Read(*kept.owned[1][0])[0], 10);
}

TEST_F(SpmdTest, ChecksItsLists) {
  auto program = AllReduceOnEight(100);
  Call few = Numbers(7, 3);
  few.Run(*program);
  EXPECT_EQ(few.status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(few.status.message().find("runs on 8 devices"), std::string::npos) << few.status.message();
  Call call = Numbers(8, 3);
  std::swap(call.owned[2], call.owned[3]);
  call.Run(*program);
  EXPECT_NE(call.status.message().find("lives on another device"), std::string::npos) << call.status.message();
  call = Numbers(8, 3);
  call.owned[4][0]->Delete();
  call.Run(*program);
  EXPECT_NE(call.status.message().find("deleted"), std::string::npos) << call.status.message();
  call = Numbers(8, 3);
  call.owned[1].clear();
  call.Run(*program);
  EXPECT_NE(call.status.message().find("device 1 gives 0"), std::string::npos) << call.status.message();
  const auto executable = std::make_shared<const executable::Executable>(program->executable());
  EXPECT_EQ(SpmdExecutable::Load(executable, client_.get(), std::span(devices_).first(4)).status().code(),
            StatusCode::kInvalidArgument);
}

// result = parameter + 1 over whole arrays of 8, of which four devices hold two elements each.
class GlobalViewTest : public SpmdTest {
 protected:
  static constexpr int64_t kElements = 8;

  std::unique_ptr<SpmdExecutable> AddOne(Sharding in, Sharding out, int64_t cost_ns = 100, bool donated = false) {
    SpmdBuilder b(4, "add_one");
    b.Add(b.Parameter(kElements, donated), b.Result(kElements, donated ? 0 : -1), kElements, 1, cost_ns);
    b.Get().view = View::kGlobal;
    b.Get().parameters[0].sharding = std::move(in);
    b.Get().results[0].sharding = std::move(out);
    return Load(b);
  }
  Call Pieces() {
    Call call;
    for (int p = 0; p < 4; ++p) {
      call.owned.emplace_back();
      call.owned.back().push_back(Make(p, {p * 2, p * 2 + 1}));
    }
    return call;
  }
  const Sharding split_ = {{4}, {0, 1, 2, 3}}, halves_ = {{2}, {3, 0, 1, 2}}, whole_;
};

TEST_F(GlobalViewTest, JoinsAndCuts) {
  for (int64_t cost : {int64_t{100}, kHuge}) {
    Call call = Pieces();
    call.Run(*AddOne(split_, halves_, cost));
    ASSERT_TRUE(call.status.ok()) << call.status.ToString();
    for (int p = 0; p < 4; ++p) {
      const bool first = p == 3 || p == 0;
      EXPECT_EQ(Read(*call.results[p][0]),
                first ? (std::vector<int64_t>{1, 2, 3, 4}) : (std::vector<int64_t>{5, 6, 7, 8}));
      EXPECT_EQ(&call.results[p][0]->device(), devices_[p]);
      EXPECT_TRUE(call.done[p].Await().ok());
    }
  }
}

TEST_F(GlobalViewTest, WholeResultsShareMemory) {
  Call call = Pieces();
  auto program = AddOne(split_, whole_);
  call.Run(*program);
  ASSERT_TRUE(call.status.ok());
  for (int p = 0; p < 4; ++p) {
    EXPECT_EQ(call.results[p][0]->data(), call.results[0][0]->data());
    EXPECT_EQ(&call.results[p][0]->device(), devices_[p]);
  }
  call.results[0][0]->Delete();
  EXPECT_EQ(Read(*call.results[2][0]), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  // Whoever else holds such memory must not see what a donation makes of it.
  auto donating = AddOne(whole_, split_, 100, /*donated=*/true);
  Call again = Pieces();
  again.Run(*program);
  auto kept = *again.results[1][0]->ShareWith(devices_[1]);
  again.owned = std::move(again.results);
  again.Run(*donating);
  ASSERT_TRUE(again.status.ok());
  EXPECT_TRUE(again.owned[3][0]->deleted());
  EXPECT_EQ(Read(*again.results[3][0]), (std::vector<int64_t>{8, 9}));
  EXPECT_EQ(Read(*kept), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(GlobalViewTest, WaitsForPartsAndCarriesErrors) {
  auto program = AddOne(split_, split_);
  for (bool fails : {false, true}) {
    Call call = Pieces();
    Promise promise;
    auto pending = *Buffer::Pending(devices_[2], ProgramBuilder::Array(2), promise.event());
    std::memset(pending->data(), 0, 16);
    call.owned[2][0] = std::move(pending);
    call.Run(*program);
    ASSERT_TRUE(call.status.ok());
    call.owned.clear();
    promise.Set(fails ? Internal("poison") : OkStatus());
    for (int p = 0; p < 4; ++p) EXPECT_EQ(call.done[p].Await().ok(), !fails);
    if (!fails) EXPECT_EQ(Read(*call.results[2][0]), (std::vector<int64_t>{1, 1}));
  }
}

TEST_F(GlobalViewTest, ChecksParts) {
  auto program = AddOne(split_, split_);
  Call call = Pieces();
  call.owned[1][0] = Make(1, {1, 2, 3});
  call.Run(*program);
  EXPECT_NE(call.status.message().find("expected 2xi64 on device 1, got 3xi64"), std::string::npos)
      << call.status.message();
  call = Pieces();
  std::swap(call.owned[0], call.owned[1]);
  call.Run(*program);
  EXPECT_EQ(call.status.code(), StatusCode::kInvalidArgument);
}

// A client may go while calls are on their way.
TEST(SpmdClient, EndsWithCallsInFlight) {
  for (int round = 0; round < 20; ++round) {
    auto client = *Client::Create({.num_devices = 4, .num_threads = 2});
    std::vector<Device*> devices;
    for (const auto& device : client->devices()) devices.push_back(device.get());
    SpmdBuilder b(4);
    const ValueId in = b.Parameter(1), out = b.Result(1);
    b.AllReduce(in, out, 1, {Everyone(4)}, 0, kHuge);
    auto program =
        *SpmdExecutable::Load(std::make_shared<const executable::Executable>(b.Get()), client.get(), devices);
    std::vector<Call> calls(10);
    for (Call& call : calls) {
      for (int p = 0; p < 4; ++p) {
        const int64_t value = p;
        call.owned.emplace_back();
        call.owned.back().push_back(*Buffer::CopyFromHost(devices[p], ProgramBuilder::Array(1), &value));
      }
      call.Run(*program);
    }
    std::vector<Event> done = calls.back().done;
    calls.clear();
    program.reset();
    client.reset();
    for (const Event& event : done) EXPECT_TRUE(event.ready());
  }
}

}  // namespace
}  // namespace treadle
