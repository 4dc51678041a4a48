#include "runtime/meetings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "async/event.h"
#include "async/thread_pool.h"

namespace treadle::internal {
namespace {

using Groups = std::vector<std::vector<int32_t>>;

// Meetings whose resumed executions are written down.
struct Fixture {
  explicit Fixture(std::vector<Groups> exchange_groups, int32_t participants) : groups(std::move(exchange_groups)) {
    std::vector<Meetings::Exchange> exchanges;
    for (const Groups& g : groups) exchanges.push_back({"exchange", &g, 1});
    meetings = std::make_unique<Meetings>("program", participants, exchanges,
                                          [this](int32_t participant) { resumed.push_back(participant); });
  }
  bool Meet(int32_t participant, uint32_t exchange = 0) {
    void* lent = &values[participant];
    return meetings->Meet(participant, exchange, {&lent, 1});
  }
  std::vector<int32_t> Resumed() { return std::exchange(resumed, {}); }

  const std::vector<Groups> groups;
  int values[8] = {};
  std::vector<int32_t> resumed;
  std::unique_ptr<Meetings> meetings;
};

TEST(Meetings, TheLastOneResumesTheOthers) {
  Fixture f({{{0, 1, 2}}}, 3);
  EXPECT_FALSE(f.Meet(2));
  EXPECT_FALSE(f.Meet(0));
  EXPECT_TRUE(f.Resumed().empty());
  EXPECT_TRUE(f.Meet(1));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{2, 0}));
  EXPECT_EQ(f.meetings->Lent(2, 0, 0), &f.values[2]);
  EXPECT_FALSE(f.meetings->Leave(1, 0));
  EXPECT_FALSE(f.meetings->Leave(2, 0));
  EXPECT_TRUE(f.meetings->Leave(0, 0));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{1, 2}));
}

TEST(Meetings, GroupsDoNotWaitForEachOther) {
  Fixture f({{{0, 2}, {1, 3}}}, 4);
  EXPECT_FALSE(f.Meet(0));
  EXPECT_FALSE(f.Meet(1));
  EXPECT_TRUE(f.Meet(2));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{0}));
}

TEST(Meetings, AnErrorIsThatOfAll) {
  Fixture f({{{0, 1, 2}}}, 3);
  EXPECT_FALSE(f.Meet(0));
  f.meetings->Finish(1, Internal("broken"));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{0}));  // to end
  EXPECT_EQ(f.meetings->failure().code(), StatusCode::kInternal);
  EXPECT_NE(f.meetings->failure().message().find("device 1"), std::string::npos);
  EXPECT_FALSE(f.Meet(2));  // comes late
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{2}));
  f.meetings->Finish(0, f.meetings->failure());
  EXPECT_TRUE(f.Resumed().empty());
}

TEST(Meetings, NobodyWaitsForWhoHasFinished) {
  Fixture f({{{0, 1, 2}}}, 3);
  EXPECT_FALSE(f.Meet(0));
  f.meetings->Finish(1, OkStatus());
  EXPECT_TRUE(f.meetings->failure().ok());  // 2 may still come or fail
  EXPECT_FALSE(f.Meet(2));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(f.meetings->failure().code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(f.meetings->failure().message().find("0, 2 at 'exchange'; 1 have finished"), std::string::npos)
      << f.meetings->failure().message();
}

TEST(Meetings, NobodyWaitsInACircle) {
  Fixture f({{{0, 1}}, {{0, 1}}}, 2);
  EXPECT_FALSE(f.Meet(0, 0));
  EXPECT_FALSE(f.Meet(1, 1));
  EXPECT_EQ(f.Resumed(), (std::vector<int32_t>{0, 1}));
  EXPECT_FALSE(f.meetings->failure().ok());
}

// Eight executions on two threads go through twenty exchanges, some of all and some of pairs, a thousand times. Each
// sees what the others of its group have written last.
class Walk : public std::enable_shared_from_this<Walk> {
 public:
  static constexpr int kParticipants = 8, kExchanges = 20;

  Walk(ThreadPool& pool, uint32_t seed) : pool_(pool) {
    std::mt19937 random(seed);
    for (int i = 0; i < kExchanges; ++i) {
      groups_.push_back(random() % 2 ? Groups{{0, 1, 2, 3, 4, 5, 6, 7}} : Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
      delays_.push_back(random() % 8);
    }
    std::vector<Meetings::Exchange> exchanges;
    for (const Groups& groups : groups_) exchanges.push_back({"exchange", &groups, 1});
    meetings_ = std::make_unique<Meetings>("walk", kParticipants, exchanges, [this](int32_t p) { Schedule(p); });
  }

  void Run() {
    for (int32_t p = 0; p < kParticipants; ++p) Schedule(p);
    done_.event().Await();
  }
  int wrong() const { return wrong_; }

 private:
  void Schedule(int32_t p) {
    pool_.Schedule([self = shared_from_this(), p] { self->Continue(p); });
  }

  // The place of an execution is its step: two for each exchange.
  void Continue(int32_t p) {
    for (int& step = step_[p]; step < 2 * kExchanges;) {
      const uint32_t exchange = step / 2;
      if (step++ % 2 == 0) {
        for (int i = 0; i < delays_[(exchange + p) % kExchanges] * 100; ++i)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        value_[p] = static_cast<int>(exchange) * 100 + p;
        void* lent = &value_[p];
        if (!meetings_->Meet(p, exchange, {&lent, 1})) return;
      } else {
        for (const std::vector<int32_t>& group : groups_[exchange]) {
          if (std::find(group.begin(), group.end(), p) == group.end()) continue;
          for (int32_t other : group) {
            if (*static_cast<int*>(meetings_->Lent(other, exchange, 0)) != static_cast<int>(exchange) * 100 + other)
              ++wrong_;
          }
        }
        if (!meetings_->Leave(p, exchange)) return;
      }
    }
    meetings_->Finish(p, OkStatus());
    if (++finished_ == kParticipants) done_.Set();
  }

  ThreadPool& pool_;
  std::vector<Groups> groups_;
  std::vector<int> delays_;
  std::unique_ptr<Meetings> meetings_;
  int step_[kParticipants] = {}, value_[kParticipants] = {};
  std::atomic<int> finished_{0}, wrong_{0};
  Promise done_;
};

TEST(Meetings, EightOnTwoThreadsAThousandTimes) {
  ThreadPool pool(2);
  for (uint32_t round = 0; round < 1000; ++round) {
    const auto walk = std::make_shared<Walk>(pool, round);
    walk->Run();
    ASSERT_EQ(walk->wrong(), 0) << "round " << round;
  }
}

}  // namespace
}  // namespace treadle::internal
