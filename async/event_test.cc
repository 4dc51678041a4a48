#include "async/event.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace treadle {
namespace {

TEST(Event, DefaultIsReadyAndRunsCallbacksInline) {
  const Event event;
  EXPECT_TRUE(event.ready());
  EXPECT_TRUE(event.ok());
  EXPECT_TRUE(event.Await().ok());
  int calls = 0;
  event.OnReady([&](const Status& status) { calls += status.ok(); });
  EXPECT_EQ(calls, 1);
}

TEST(Event, CarriesItsError) {
  const Event event(Internal("broken"));
  EXPECT_TRUE(event.ready());
  EXPECT_FALSE(event.ok());
  EXPECT_EQ(event.Await().message(), "broken");
}

TEST(Event, DroppedHandleKeepsCallbacks) {
  Promise promise;
  int calls = 0;
  promise.event().OnReady([&](const Status&) { ++calls; });
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(promise.Set());
  EXPECT_FALSE(promise.Set(Internal("late")));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(promise.event().status().ok());
}

TEST(Event, CallbackMayDropEventAndPromise) {
  auto promise = std::make_unique<Promise>();
  std::optional<Event> event = promise->event();
  bool called = false;
  event->OnReady([&](const Status&) {
    event.reset();
    promise.reset();
    called = true;
  });
  promise->Set();
  EXPECT_TRUE(called);
}

TEST(Event, AbandonedPromiseFailsItsEvent) {
  Event event;
  {
    Promise promise;
    event = promise.event();
    EXPECT_FALSE(event.ready());
  }
  EXPECT_EQ(event.Await().code(), StatusCode::kAborted);
}

TEST(Event, AllTakesTheFirstErrorInOrder) {
  Promise a, b, c;
  const Event events[] = {Event(), a.event(), b.event(), c.event()};
  const Event all = Event::All(events);
  c.Set(Internal("third"));
  a.Set();
  EXPECT_FALSE(all.ready());
  b.Set(Internal("second"));
  EXPECT_EQ(all.Await().message(), "second");
  EXPECT_TRUE(Event::All({}).ok());
}

TEST(Event, ManyThreadsAwaitAndRegister) {
  for (int round = 0; round < 50; ++round) {
    Promise promise;
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, event = promise.event()] {
        event.OnReady([&](const Status&) { ++calls; });
        EXPECT_TRUE(event.Await().ok());
      });
    }
    promise.Set();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(calls, 4);
  }
}

}  // namespace
}  // namespace treadle
