// Where a program runs: the processes of a grid and what they share, and the host around them.
#ifndef TREADLE_STABLEHLO_INTERPRETER_PROCESS_H_
#define TREADLE_STABLEHLO_INTERPRETER_PROCESS_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "stablehlo/interpreter/tensor.h"

namespace treadle::interpreter {

// The names of the functions that a grid of processes runs: [replica][partition].
using Programs = std::vector<std::vector<std::string>>;

// What a program does beside computing. One for all processes; who runs holds the baton of the grid, so it needs no
// lock.
struct Host {
  int64_t checks = 0;                                 // expectations that were looked at
  std::vector<std::string> misses;                    // those that did not hold: "file:line:col: error: ..."
  std::map<std::string, std::vector<Tensor>> probes;  // what interpreter.probe saw, by name, in order
  std::ostream* out = nullptr;                        // of interpreter.print; null: nowhere
  // Runs a grid in the interpreter's place; unset: it does that itself. Results of all processes, one after another.
  std::function<StatusOr<Values>(const Programs&, const Values& inputs, const std::deque<Values>& infeed)> run_grid;
};

// What the processes of a grid share. Only one of them runs at a time: it holds the baton and gives it away while it
// waits. So everything is in order, and MLIR's context needs no locks.
class Grid {
 public:
  Grid(int64_t replicas, int64_t partitions, std::deque<Values> infeed)
      : replicas_(replicas), partitions_(partitions), infeed_(std::move(infeed)), running_(replicas * partitions) {}

  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  std::mutex& baton() { return baton_; }

  // Meets `members` (ids of processes: replica * partitions + partition) at the exchange called `name` and gives what
  // each of them brought, in their order. FAILED_PRECONDITION where somebody never comes. `baton` is held.
  StatusOr<std::vector<Values>> Meet(std::unique_lock<std::mutex>& baton, const std::string& name, int64_t process,
                                     const std::vector<int64_t>& members, Values brought);

  // Channels of send and recv.
  void Send(const std::string& channel, Values values);
  StatusOr<Values> Receive(std::unique_lock<std::mutex>& baton, const std::string& channel);

  // The next of the values that the host feeds in.
  StatusOr<Values> Infeed();

  // A process has ended; whoever waits for it may not wait for ever.
  void Leave();

 private:
  struct Meeting {
    std::map<int64_t, Values> brought;
    size_t taken = 0;
  };

  // Gives the baton away until `ready` holds; false where nobody is left to bring that about.
  bool Wait(std::unique_lock<std::mutex>& baton, const std::function<bool()>& ready);

  const int64_t replicas_;
  const int64_t partitions_;
  std::mutex baton_;
  std::condition_variable changed_;
  std::deque<Values> infeed_;
  std::map<std::string, Meeting> meetings_;
  std::map<std::string, std::deque<Values>> channels_;
  int64_t running_;                                // processes that have not ended
  std::list<std::function<bool()>> waiting_ = {};  // of them, what those that wait wait for
  bool stuck_ = false;                             // all wait, for what never comes
};

class Program;

// One process of the grid.
struct Process {
  Host& host;
  Grid& grid;
  Program& program;
  int64_t replica = 0;
  int64_t partition = 0;
  std::unique_lock<std::mutex>& baton;
  // How often it has come to each exchange: the n-th time of one meets the n-th time of the others.
  std::map<std::string, int64_t> visits = {};
  int64_t depth = 0;             // regions that are running, one in another
  bool error_has_place = false;  // the operation that failed is named

  int64_t id() const { return replica * grid.partitions() + partition; }
};

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_PROCESS_H_
