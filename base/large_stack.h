// Work that recurses deeply, on threads that others made with small stacks.
#ifndef TREADLE_BASE_LARGE_STACK_H_
#define TREADLE_BASE_LARGE_STACK_H_

#include <functional>

namespace treadle {

// Runs `work` on a thread with 64 MiB of stack (touched only as used) and waits for it. Where no thread can be had, on
// this one.
void RunOnLargeStack(const std::function<void()>& work);

}  // namespace treadle

#endif  // TREADLE_BASE_LARGE_STACK_H_
