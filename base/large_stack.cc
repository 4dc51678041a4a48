#include "base/large_stack.h"

#include <pthread.h>

#include <cstddef>

namespace treadle {
namespace {

constexpr size_t kStackBytes = size_t{64} << 20;

void* Run(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunOnLargeStack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
              pthread_create(&thread, &attributes, Run, const_cast<std::function<void()>*>(&work)) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    work();
  }
}

}  // namespace treadle
