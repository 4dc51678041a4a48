// Work that nobody waits for, on a few threads of low priority.
#ifndef TREADLE_BASE_BACKGROUND_H_
#define TREADLE_BASE_BACKGROUND_H_

#include <chrono>
#include <cstdint>
#include <functional>

namespace treadle {

// What becomes of work that has not begun when the process ends.
enum class AtExit : uint8_t {
  kDrop,
  kRunIfTime,  // runs while all of a process's waiting for such work is no longer than two seconds, else is dropped
  kRun,        // runs
};

// Runs `work` on a background thread of the process (half as many as CPUs, at most 4; 16 MiB of stack), first come,
// first served, and not before `delay` has passed: what the caller is about to do has the CPUs first. Where no thread
// can be had, and where the process ends before (see AtExit), `work` is destroyed without having run. Thread-safe.
void RunInBackground(std::function<void()> work, std::chrono::milliseconds delay = {}, AtExit at_exit = AtExit::kDrop);

// Does with what has not begun as its AtExit says and waits for what has; afterwards the threads are gone, until more
// work comes. For the end of a process, whose static objects must not go away under running work; also done when it
// exits. Not to be called from within background work.
void FinishBackgroundWork();

}  // namespace treadle

#endif  // TREADLE_BASE_BACKGROUND_H_
