// Waiting without giving up the CPU, for what is expected within microseconds.
#ifndef TREADLE_ASYNC_SPIN_H_
#define TREADLE_ASYNC_SPIN_H_

#include <chrono>
#include <cstdint>

namespace treadle {

inline void Pause() { __builtin_ia32_pause(); }

// Tests `condition` for `ns` nanoseconds; whether it came true.
template <typename F>
bool SpinUntil(F&& condition, int64_t ns) {
  using Clock = std::chrono::steady_clock;
  if (condition()) return true;
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(ns);
  do {
    for (int i = 0; i < 16; ++i) {
      if (condition()) return true;
      Pause();
    }
  } while (Clock::now() < end);
  return condition();
}

}  // namespace treadle

#endif  // TREADLE_ASYNC_SPIN_H_
