#include "device/host/prepare_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/background.h"

namespace treadle {
namespace {

constexpr int64_t kMostBlock = 64 << 20;
constexpr int64_t kStep = 8 << 20;  // some 5 ms: what the end of a process waits for

// Page by page: one system call for all would be a quarter faster, but keep other threads waiting that map memory.
void Touch(char* memory, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 4096) static_cast<volatile char*>(memory)[i] = 0;
}

// One block on its way. Given back to the system if its work is dropped or the allocator goes.
class Preparation : public std::enable_shared_from_this<Preparation> {
 public:
  Preparation(std::weak_ptr<HostAllocator> allocator, int64_t size) : allocator_(std::move(allocator)), size_(size) {}
  ~Preparation() {
    if (memory_ != nullptr) munmap(memory_, size_);
  }

  void Run() {
    if (allocator_.expired()) return;
    if (memory_ == nullptr) memory_ = static_cast<char*>(HostAllocator::Map(size_));
    if (memory_ == nullptr) return;
    const int64_t step = std::min(kStep, size_ - touched_);
    Touch(memory_ + touched_, step);
    touched_ += step;
    if (touched_ < size_) return Start();
    if (const std::shared_ptr<HostAllocator> allocator = allocator_.lock()) {
      allocator->Adopt(std::exchange(memory_, nullptr), size_);
    }
  }

  void Start() {
    RunInBackground([self = shared_from_this()] { self->Run(); });
  }

 private:
  const std::weak_ptr<HostAllocator> allocator_;
  const int64_t size_;
  char* memory_ = nullptr;
  int64_t touched_ = 0;
};

void Order(const std::weak_ptr<HostAllocator>& allocator, int64_t bytes) {
  for (int64_t left = bytes / kHugePage * kHugePage; left > 0;) {
    const int64_t size = std::min(left, kMostBlock);
    std::make_shared<Preparation>(allocator, size)->Start();
    left -= size;
  }
}

}  // namespace

void KeepMemoryPrepared(const std::shared_ptr<HostAllocator>& allocator, int64_t bytes) {
  allocator->KeepAtHand(bytes, [weak = std::weak_ptr(allocator)](int64_t more) { Order(weak, more); });
}

}  // namespace treadle
