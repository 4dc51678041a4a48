#include "runtime/channels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/device_test_fixture.h"
#include "runtime/loaded_executable.h"
#include "runtime/test_program.h"

namespace treadle {
namespace {

using executable::TransferStep;
using executable::ValueId;
using executable::WhileStep;
using test::ProgramBuilder;

Message Of(std::vector<int64_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return {
      .arrays = {{ProgramBuilder::Array(count), std::string(reinterpret_cast<const char*>(values.data()), count * 8)}}};
}

std::vector<int64_t> In(const Message& message) {
  std::vector<int64_t> values(message.arrays[0].bytes.size() / 8);
  std::memcpy(values.data(), message.arrays[0].bytes.data(), message.arrays[0].bytes.size());
  return values;
}

TEST(Channels, KeepOrderAndNames) {
  Channels channels;
  ASSERT_TRUE(channels.Put("a", Of({1})).ok());
  ASSERT_TRUE(channels.Put("b", Of({2})).ok());
  ASSERT_TRUE(channels.Put("a", Of({3})).ok());
  EXPECT_EQ(In(*channels.TryTake("a")), std::vector<int64_t>{1});
  EXPECT_EQ(In(*channels.TryTake("a")), std::vector<int64_t>{3});
  EXPECT_FALSE(channels.TryTake("a"));
  EXPECT_EQ(In(*channels.TryTake("b")), std::vector<int64_t>{2});
}

TEST(Channels, TellOfTheNextMessage) {
  Channels channels;
  auto taken = channels.Take("a", {});
  ASSERT_TRUE(taken.ok());
  const Event arrival = std::get<Event>(*taken);
  ASSERT_TRUE(channels.Put("b", Of({1})).ok());
  EXPECT_FALSE(arrival.ready());
  ASSERT_TRUE(channels.Put("a", Of({2})).ok());
  EXPECT_TRUE(arrival.ok());
  taken = channels.Take("a", {});
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(In(std::get<Message>(*taken)), std::vector<int64_t>{2});
}

TEST(Channels, LetNobodyWaitAfterTheEnd) {
  Channels channels;
  ASSERT_TRUE(channels.Put("a", Of({1})).ok());
  const auto waits = channels.Take("b", {});
  channels.StopWaiting("the test is over");
  EXPECT_TRUE(std::get<Event>(*waits).ready());
  EXPECT_TRUE(std::holds_alternative<Message>(*channels.Take("a", {})));
  EXPECT_EQ(channels.Take("a", {}).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(channels.Take("a", {}).status().message(), "a: the test is over");
}

TEST(Channels, AreBounded) {
  Channels channels(/*limit=*/24);
  ASSERT_TRUE(channels.Put("a", Of({1, 2})).ok());
  EXPECT_EQ(channels.Put("b", Of({1, 2})).status().code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(channels.TryTake("a"));
  EXPECT_TRUE(channels.Put("b", Of({1, 2})).ok());
}

TEST(Channels, GiveToTakersAndAskGivers) {
  Channels channels;
  channels.SetTaker("out", [&](Message message) {
    message.arrays[0].bytes[0] += 1;
    return channels.Put("in", std::move(message)).status();
  });
  std::vector<Shape> asked;
  channels.SetGiver("in", [&](std::span<const Shape> wanted) { asked.assign(wanted.begin(), wanted.end()); });
  const Shape shape = ProgramBuilder::Array(1);
  const auto waits = channels.Take("in", {&shape, 1});
  EXPECT_EQ(asked, std::vector<Shape>{shape});
  const auto taken = channels.Put("out", Of({41}));
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->Await().ok());
  EXPECT_TRUE(std::get<Event>(*waits).ok());
  EXPECT_EQ(In(*channels.TryTake("in")), std::vector<int64_t>{42});
}

class TransferTest : public test::DeviceTest {
 protected:
  TransferTest() : DeviceTest(/*threads=*/2, /*id=*/5) {}
  ~TransferTest() override { device_->Drain(); }  // executions use the channels

  // The event of an execution without arguments.
  Event Execute(LoadedExecutable& program, std::vector<std::unique_ptr<Buffer>>& results) {
    results.resize(program.num_results());
    Event done;
    const Status status = program.Execute({}, {.channels = &channels_}, results, &done);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return done;
  }

  static TransferStep Take(const std::string& channel, ValueId to, int64_t elements, bool of_device = false) {
    return {.channels = {channel},
            .of_device = of_device,
            .arrays = {{to, 0}},
            .shapes = {ProgramBuilder::Array(elements)}};
  }

  // A program that takes two numbers from its device's infeed and gives the second one plus 1.
  std::unique_ptr<LoadedExecutable> TakesTwo() {
    ProgramBuilder b("takes_two");
    const ValueId first = b.Arena(8);
    const ValueId second = b.Arena(8);
    b.Push(Take("infeed", first, 1, true), "take");
    b.Push(Take("infeed", second, 1, true), "take");
    b.Add(second, b.Result(1), 1, 1);
    return Load(b);
  }

  Channels channels_;
};

TEST_P(TransferTest, TakesWhatIsThere) {
  const auto program = TakesTwo();
  ASSERT_TRUE(channels_.Put(Channels::Infeed(5), Of({10})).ok());
  ASSERT_TRUE(channels_.Put(Channels::Infeed(5), Of({20})).ok());
  std::vector<std::unique_ptr<Buffer>> results;
  EXPECT_TRUE(Execute(*program, results).Await().ok());
  EXPECT_EQ(Read(*results[0]), std::vector<int64_t>{21});
}

// More executions wait than there are threads, and what comes after them in other queues still runs.
TEST_P(TransferTest, WaitsWithoutAThread) {
  const auto program = TakesTwo();
  std::vector<std::vector<std::unique_ptr<Buffer>>> results(8);
  std::vector<Event> done;
  for (auto& each : results) done.push_back(Execute(*program, each));
  EXPECT_FALSE(done[0].ready());
  Promise ran;
  const Event event = ran.event();
  device_->Schedule([&ran] { ran.Set(); });
  EXPECT_TRUE(event.Await().ok());
  for (int64_t i = 0; i < 16; ++i) ASSERT_TRUE(channels_.Put(Channels::Infeed(5), Of({i})).ok());
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(done[i].Await().ok());
    EXPECT_EQ(Read(*results[i][0]), std::vector<int64_t>{2 * i + 2});
  }
}

TEST_P(TransferTest, PutsInLoops) {
  ProgramBuilder b("counts");
  const ValueId count = b.Arena(8);
  const ValueId next = b.Arena(8);
  const ValueId less = b.Arena(1);
  b.Copy(b.Constant(std::string(8, '\0')), count, 8);
  const int32_t cond = b.Sequence();
  const int32_t body = b.Sequence();
  b.Less(count, less, 3, cond);
  b.Push(TransferStep{.puts = true,
                      .channels = {"out"},
                      .config = "note",
                      .arrays = {{count, 0}},
                      .shapes = {ProgramBuilder::Array(1)}},
         "put", body);
  b.Add(count, next, 1, 1, 100, body);
  b.Copy(next, count, 8, body);
  b.Push(WhileStep{cond, body, {less, 0}}, "while");
  const auto program = Load(b);
  std::vector<std::unique_ptr<Buffer>> results;
  EXPECT_TRUE(Execute(*program, results).Await().ok());
  for (int64_t i = 0; i < 3; ++i) {
    const std::optional<Message> message = channels_.TryTake("out");
    ASSERT_TRUE(message);
    EXPECT_EQ(message->config, "note");
    EXPECT_EQ(In(*message), std::vector<int64_t>{i});
  }
  EXPECT_FALSE(channels_.TryTake("out"));
}

TEST_P(TransferTest, RefusesOtherMessages) {
  const auto program = TakesTwo();
  std::vector<std::unique_ptr<Buffer>> results;
  ASSERT_TRUE(channels_.Put(Channels::Infeed(5), Of({1, 2})).ok());
  const Status status = Execute(*program, results).Await();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("2xi64"), std::string::npos) << status.message();
}

TEST_P(TransferTest, FailsWhenNoMoreComes) {
  const auto program = TakesTwo();
  std::vector<std::unique_ptr<Buffer>> results;
  const Event done = Execute(*program, results);
  ASSERT_TRUE(channels_.Put(Channels::Infeed(5), Of({1})).ok());
  channels_.StopWaiting("no more");
  EXPECT_EQ(done.Await().code(), StatusCode::kCancelled);
}

// The taker may be slow, and fail: the execution waits for it, without the device's queue.
TEST_P(TransferTest, FailsWithItsTaker) {
  ProgramBuilder b("puts");
  b.Push(TransferStep{.puts = true,
                      .channels = {"out"},
                      .arrays = {{b.Constant(std::string(8, 'x')), 0}},
                      .shapes = {ProgramBuilder::Array(1)}},
         "put");
  const auto program = Load(b);
  const auto own = std::make_shared<Channels>();
  Promise begun, may_end;
  const Event end = may_end.event();
  own->SetTaker("out", [&begun, end](const Message&) {
    begun.Set();
    end.Await();
    return InvalidArgument("not this");
  });
  Event done;
  ASSERT_TRUE(program->Execute({}, {.own_channels = own}, {}, &done).ok());
  EXPECT_TRUE(begun.event().Await().ok());
  Promise ran;
  const Event next = ran.event();
  device_->Enqueue(Event(), [&ran] { ran.Set(); });
  EXPECT_TRUE(next.Await().ok());
  EXPECT_FALSE(done.ready());
  may_end.Set();
  const Status status = done.Await();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("not this"), std::string::npos) << status.message();
}

TEST_P(TransferTest, NeedsChannels) {
  const auto program = TakesTwo();
  std::vector<std::unique_ptr<Buffer>> results(1);
  Event done;
  EXPECT_EQ(program->Execute({}, {}, results, &done).code(), StatusCode::kFailedPrecondition);
}

INSTANTIATE_TEST_SUITE_P(Devices, TransferTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "host" : "null"; });

}  // namespace
}  // namespace treadle
