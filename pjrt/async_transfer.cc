// PJRT_AsyncHostToDeviceTransferManager: buffers that exist at once and are filled piece by piece.
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/element_type.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/strided_copy.h"

namespace treadle::pjrt {

// One buffer of a manager. The memory is held until the transfer ends, so that pieces may come when the buffer is gone.
struct Transfer {
  std::unique_ptr<Buffer> buffer;  // until it is retrieved
  Shape shape;
  MemoryUse memory;
  Promise promise;
};

}  // namespace treadle::pjrt

// Thread-safe. What is not complete when the manager goes fails with ABORTED.
struct PJRT_AsyncHostToDeviceTransferManager {
  treadle::pjrt::MemorySpace* memory;
  std::vector<treadle::pjrt::Transfer> transfers;
  std::mutex mutex;  // of buffer and memory of the transfers

  treadle::StatusOr<treadle::pjrt::Transfer*> Find(int index) {
    if (index >= 0 && index < static_cast<int>(transfers.size())) return &transfers[index];
    return treadle::InvalidArgument("a transfer manager of " + std::to_string(transfers.size()) +
                                    " buffers has none with the index " + std::to_string(index));
  }

  // Memory to write to; stays valid though another thread ends the transfer.
  treadle::StatusOr<treadle::pjrt::MemoryUse> Begin(const treadle::pjrt::Transfer& transfer) {
    std::lock_guard lock(mutex);
    if (transfer.memory) return transfer.memory.Clone();
    return treadle::FailedPrecondition("the last transfer to this buffer was made already");
  }
  void End(treadle::pjrt::Transfer& transfer, treadle::Status status) {
    {
      std::lock_guard lock(mutex);
      transfer.memory.Release();
    }
    transfer.promise.Set(std::move(status));  // of several, the first counts
  }
};

namespace treadle::pjrt {

Status Call(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(MemorySpace * memory, FindMemory(args->client, args->memory, nullptr));
  if (args->num_shape_specs > 0 && args->shape_specs == nullptr) return InvalidArgument("shape_specs is null");
  if (args->num_device_layouts != 0 && args->num_device_layouts != args->num_shape_specs) {
    return InvalidArgument("num_device_layouts is " + std::to_string(args->num_device_layouts) + ", num_shape_specs " +
                           std::to_string(args->num_shape_specs));
  }
  auto manager = std::make_unique<PJRT_AsyncHostToDeviceTransferManager>();
  manager->memory = memory;
  for (size_t i = 0; i < args->num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args->shape_specs[i];
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(spec.element_type, spec.dims, spec.num_dims));
    if (args->num_device_layouts != 0) TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->device_layouts[i]));
    Promise promise;
    TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                             Buffer::Pending(memory->device->device, shape, promise.event()));
    MemoryUse use(*buffer);
    manager->transfers.push_back({std::move(buffer), std::move(shape), std::move(use), std::move(promise)});
  }
  args->transfer_manager = manager.release();
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args) {
  delete args->transfer_manager;
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Transfer * transfer, args->transfer_manager->Find(args->buffer_index));
  const int64_t bytes = transfer->shape.bytes();
  if (args->offset < 0 || args->transfer_size < 0 || args->offset > bytes ||
      args->transfer_size > bytes - args->offset || (args->data == nullptr && args->transfer_size > 0)) {
    return InvalidArgument("a transfer of " + std::to_string(args->transfer_size) + " bytes to offset " +
                           std::to_string(args->offset) + " of a buffer of " + std::to_string(bytes));
  }
  TREADLE_ASSIGN_OR_RETURN(MemoryUse memory, args->transfer_manager->Begin(*transfer));
  TREADLE_RETURN_IF_ERROR(memory.device().CopyFromHost(memory.data() + args->offset, args->data, args->transfer_size));
  memory.Release();
  if (args->is_last_transfer) args->transfer_manager->End(*transfer, OkStatus());
  args->done_with_h2d_transfer = NewEvent(Event());
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Transfer * transfer, args->transfer_manager->Find(args->buffer_index));
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->shape_element_type, args->shape_dims, args->shape_num_dims));
  if (shape != transfer->shape) {
    return InvalidArgument("a literal of shape " + shape.ToString() + " for a buffer of shape " +
                           transfer->shape.ToString());
  }
  if (args->data == nullptr && shape.bytes() > 0) return InvalidArgument("the literal is null");
  TREADLE_ASSIGN_OR_RETURN(std::vector<int64_t> strides, LayoutByteStrides(shape, args->shape_layout));
  TREADLE_ASSIGN_OR_RETURN(MemoryUse memory, args->transfer_manager->Begin(*transfer));
  std::vector<std::byte> staging(static_cast<size_t>(shape.bytes()));
  StridedCopy(staging.data(), DenseByteStrides(shape), static_cast<const std::byte*>(args->data), strides, shape.dims,
              ElementBytes(shape.type));
  TREADLE_RETURN_IF_ERROR(memory.device().CopyFromHost(memory.data(), staging.data(), shape.bytes()));
  memory.Release();
  args->transfer_manager->End(*transfer, OkStatus());
  args->done_with_h2d_transfer = NewEvent(Event());
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Transfer * transfer, args->transfer_manager->Find(args->buffer_index));
  std::lock_guard lock(args->transfer_manager->mutex);
  if (transfer->buffer == nullptr) return FailedPrecondition("the buffer was retrieved already");
  args->buffer_out = NewBuffer(args->transfer_manager->memory, std::move(transfer->buffer));
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_Device_Args* args) {
  args->device_out = args->transfer_manager->memory->device;
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args) {
  args->buffer_count = args->transfer_manager->transfers.size();
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Transfer * transfer, args->transfer_manager->Find(args->buffer_index));
  args->buffer_size = static_cast<size_t>(transfer->shape.bytes());
  return OkStatus();
}

Status Call(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(Transfer * transfer, args->transfer_manager->Find(args->buffer_index));
  Status error = FromCode(args->error_code, args->error_message, args->error_message_size);
  if (error.ok()) return InvalidArgument("SetBufferError: the error code is OK");
  args->transfer_manager->End(*transfer, std::move(error));
  return OkStatus();
}

// For profiles, of which this plugin makes none.
Status Call(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args*) { return OkStatus(); }

}  // namespace treadle::pjrt
