// PJRT_NamedValue: the attributes and options of the C API.
#ifndef TREADLE_PJRT_NAMED_VALUE_H_
#define TREADLE_PJRT_NAMED_VALUE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// `name` and a text or list must outlive the result.
PJRT_NamedValue Named(std::string_view name, int64_t value);
PJRT_NamedValue Named(std::string_view name, float value);
PJRT_NamedValue Named(std::string_view name, std::string_view value);
PJRT_NamedValue Named(std::string_view name, std::span<const int64_t> value);

// Options that any value may stand in: JAX sends numbers from its configuration strings as text.
StatusOr<int64_t> IntegerOption(const PJRT_NamedValue& option);
StatusOr<bool> BooleanOption(const PJRT_NamedValue& option);

std::string_view NameOf(const PJRT_NamedValue& value);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_NAMED_VALUE_H_
