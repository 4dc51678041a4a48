// Arrays from the host to a device and back.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/element_type.h"
#include "pjrt/event.h"
#include "pjrt/strided_copy.h"

namespace treadle::pjrt {
namespace {

// Whether the caller lets the buffer look at its memory for the buffer's whole life.
bool AllowsZeroCopy(PJRT_HostBufferSemantics semantics) {
  return semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
}

Status CheckSource(const PJRT_Client_BufferFromHostBuffer_Args& args, const Shape& shape) {
  if (args.byte_strides != nullptr && args.num_byte_strides != args.num_dims) {
    return InvalidArgument("num_byte_strides is " + std::to_string(args.num_byte_strides) + ", num_dims " +
                           std::to_string(args.num_dims));
  }
  if (args.data == nullptr && shape.bytes() > 0) return InvalidArgument("data is null");
  if (args.host_buffer_semantics < PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
      args.host_buffer_semantics > PJRT_HostBufferSemantics_kMutableZeroCopy) {
    return InvalidArgument("unknown host_buffer_semantics " + std::to_string(args.host_buffer_semantics));
  }
  return OkStatus();
}

// A strided host array into memory of the device; by way of host memory where the host cannot write there.
StatusOr<std::unique_ptr<Buffer>> CopyStridedFromHost(Device* device, Shape shape, const void* data,
                                                      std::span<const int64_t> strides) {
  const std::vector<int64_t> dense = DenseByteStrides(shape);
  const auto* src = static_cast<const std::byte*>(data);
  const int element_bytes = ElementBytes(shape.type);
  if (!device->host_accessible()) {
    std::vector<std::byte> staging(static_cast<size_t>(shape.bytes()));
    StridedCopy(staging.data(), dense, src, strides, shape.dims, element_bytes);
    return Buffer::CopyFromHost(device, std::move(shape), staging.data());
  }
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, Buffer::Allocate(device, shape));
  StridedCopy(static_cast<std::byte*>(buffer->data()), dense, src, strides, shape.dims, element_bytes);
  return buffer;
}

// Where the caller wants the elements, and how they lie there.
struct HostTarget {
  std::byte* data;
  std::vector<int64_t> strides;
};

Status CheckTarget(const Shape& shape, const std::vector<int64_t>& strides, size_t dst_size) {
  int64_t last = 0;  // offset of the element farthest from the first
  for (size_t i = 0; i < strides.size(); ++i) {
    if (shape.dims[i] > 1 && strides[i] < 0) return InvalidArgument("a stride of host_layout is negative");
    last += (shape.dims[i] - 1) * strides[i];
  }
  const int64_t needed = shape.elements() == 0 ? 0 : last + ElementBytes(shape.type);
  if (static_cast<int64_t>(dst_size) >= needed) return OkStatus();
  return InvalidArgument("PJRT_Buffer_ToHostBuffer: `dst_size` " + std::to_string(dst_size) + " < " +
                         std::to_string(needed) + ", which an array of shape " + shape.ToString() + " needs");
}

// Copies into a layout of the caller's own once the buffer is ready.
Event CopyStridedToHost(const Buffer& buffer, HostTarget target) {
  auto promise = std::make_shared<Promise>();
  Event done = promise->event();
  auto use = std::make_shared<MemoryUse>(buffer);
  if (!*use) return Event(InvalidArgument("the buffer has been deleted or donated"));
  buffer.ready().OnReady([promise, use, shape = buffer.shared_shape(),
                          target = std::move(target)](const Status& status) {
    if (!status.ok()) {
      promise->Set(status);
      return;
    }
    const std::byte* src = use->data();
    std::vector<std::byte> staging;
    Status copied;
    if (!use->device().host_accessible()) {
      staging.resize(static_cast<size_t>(shape->bytes()));
      copied = use->device().CopyToHost(staging.data(), src, shape->bytes());
      src = staging.data();
    }
    if (copied.ok()) {
      StridedCopy(target.data, target.strides, src, DenseByteStrides(*shape), shape->dims, ElementBytes(shape->type));
    }
    use->Release();
    promise->Set(copied);
  });
  return done;
}

}  // namespace

