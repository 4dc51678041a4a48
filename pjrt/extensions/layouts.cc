// Layouts: every array is row-major here, so a layout is its rank, and there is one immortal object for each.
#include "pjrt/extensions/layouts.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/calls.h"
#include "pjrt/program.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;  // XLA's: "{1,0}"
};

namespace treadle::pjrt {
namespace {

constexpr size_t kMostDims = 64;

StatusOr<PJRT_Layouts_MemoryLayout*> LayoutOf(size_t rank) {
  PJRT_Layouts_MemoryLayout* layout = LayoutOfRank(rank);
  if (layout != nullptr) return layout;
  return Unimplemented("memory layouts of arrays with " + std::to_string(rank) + " dimensions");
}

// The list belongs to the program; a null in it stands for an array of too many dimensions.
Status ReturnLayouts(const std::vector<PJRT_Layouts_MemoryLayout*>& list, PJRT_Layouts_MemoryLayout*** data,
                     size_t* size) {
  if (std::find(list.begin(), list.end(), nullptr) != list.end()) return LayoutOf(kMostDims + 1).status();
  Return(list, data, size);
  return OkStatus();
}

}  // namespace

PJRT_Layouts_MemoryLayout* LayoutOfRank(size_t rank) {
  static std::array<PJRT_Layouts_MemoryLayout, kMostDims + 1>* const layouts = [] {
    auto* all = new std::array<PJRT_Layouts_MemoryLayout, kMostDims + 1>;
    for (size_t rank = 0; rank <= kMostDims; ++rank) {
      std::string& text = (*all)[rank].text;
      for (size_t dim = rank; dim-- > 0;) text += (text.empty() ? "" : ",") + std::to_string(dim);
      text = "{" + text + "}";
    }
    return all;
  }();
  return rank <= kMostDims ? &(*layouts)[rank] : nullptr;
}

Status Call(PJRT_Layouts_MemoryLayout_Destroy_Args*) { return OkStatus(); }

Status Call(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  Return(args->layout->text, &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_layout = nullptr;
  args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
  return OkStatus();
}

Status Call(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(args->layout, LayoutOf(args->num_dims));
  return OkStatus();
}

Status Call(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(args->layout, LayoutOf(args->num_dims));
  return OkStatus();
}

Status Call(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) {
  TREADLE_ASSIGN_OR_RETURN(args->layout, LayoutOf(args->buffer->buffer->shape().dims.size()));
  return OkStatus();
}

Status Call(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
  return ReturnLayouts(args->executable->program->result_layouts, &args->layouts, &args->num_outputs);
}

Status Call(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) {
  return ReturnLayouts(args->executable->program->parameter_layouts, &args->layouts, &args->num_parameters);
}

}  // namespace treadle::pjrt
