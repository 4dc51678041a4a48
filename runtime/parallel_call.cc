#include "runtime/parallel_call.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "async/thread_pool.h"
#include "runtime/call.h"
#include "runtime/meetings.h"
#include "runtime/partners.h"

namespace treadle::internal {
namespace {

std::vector<Meetings::Exchange> ExchangesOf(const Program& program) {
  std::vector<Meetings::Exchange> exchanges;
  for (size_t i = 0; i < program.num_exchanges(); ++i) {
    const executable::ExchangeStep& step = program.exchange(i);
    exchanges.push_back({program.exchange_name(i), &step.groups, static_cast<uint32_t>(step.operands.size())});
  }
  return exchanges;
}

// Lives until its last execution has ended and let go of everything.
class ParallelCall : public std::enable_shared_from_this<ParallelCall> {
 public:
  explicit ParallelCall(std::span<const std::shared_ptr<Program>> programs)
      : meetings_(programs[0]->executable().name, static_cast<int32_t>(programs.size()), ExchangesOf(*programs[0]),
                  [this](int32_t participant) { Resume(participant); }) {
    for (size_t i = 0; i < programs.size(); ++i) executions_.emplace_back(programs[i], i, meetings_);
  }

  // Acquires the arguments and finds memory for the results of all devices, or for none.
  Status Prepare(std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options) {
    for (Execution& e : executions_) {
      TREADLE_RETURN_IF_ERROR(CheckArguments(*e.program, arguments[e.number]));
      TREADLE_RETURN_IF_ERROR(CheckChannels(*e.program, options));
    }
    own_channels_ = options.own_channels;
    channels_ = options.used_channels();
    for (Execution& e : executions_) {
      e.uses = std::make_unique<Uses>(arguments[e.number].size());
      TREADLE_RETURN_IF_ERROR(e.uses->Acquire(e.program->executable(), arguments[e.number]));
      const Donations donations(*e.program, options);
      TREADLE_RETURN_IF_ERROR(donations.CheckGivenOnce(arguments[e.number], *e.uses));
      TREADLE_RETURN_IF_ERROR(donations.Allocate(*e.uses, /*immediate=*/true, e.memory));
      for (const Buffer* argument : arguments[e.number]) {
        if (!argument->ready().ok()) awaited_.push_back(argument->ready());
      }
      cost_ns_ = std::min(cost_ns_ + e.program->cost_ns(), kImmediateNs + 1);
    }
    for (Execution& e : executions_) {
      TREADLE_RETURN_IF_ERROR(Donations(*e.program, options).Take(arguments[e.number], /*immediate=*/true, e.memory));
      for (size_t i = 0; i < e.memory.size(); ++i) e.memory[i]->Add(Memory::Use::kRunning);
      e.results = {e.memory.begin(), e.memory.end()};
    }
    return OkStatus();
  }

  bool immediate() const {
    return cost_ns_ <= kImmediateNs && !executions_[0].program->has_transfers() &&
           std::all_of(awaited_.begin(), awaited_.end(), [](const Event& event) { return event.ready(); });
  }

  // Runs everything on this thread.
  void RunHere() {
    Start();
    while (!ready_.empty()) {
      const int32_t next = ready_.front();
      ready_.pop_front();
      Run(next);
    }
  }

  // Runs as tasks when the arguments are there and the calls before this one have ended.
  void Enqueue(Client& client) {
    pool_ = &client.pool();
    Promise ended;
    const Event end = ended.event();
    ended_.emplace(std::move(ended));
    client.parallel_calls().PushAsynchronous(
        Event::All(awaited_),
        [self = shared_from_this(), end] {
          self->Start();
          return end;
        },
        /*may_need_caller=*/executions_[0].program->has_transfers());
  }

  // The event of a device's results.
  Event done(size_t participant) const { return executions_[participant].done.event(); }
  void MoveResultsInto(std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<const Event> ready) {
    for (Execution& e : executions_) e.memory.MoveInto(*e.program, ready[e.number], results[e.number]);
  }

 private:
  struct Execution final : Partners {
    Execution(std::shared_ptr<Program> program, size_t number, Meetings& meetings)
        : program(std::move(program)),
          number(static_cast<int32_t>(number)),
          meetings(meetings),
          memory(this->program->result_shapes().size()) {}
    ~Execution() override { Release(); }

