#include "runtime/buffer.h"

#include <string>
#include <utility>

#include "async/spin.h"

namespace treadle {
namespace {

Status Deleted() { return InvalidArgument("the buffer has been deleted or donated"); }

StatusOr<std::unique_ptr<Buffer>> Make(Device* device, Shape shape, Event ready) {
  TREADLE_ASSIGN_OR_RETURN(Memory * memory, Memory::Allocate(device, shape.bytes()));
  return std::make_unique<Buffer>(std::make_shared<const Shape>(std::move(shape)), memory, std::move(ready));
}

}  // namespace

// A lock of one byte: it is held for a few instructions, and buffers are many.
class Buffer::Locked {
 public:
  explicit Locked(const Buffer* buffer) : lock_(buffer->lock_) {
    while (lock_.exchange(true, std::memory_order_acquire)) Pause();
  }
  ~Locked() { lock_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& lock_;
};

StatusOr<std::unique_ptr<Buffer>> Buffer::Allocate(Device* device, Shape shape) {
  return Make(device, std::move(shape), Event());
}

StatusOr<std::unique_ptr<Buffer>> Buffer::Pending(Device* device, Shape shape, Event ready) {
  return Make(device, std::move(shape), std::move(ready));
}

StatusOr<std::unique_ptr<Buffer>> Buffer::Failed(Device* device, Shape shape, Status error) {
  return Make(device, std::move(shape), Event(std::move(error)));
}

StatusOr<std::unique_ptr<Buffer>> Buffer::CopyFromHost(Device* device, Shape shape, const void* data) {
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, Allocate(device, std::move(shape)));
  TREADLE_RETURN_IF_ERROR(device->CopyFromHost(buffer->data(), data, buffer->bytes()));
  return buffer;
}

std::unique_ptr<Buffer> Buffer::Import(Device* device, Shape shape, void* data, std::function<void()> on_destroy) {
  Memory* memory = Memory::Import(device, data, shape.bytes(), std::move(on_destroy));
  return std::make_unique<Buffer>(std::make_shared<const Shape>(std::move(shape)), memory, Event());
}

Buffer::~Buffer() {
  if (memory_ != nullptr) memory_->Remove(Memory::Use::kOwner);
  if (references_ > 0) referenced_->Remove(Memory::Use::kOwner);
}

void* Buffer::data() const {
  const Locked locked(this);
  const Memory* memory = references_ > 0 ? referenced_ : memory_;
  return memory == nullptr ? nullptr : memory->data();
}

void Buffer::Delete() {
  if (Memory* memory = Release()) memory->Remove(Memory::Use::kOwner);
}

Status Buffer::IncreaseExternalReferenceCount() {
  const Locked locked(this);
  if (references_ == 0) {
    if (memory_ == nullptr) return Deleted();
    referenced_ = memory_;
    referenced_->Add(Memory::Use::kOwner);
  }
  ++references_;
  return OkStatus();
}

Status Buffer::DecreaseExternalReferenceCount() {
  Memory* last = nullptr;
  {
    const Locked locked(this);
    if (references_ == 0) {
      return InvalidArgument("Attempting to decrease reference on a buffer with zero reference count.");
    }
    if (--references_ == 0) last = std::exchange(referenced_, nullptr);
  }
  if (last != nullptr) last->Remove(Memory::Use::kOwner);
  return OkStatus();
}

Event Buffer::CopyToHost(void* dst, int64_t offset, int64_t bytes) const {
  if (offset < 0 || bytes < 0 || offset > bytes_ || bytes > bytes_ - offset) {
    return Event(OutOfRange("bytes " + std::to_string(offset) + " to " + std::to_string(offset) + "+" +
                            std::to_string(bytes) + " of a buffer of " + std::to_string(bytes_) + " bytes"));
  }
  Memory* memory = Acquire();
  if (memory == nullptr) return Event(Deleted());
  const auto copy = [memory, dst, offset, bytes](const Status& status) {
    Status result = status;
    if (result.ok()) result = memory->device().CopyToHost(dst, static_cast<char*>(memory->data()) + offset, bytes);
    memory->Remove(Memory::Use::kRunning);
    return result;
  };
  if (ready_.ready()) return Event(copy(ready_.status()));
  auto promise = std::make_shared<Promise>();
  const Event done = promise->event();
  ready_.OnReady([promise, copy](const Status& status) { promise->Set(copy(status)); });
  return done;
}

StatusOr<std::unique_ptr<Buffer>> Buffer::CopyToDevice(Device* device) const {
  Memory* source = Acquire();
  if (source == nullptr) return Deleted();
  StatusOr<Memory*> allocated = Memory::Allocate(device, bytes_);
  if (!allocated.ok()) {
    source->Remove(Memory::Use::kRunning);
    return allocated.status();
  }
  Memory* target = *allocated;
  const auto copy = [source, target, bytes = bytes_](const Status& status) {
    Status result = status;
    if (result.ok() && source->device().host_accessible()) {
      result = target->device().CopyFromHost(target->data(), source->data(), bytes);
    } else if (result.ok() && target->device().host_accessible()) {
      result = source->device().CopyToHost(target->data(), source->data(), bytes);
    } else if (result.ok()) {
      const auto staging = std::make_unique_for_overwrite<char[]>(bytes);
      result = source->device().CopyToHost(staging.get(), source->data(), bytes);
      if (result.ok()) result = target->device().CopyFromHost(target->data(), staging.get(), bytes);
    }
    source->Remove(Memory::Use::kRunning);
    return result;
  };
  if (ready_.ready()) return std::make_unique<Buffer>(shape_, target, Event(copy(ready_.status())));
  auto promise = std::make_shared<Promise>();
  target->Add(Memory::Use::kRunning);
  auto result = std::make_unique<Buffer>(shape_, target, promise->event());
  ready_.OnReady([promise, copy, target](const Status& status) {
    Status copied = copy(status);
    target->Remove(Memory::Use::kRunning);
    promise->Set(std::move(copied));
  });
  return result;
}

StatusOr<std::unique_ptr<Buffer>> Buffer::ShareWith(Device* device) const {
  Memory* memory = Acquire();
  if (memory == nullptr) return Deleted();
  memory->Change(Memory::Use::kRunning, Memory::Use::kOwner);
  return std::unique_ptr<Buffer>(new Buffer(shape_, device, memory, ready_));
}

StatusOr<std::unique_ptr<Buffer>> Buffer::Bitcast(Shape shape) {
  if (shape.bytes() != bytes_) {
    return InvalidArgument("a buffer of " + shape_->ToString() + " cannot be seen as " + shape.ToString() +
                           ": the sizes differ");
  }
  Memory* memory = Release();
  if (memory == nullptr) return Deleted();
  return std::unique_ptr<Buffer>(new Buffer(std::make_shared<const Shape>(std::move(shape)), device_, memory, ready_));
}

Memory* Buffer::Acquire() const {
  const Locked locked(this);
  if (memory_ != nullptr) memory_->Add(Memory::Use::kRunning);
  return memory_;
}

Memory* Buffer::Release() {
  const Locked locked(this);
  deleted_.store(true, std::memory_order_release);
  return std::exchange(memory_, nullptr);
}

}  // namespace treadle
