#include "pjrt/memory.h"

#include "pjrt/calls.h"

namespace treadle::pjrt {
namespace {

constexpr PJRT_MemoryDescription kKinds[] = {{"device", 1}, {"pinned_host", 2}, {"unpinned_host", 3}};

const PJRT_Memory_FunctionTable kTable = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = sizeof(MemorySpace),
    .get_user_data = [](PJRT_Memory* memory, const void* key) { return ToMemorySpace(memory)->user_data.Get(key); },
    .set_user_data = [](PJRT_Memory* memory, const void* key, void* value,
                        void (*deleter)(void*)) { ToMemorySpace(memory)->user_data.Set(key, value, deleter); },
};

}  // namespace

std::span<const PJRT_MemoryDescription> MemoryKinds() { return kKinds; }

int MemoryKindIndex(std::string_view kind) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].kind == kind) return static_cast<int>(i);
  }
  return 0;
}

UserData::~UserData() {
  for (Entry* entry = first_.load(std::memory_order_acquire); entry != nullptr;) {
    if (entry->deleter != nullptr) entry->deleter(entry->value.load(std::memory_order_relaxed));
    Entry* next = entry->next;
    delete entry;
    entry = next;
  }
}

UserData::Entry* UserData::Find(const void* key) const {
  Entry* entry = first_.load(std::memory_order_acquire);
  while (entry != nullptr && entry->key != key) entry = entry->next;
  return entry;
}

void* UserData::Get(const void* key) const {
  const Entry* entry = Find(key);
  return entry != nullptr ? entry->value.load(std::memory_order_acquire) : nullptr;
}

void UserData::Set(const void* key, void* value, Deleter deleter) {
  void* old_value = nullptr;
  Deleter old_deleter = nullptr;
  {
    std::lock_guard lock(setting_);
    if (Entry* entry = Find(key)) {
      old_value = entry->value.exchange(value, std::memory_order_acq_rel);
      old_deleter = std::exchange(entry->deleter, deleter);
    } else {
      first_.store(new Entry{key, value, deleter, first_.load(std::memory_order_relaxed)}, std::memory_order_release);
    }
  }
  if (old_deleter != nullptr) old_deleter(old_value);
}

MemorySpace::MemorySpace(int id, const PJRT_MemoryDescription& description, PJRT_Device* device, int device_id)
    : PJRT_Memory{&kTable},
      id(id),
      description(description),
      device(device),
      text("TreadleMemory(kind=" + std::string(description.kind) + ", device=" + std::to_string(device_id) + ")") {}

Status Call(PJRT_Memory_Id_Args* args) {
  args->id = ToMemorySpace(args->memory)->id;
  return OkStatus();
}

Status Call(PJRT_Memory_Kind_Args* args) {
  Return(ToMemorySpace(args->memory)->description.kind, &args->kind, &args->kind_size);
  return OkStatus();
}

Status Call(PJRT_Memory_Kind_Id_Args* args) {
  args->kind_id = ToMemorySpace(args->memory)->description.kind_id;
  return OkStatus();
}

Status Call(PJRT_Memory_DebugString_Args* args) {
  Return(ToMemorySpace(args->memory)->text, &args->debug_string, &args->debug_string_size);
  return OkStatus();
}

Status Call(PJRT_Memory_ToString_Args* args) {
  Return(ToMemorySpace(args->memory)->text, &args->to_string, &args->to_string_size);
  return OkStatus();
}

Status Call(PJRT_Memory_AddressableByDevices_Args* args) {
  args->devices = &ToMemorySpace(args->memory)->device;
  args->num_devices = 1;
  return OkStatus();
}

}  // namespace treadle::pjrt