    bool Meet(uint32_t exchange, std::span<void* const> operands) override {
      return meetings.Meet(number, exchange, operands);
    }
    void* Lent(uint32_t exchange, int32_t from, uint32_t operand) const override {
      return meetings.Lent(from, exchange, operand);
    }
    bool Leave(uint32_t exchange) override { return meetings.Leave(number, exchange); }
    const int32_t& participant() const override { return number; }

    Status Begin() {
      TREADLE_ASSIGN_OR_RETURN(workspace, program->TakeWorkspace());
      for (size_t i = 0; i < uses->size(); ++i) program->BindParameter(*workspace, i, (*uses)[i]->data());
      for (size_t i = uses->size(); i < program->executable().parameters.size(); ++i) {
        program->BindParameter(*workspace, i, &number);
      }
      for (size_t i = 0; i < results.size(); ++i) program->BindResult(*workspace, i, results[i]->data());
      program->Start(*workspace);
      return OkStatus();
    }

    // What it has lent may be read until then.
    void Release() {
      if (workspace != nullptr) program->ReturnWorkspace(std::move(workspace));
      uses.reset();
      for (Memory* result : results) result->Remove(Memory::Use::kRunning);
      results.clear();
    }

    const std::shared_ptr<Program> program;
    int32_t number;
    Meetings& meetings;
    std::unique_ptr<Uses> uses;
    ResultMemory memory;
    std::vector<Memory*> results;
    std::unique_ptr<Workspace> workspace;
    Promise done;
  };

  void Start() {
    Status poison;
    for (const Event& event : awaited_) {
      if (poison.ok()) poison = event.status();
    }
    for (Execution& e : executions_) {
      if (poison.ok()) poison = e.Begin();
    }
    if (!poison.ok()) {
      for (Execution& e : executions_) e.done.Set(poison);
      return;
    }
    for (Execution& e : executions_) Resume(e.number);
  }

  void Resume(int32_t participant) {
    if (pool_ == nullptr) {
      ready_.push_back(participant);
    } else {
      pool_->Schedule([self = shared_from_this(), participant] { self->Run(participant); });
    }
  }

  Surroundings SurroundingsOf(Execution& e) {
    if (!e.program->has_transfers()) return {.partners = &e};
    return {.partners = &e, .channels = channels_, .resume = [self = shared_from_this(), number = e.number] {
              self->Resume(number);
            }};
  }

  void Run(int32_t participant) {
    Execution& e = executions_[participant];
    Status status = meetings_.failure();
    if (status.ok()) {
      const StatusOr<Progress> progress = e.program->Continue(*e.workspace, SurroundingsOf(e));
      if (progress.ok() && *progress == Progress::kWaits) return;
      status = progress.status();
    }
    meetings_.Finish(participant, status);
    if (status.ok()) {
      e.Release();  // all have left the exchanges that it was in
    } else {
      status = meetings_.failure();
    }
    e.done.Set(std::move(status));
  }

  std::optional<Promise> ended_;  // first, so last to go: tells that all is released
  Meetings meetings_;
  std::deque<Execution> executions_;
  std::vector<Event> awaited_;
  Channels* channels_ = nullptr;
  std::shared_ptr<Channels> own_channels_;
  int64_t cost_ns_ = 0;
  ThreadPool* pool_ = nullptr;  // null: on the calling thread, by `ready_`
  std::deque<int32_t> ready_;
};

}  // namespace

Status ExecuteInParallel(Client& client, std::span<const std::shared_ptr<Program>> programs,
                         std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                         std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done) {
  const auto call = std::make_shared<ParallelCall>(programs);
  TREADLE_RETURN_IF_ERROR(call->Prepare(arguments, options));
  const bool immediate = call->immediate();
  if (immediate) call->RunHere();
  for (size_t i = 0; i < done.size(); ++i) {
    done[i] = call->done(i);
    if (done[i].ok()) done[i] = Event();  // which costs nothing to copy
  }
  call->MoveResultsInto(results, done);
  if (!immediate) call->Enqueue(client);
  return OkStatus();
}

}  // namespace treadle::internal
