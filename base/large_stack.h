// Work that recurses deeply, on threads that others made with small stacks.
#ifndef TREADLE_BASE_LARGE_STACK_H_
#define TREADLE_BASE_LARGE_STACK_H_

#include <cstddef>
#include <functional>
#include <span>

namespace treadle {

// Memory of a stack, touched only as used. Threads of at most 16 MiB are cheap to start again: the C library keeps
// their stacks.
inline constexpr size_t kDeepStack = size_t{64} << 20;
inline constexpr size_t kCodegenStack = size_t{16} << 20;

// Runs `work` where it has `stack_bytes` of stack: here if that much is left, else on a thread of its own, for which it
// waits. Starting one takes 0.1 ms, and milliseconds where all CPUs are busy. Where no thread can be had, here.
void RunOnLargeStack(size_t stack_bytes, const std::function<void()>& work);

// Runs all of `work` side by side and waits for it: the first on this thread, each of the others on one of its own with
// `stack_bytes` of stack. Where threads run out, here.
void RunSideBySide(size_t stack_bytes, std::span<const std::function<void()>> work);

}  // namespace treadle

#endif  // TREADLE_BASE_LARGE_STACK_H_
