#include "base/large_stack.h"

#include <pthread.h>

#include <cstdint>
#include <vector>

namespace treadle {
namespace {

void* Run(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

bool Start(size_t stack_bytes, const std::function<void()>& work, pthread_t* thread) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_create(thread, &attributes, Run, const_cast<std::function<void()>*>(&work)) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

// Bytes of stack that this thread has left.
size_t StackLeft() {
  // Asking takes 0.1 ms on the main thread. Its stack may still grow; the size is that which it may grow to.
  thread_local const uintptr_t lowest = [] {
    pthread_attr_t attributes;
    void* address = nullptr;
    size_t size = 0, guard = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;
    pthread_attr_getstack(&attributes, &address, &size);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<uintptr_t>(address) + guard;
  }();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > lowest ? here - lowest : 0;
}

}  // namespace

void RunOnLargeStack(size_t stack_bytes, const std::function<void()>& work) {
  if (StackLeft() >= stack_bytes) return work();
  pthread_t thread;
  if (Start(stack_bytes, work, &thread)) {
    pthread_join(thread, nullptr);
  } else {
    work();
  }
}

void RunSideBySide(size_t stack_bytes, std::span<const std::function<void()>> work) {
  std::vector<pthread_t> threads;
  std::vector<const std::function<void()>*> here;
  for (const std::function<void()>& piece : work) {
    pthread_t thread;
    if (&piece != &work.front() && Start(stack_bytes, piece, &thread)) {
      threads.push_back(thread);
    } else {
      here.push_back(&piece);
    }
  }
  for (const std::function<void()>* piece : here) (*piece)();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace treadle
