#include "pjrt/buffer.h"

#include <array>
#include <string>

#include "pjrt/calls.h"
#include "pjrt/element_type.h"
#include "pjrt/event.h"
#include "pjrt/strided_copy.h"

namespace treadle::pjrt {
namespace {

constexpr size_t kMostDims = 64;

// 63, 62, ..., 0: its last `rank` entries are the order of rank `rank`.
constexpr std::array<int64_t, kMostDims> kDescending = [] {
  std::array<int64_t, kMostDims> list{};
  for (size_t i = 0; i < kMostDims; ++i) list[i] = static_cast<int64_t>(kMostDims - 1 - i);
  return list;
}();

}  // namespace

StatusOr<std::span<const int64_t>> MinorToMajor(size_t rank) {
  if (rank > kMostDims) return Unimplemented("memory layouts of arrays with " + std::to_string(rank) + " dimensions");
  return std::span<const int64_t>(kDescending).last(rank);
}

Status CheckDeviceLayout(const Shape& shape, const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr) return OkStatus();
  TREADLE_ASSIGN_OR_RETURN(std::vector<int64_t> strides, LayoutByteStrides(shape, layout));
  if (IsDense(shape, strides)) return OkStatus();
  return Unimplemented("a layout on the device other than row-major, for an array of shape " + shape.ToString());
}

Status CheckNotDeleted(const PJRT_Buffer& buffer) {
  if (!buffer.buffer->deleted()) [[likely]]
    return OkStatus();
  return InvalidArgument("the buffer has been deleted or donated; its shape was " + buffer.buffer->shape().ToString());
}

Status Call(PJRT_Buffer_Destroy_Args* args) {
  delete args->buffer;
  return OkStatus();
}

Status Call(PJRT_Buffer_ElementType_Args* args) {
  args->type = ToBufferType(args->buffer->buffer->shape().type);
  return OkStatus();
}

Status Call(PJRT_Buffer_Dimensions_Args* args) {
  Return(args->buffer->buffer->shape().dims, &args->dims, &args->num_dims);
  return OkStatus();
}

Status Call(PJRT_Buffer_UnpaddedDimensions_Args* args) {
  Return(args->buffer->buffer->shape().dims, &args->unpadded_dims, &args->num_dims);
  return OkStatus();
}

Status Call(PJRT_Buffer_DynamicDimensionIndices_Args* args) {
  args->dynamic_dim_indices = nullptr;
  args->num_dynamic_dims = 0;
  return OkStatus();
}

Status Call(PJRT_Buffer_GetMemoryLayout_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(auto order, MinorToMajor(args->buffer->buffer->shape().dims.size()));
  args->layout = {};
  args->layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args->layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args->layout.tiled.minor_to_major = order.data();
  args->layout.tiled.minor_to_major_size = order.size();
  return OkStatus();
}

Status Call(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  args->on_device_size_in_bytes = static_cast<size_t>(args->buffer->buffer->bytes());
  return OkStatus();
}

Status Call(PJRT_Buffer_Device_Args* args) {
  args->device = args->buffer->device();
  return OkStatus();
}

Status Call(PJRT_Buffer_Memory_Args* args) {
  args->memory = args->buffer->memory;
  return OkStatus();
}

Status Call(PJRT_Buffer_Delete_Args* args) {
  args->buffer->buffer->Delete();
  return OkStatus();
}

Status Call(PJRT_Buffer_IsDeleted_Args* args) {
  args->is_deleted = args->buffer->buffer->deleted();
  return OkStatus();
}

// True lets np.asarray show the elements without a copy.
Status Call(PJRT_Buffer_IsOnCpu_Args* args) {
  args->is_on_cpu = args->buffer->buffer->device().host_accessible();
  return OkStatus();
}

// The caller ends the process on an error, so that of a deleted buffer goes into the event.
Status Call(PJRT_Buffer_ReadyEvent_Args* args) {
  Status status = CheckNotDeleted(*args->buffer);
  args->event = NewEvent(status.ok() ? args->buffer->buffer->ready() : Event(std::move(status)));
  return OkStatus();
}

Status Call(PJRT_Buffer_UnsafePointer_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->buffer));
  args->buffer_pointer = reinterpret_cast<uintptr_t>(args->buffer->buffer->data());
  return OkStatus();
}

// The address is final from the start; JAX asks for it before it waits for the contents.
Status Call(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  args->device_memory_ptr = args->buffer->buffer->data();
  return args->device_memory_ptr != nullptr ? OkStatus() : CheckNotDeleted(*args->buffer);
}

Status Call(PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
  return args->buffer->buffer->IncreaseExternalReferenceCount();
}

Status Call(PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
  return args->buffer->buffer->DecreaseExternalReferenceCount();
}

Status Call(PJRT_Buffer_CopyToMemory_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->buffer));
  if (args->dst_memory == nullptr) return InvalidArgument("PJRT_Buffer_CopyToMemory: dst_memory is null");
  MemorySpace* memory = ToMemorySpace(args->dst_memory);
  return ReturnBuffer(memory, args->buffer->buffer->CopyToDevice(memory->device->device), &args->dst_buffer);
}

Status Call(PJRT_Buffer_CopyToDevice_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->buffer));
  if (args->dst_device == nullptr) return InvalidArgument("PJRT_Buffer_CopyToDevice: dst_device is null");
  MemorySpace* memory = args->dst_device->default_memory();
  return ReturnBuffer(memory, args->buffer->buffer->CopyToDevice(args->dst_device->device), &args->dst_buffer);
}

Status Call(PJRT_Buffer_Bitcast_Args* args) {
  TREADLE_RETURN_IF_ERROR(CheckNotDeleted(*args->buffer));
  TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(args->element_type, args->dims, args->num_dims));
  TREADLE_RETURN_IF_ERROR(CheckDeviceLayout(shape, args->device_layout));
  return ReturnBuffer(args->buffer->memory, args->buffer->buffer->Bitcast(std::move(shape)), &args->out_buffer);
}

}  // namespace treadle::pjrt
