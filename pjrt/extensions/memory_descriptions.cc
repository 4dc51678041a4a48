// The kinds of memory that each device has, for those who have no client.
#include <vector>

#include "pjrt/calls.h"
#include "pjrt/memory.h"

namespace treadle::pjrt {

Status Call(PJRT_DeviceDescription_MemoryDescriptions_Args* args) {
  static const std::vector<const PJRT_MemoryDescription*>* const all = [] {
    auto* list = new std::vector<const PJRT_MemoryDescription*>;
    for (const PJRT_MemoryDescription& kind : MemoryKinds()) list->push_back(&kind);
    return list;
  }();
  args->memory_descriptions = all->data();
  args->num_memory_descriptions = all->size();
  args->default_memory_index = 0;
  return OkStatus();
}

Status Call(PJRT_MemoryDescription_Kind_Args* args) {
  Return(args->memory_description->kind, &args->kind, &args->kind_size);
  args->kind_id = args->memory_description->kind_id;
  return OkStatus();
}

}  // namespace treadle::pjrt
