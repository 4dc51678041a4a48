// PJRT_Plugin: what the library says about itself before there is a client.
#include <vector>

#include "pjrt/calls.h"
#include "pjrt/named_value.h"

namespace treadle::pjrt {

Status Call(PJRT_Plugin_Initialize_Args*) { return OkStatus(); }

// The client writes programs in the StableHLO version given here, or in its own where that is older.
Status Call(PJRT_Plugin_Attributes_Args* args) {
  static constexpr int64_t kCurrent[] = {1, 20, 0};
  static constexpr int64_t kMinimum[] = {0, 9, 0};
  static constexpr int64_t kSdy[] = {0, 0, 1};
  static const std::vector<PJRT_NamedValue>* const attributes = new std::vector<PJRT_NamedValue>{
      Named("xla_version", int64_t{2}), Named("stablehlo_current_version", kCurrent),
      Named("stablehlo_minimum_version", kMinimum), Named("sdy_current_version", kSdy)};
  Return(*attributes, &args->attributes, &args->num_attributes);
  return OkStatus();
}

}  // namespace treadle::pjrt
