// PJRT_Device.
#include "pjrt/calls.h"
#include "pjrt/client.h"

// A mark in the client's profile; this plugin records none.
struct PJRT_AsyncTrackingEvent {};

namespace treadle::pjrt {

Status Call(PJRT_Device_GetDescription_Args* args) {
  args->device_description = args->device->description;
  return OkStatus();
}

Status Call(PJRT_Device_IsAddressable_Args* args) {
  args->is_addressable = true;
  return OkStatus();
}

Status Call(PJRT_Device_LocalHardwareId_Args* args) {
  args->local_hardware_id = args->device->description->id;
  return OkStatus();
}

Status Call(PJRT_Device_AddressableMemories_Args* args) {
  Return(args->device->memories, &args->memories, &args->num_memories);
  return OkStatus();
}

Status Call(PJRT_Device_DefaultMemory_Args* args) {
  args->memory = args->device->default_memory();
  return OkStatus();
}

// The caller calls the deleter without a test for null.
Status Call(PJRT_Device_GetAttributes_Args* args) {
  args->attributes = nullptr;
  args->num_attributes = 0;
  args->device_attributes = nullptr;
  args->attributes_deleter = [](PJRT_Device_Attributes*) {};
  return OkStatus();
}

Status Call(PJRT_Device_MemoryStats_Args* args) {
  const MemoryStats stats = args->device->device->memory_stats();
  args->bytes_in_use = stats.bytes_in_use;
  auto set = [](int64_t value, int64_t* field, bool* is_set) {
    *field = value;
    *is_set = true;
  };
  auto unset = [](int64_t* field, bool* is_set) {
    *field = 0;
    *is_set = false;
  };
  set(stats.peak_bytes_in_use, &args->peak_bytes_in_use, &args->peak_bytes_in_use_is_set);
  set(stats.num_allocations, &args->num_allocs, &args->num_allocs_is_set);
  set(stats.largest_allocation, &args->largest_alloc_size, &args->largest_alloc_size_is_set);
  set(stats.bytes_limit, &args->bytes_limit, &args->bytes_limit_is_set);
  unset(&args->bytes_reserved, &args->bytes_reserved_is_set);
  unset(&args->peak_bytes_reserved, &args->peak_bytes_reserved_is_set);
  unset(&args->bytes_reservable_limit, &args->bytes_reservable_limit_is_set);
  unset(&args->largest_free_block_bytes, &args->largest_free_block_bytes_is_set);
  set(stats.bytes_in_use + stats.bytes_cached, &args->pool_bytes, &args->pool_bytes_is_set);
  unset(&args->peak_pool_bytes, &args->peak_pool_bytes_is_set);
  if (TREADLE_PJRT_HAS(args, peak_allocated_bytes_is_set)) {
    unset(&args->peak_allocated_bytes, &args->peak_allocated_bytes_is_set);
  }
  return OkStatus();
}

Status Call(PJRT_Device_CreateAsyncTrackingEvent_Args* args) {
  static PJRT_AsyncTrackingEvent event;
  args->event = &event;
  return OkStatus();
}

Status Call(PJRT_AsyncTrackingEvent_Destroy_Args*) { return OkStatus(); }

}  // namespace treadle::pjrt