Status Call(PJRT_Client_BufferFromHostBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->type, args->dims, args->num_dims));
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, args->memory, args->device));
  TREADLE_RETURN_IF_ERROR(CheckSource(*args, shape));
  TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->device_layout));
  Device* device = memory->device->device;
  const std::span<const int64_t> strides(args->byte_strides, args->byte_strides != nullptr ? args->num_dims : 0);
  const bool dense = args->byte_strides == nullptr || IsDense(shape, strides);

  if (dense && args->client->zero_copy && AllowsZeroCopy(args->host_buffer_semantics) && shape.bytes() > 0 &&
      Buffer::Importable(*device, args->data)) {
    auto done = std::make_shared<Promise>();
    PJRT_Event* done_event = NewEvent(done->event());
    // Never written: Import sees to it that donation makes a copy.
    args->buffer = NewBuffer(memory, Buffer::Import(device, std::move(shape), const_cast<void*>(args->data),
                                                    [done = std::move(done)] { done->Set(); }));
    args->done_with_host_buffer = done_event;
    return OkStatus();
  }
  TREADLE_RETURN_IF_ERROR(ReturnBuffer(memory,
                                       dense ? Buffer::CopyFromHost(device, std::move(shape), args->data)
                                             : CopyStridedFromHost(device, std::move(shape), args->data, strides),
                                       &args->buffer));
  args->done_with_host_buffer = NewEvent(Event());  // the copy is made
  return OkStatus();
}

Status Call(PJRT_Buffer_ToHostBuffer_Args* args) {
  const Buffer& buffer = *args->src->buffer;
  const Shape& shape = buffer.shape();
  if (args->dst == nullptr) {  // a question for the size
    args->dst_size = static_cast<size_t>(shape.bytes());
    args->event = NewEvent(Event());
    return OkStatus();
  }
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->src));
  TREADLE_ASSIGN_OR_RETURN(std::vector<int64_t> strides, LayoutByteStrides(shape, args->host_layout));
  TREADLE_RETURN_IF_ERROR(CheckTarget(shape, strides, args->dst_size));
  args->event = NewEvent(IsDense(shape, strides)
                             ? buffer.CopyToHost(args->dst)
                             : CopyStridedToHost(buffer, {static_cast<std::byte*>(args->dst), std::move(strides)}));
  return OkStatus();
}

Status Call(PJRT_Buffer_CopyRawToHost_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->buffer));
  const int64_t bytes = args->buffer->buffer->bytes();
  if (args->offset < 0 || args->transfer_size < 0 || args->offset > bytes ||
      args->transfer_size > bytes - args->offset) {
    return InvalidArgument("PJRT_Buffer_CopyRawToHost: invalid offset " + std::to_string(args->offset) +
                           " and transfer size " + std::to_string(args->transfer_size) + " for a buffer of " +
                           std::to_string(bytes) + " bytes");
  }
  if (args->dst == nullptr && args->transfer_size > 0) return InvalidArgument("PJRT_Buffer_CopyRawToHost: dst is null");
  args->event = NewEvent(args->buffer->buffer->CopyToHost(args->dst, args->offset, args->transfer_size));
  return OkStatus();
}

namespace {

// What PJRT_Buffer_CopyRawToHostFuture waits with until the caller knows where the bytes go.
struct PendingRawCopy {
  MemoryUse use;
  Event ready;
  int64_t offset, bytes;
  Promise promise;
};

void FinishRawCopy(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
  auto copy = std::shared_ptr<PendingRawCopy>(static_cast<PendingRawCopy*>(args->callback_data));
  if (args->error_code != PJRT_Error_Code_OK) {
    const size_t size = args->error_message != nullptr ? args->error_message_size : 0;
    copy->promise.Set(Status(static_cast<StatusCode>(args->error_code), std::string(View(args->error_message, size))));
    return;
  }
  Event ready = copy->ready;
  ready.OnReady([copy = std::move(copy), dst = args->dst](const Status& status) {
    Status copied = status;
    if (copied.ok()) copied = copy->use.device().CopyToHost(dst, copy->use.data() + copy->offset, copy->bytes);
    copy->use.Release();
    copy->promise.Set(std::move(copied));
  });
}

}  // namespace

Status Call(PJRT_Buffer_CopyRawToHostFuture_Args* args) {
  const Buffer& buffer = *args->buffer->buffer;
  if (args->offset < 0 || args->transfer_size < 0 || args->offset > buffer.bytes() ||
      args->transfer_size > buffer.bytes() - args->offset) {
    return InvalidArgument("PJRT_Buffer_CopyRawToHostFuture: invalid offset or transfer size");
  }
  auto copy = std::make_unique<PendingRawCopy>(
      PendingRawCopy{MemoryUse(buffer), buffer.ready(), args->offset, args->transfer_size, Promise()});
  if (!copy->use) return CheckNotDeleted(*args->buffer);
  args->event = NewEvent(copy->promise.event());
  args->callback_data = copy.release();
  args->future_ready_callback = &FinishRawCopy;
  return OkStatus();
}

}  // namespace treadle::pjrt
