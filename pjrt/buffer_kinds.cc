// Buffers that do not come from the host and are no results: without contents, failed, promised, views of memory of
// others, waiting for leave to be used.
#include <memory>
#include <string>
#include <utility>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/element_type.h"
#include "pjrt/error.h"
#include "pjrt/strided_copy.h"

// A buffer of known shape whose contents another buffer will bring.
struct PJRT_FulfillAliasBufferCallback {
  treadle::Promise promise;
  treadle::pjrt::MemoryUse memory;
  std::shared_ptr<const treadle::Shape> shape;
};

namespace treadle::pjrt {

Status Call(PJRT_Client_CreateUninitializedBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->shape_element_type, args->shape_dims, args->shape_num_dims));
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, args->memory, args->device));
  TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->shape_layout));
  return ReturnBuffer(memory, Buffer::Allocate(memory->device->device, std::move(shape)), &args->buffer);
}

Status Call(PJRT_Client_CreateErrorBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->shape_element_type, args->shape_dims, args->shape_num_dims));
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, args->memory, nullptr));
  Status error = FromCode(args->error_code, args->error_message, args->error_message_size);
  if (error.ok()) return InvalidArgument("PJRT_Client_CreateErrorBuffer: the error code is OK");
  return ReturnBuffer(memory, Buffer::Failed(memory->device->device, std::move(shape), std::move(error)),
                      &args->buffer);
}

Status Call(PJRT_Client_CreateAliasBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->shape_element_type, args->shape_dims, args->shape_num_dims));
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, args->memory, nullptr));
  TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->shape_layout));
  Promise promise;
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                           Buffer::Pending(memory->device->device, std::move(shape), promise.event()));
  MemoryUse use(*buffer);
  args->fulfill_alias_buffer_cb =
      new PJRT_FulfillAliasBufferCallback{std::move(promise), std::move(use), buffer->shared_shape()};
  args->alias_buffer = NewBuffer(memory, std::move(buffer));
  return OkStatus();
}

Status Call(PJRT_Client_FulfillAliasBuffer_Args* args) {
  if (args->fulfill_alias_buffer_cb == nullptr) {
    return InvalidArgument("PJRT_Client_FulfillAliasBuffer: fulfill_alias_buffer_cb is null");
  }
  std::shared_ptr<PJRT_FulfillAliasBufferCallback> alias(args->fulfill_alias_buffer_cb);
  Status error = FromCode(args->status_code, args->error_message, args->error_message_size);
  if (error.ok() && args->buffer == nullptr) error = InvalidArgument("an alias was fulfilled with a null buffer");
  if (error.ok()) error = CheckNotDeleted(*args->buffer);
  if (error.ok() && args->buffer->buffer->shape() != *alias->shape) {
    error = InvalidArgument("an alias of shape " + alias->shape->ToString() + " was fulfilled with a buffer of shape " +
                            args->buffer->buffer->shape().ToString());
  }
  if (!error.ok()) {
    alias->promise.Set(error);
    return OkStatus();
  }
  auto source = std::make_shared<MemoryUse>(*args->buffer->buffer);
  Event ready = args->buffer->buffer->ready();
  ready.OnReady([alias, source](const Status& status) {
    Status copied = status;
    if (copied.ok()) {
      copied = source->device().Copy(alias->memory.data(), source->data(), alias->shape->bytes());
    }
    alias->memory.Release();
    source->Release();
    alias->promise.Set(std::move(copied));
  });
  return OkStatus();
}

Status Call(PJRT_Client_CreateViewOfDeviceBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->element_type, args->dims, args->num_dims));
  PJRT_Memory* named = TREADLE_PJRT_HAS(args, memory) ? args->memory : nullptr;
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, named, args->device));
  TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->layout));
  Device* device = memory->device->device;
  if (args->device_buffer_ptr == nullptr && shape.bytes() > 0) {
    return InvalidArgument("PJRT_Client_CreateViewOfDeviceBuffer: device_buffer_ptr is null");
  }
  if (!Buffer::Importable(*device, args->device_buffer_ptr)) {
    return InvalidArgument("PJRT_Client_CreateViewOfDeviceBuffer: the memory is not aligned to 64 bytes");
  }
  auto on_delete = [callback = args->on_delete_callback, data = args->device_buffer_ptr,
                    arg = args->on_delete_callback_arg] {
    if (callback != nullptr) callback(data, arg);
  };
  args->buffer = NewBuffer(memory, Buffer::Import(device, std::move(shape), args->device_buffer_ptr, on_delete));
  return OkStatus();
}

namespace {

void LeaveGiven(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) {
  std::unique_ptr<Promise> promise(static_cast<Promise*>(args->callback_data));
  promise->Set(FromCode(args->error_code, args->error_message, args->error_message_size));
}

}  // namespace

// The same memory under a new handle, ready when the caller says so; the old handle is deleted.
Status Call(PJRT_Buffer_DonateWithControlDependency_Args* args) {
  Buffer& buffer = *args->buffer->buffer;
  auto promise = std::make_unique<Promise>();
  const Event events[] = {buffer.ready(), promise->event()};
  Event ready = Event::All(events);
  Memory* memory = buffer.Release();
  if (memory == nullptr) return CheckNotDeleted(*args->buffer);
  args->out_buffer =
      NewBuffer(args->buffer->memory, std::make_unique<Buffer>(buffer.shared_shape(), memory, std::move(ready)));
  args->callback_data = promise.release();
  args->dependency_ready_callback = &LeaveGiven;
  return OkStatus();
}

}  // namespace treadle::pjrt
