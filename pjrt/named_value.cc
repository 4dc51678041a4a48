#include "pjrt/named_value.h"

#include <charconv>

#include "pjrt/calls.h"

namespace treadle::pjrt {
namespace {

PJRT_NamedValue Empty(std::string_view name, PJRT_NamedValue_Type type, size_t size) {
  PJRT_NamedValue value = {};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name.data();
  value.name_size = name.size();
  value.type = type;
  value.value_size = size;
  return value;
}

Status WrongType(const PJRT_NamedValue& option, std::string_view wanted) {
  return InvalidArgument("the option '" + std::string(NameOf(option)) + "' must be " + std::string(wanted));
}

}  // namespace

PJRT_NamedValue Named(std::string_view name, int64_t number) {
  PJRT_NamedValue value = Empty(name, PJRT_NamedValue_kInt64, 1);
  value.int64_value = number;
  return value;
}

PJRT_NamedValue Named(std::string_view name, float number) {
  PJRT_NamedValue value = Empty(name, PJRT_NamedValue_kFloat, 1);
  value.float_value = number;
  return value;
}

PJRT_NamedValue Named(std::string_view name, std::string_view text) {
  PJRT_NamedValue value = Empty(name, PJRT_NamedValue_kString, text.size());
  value.string_value = text.data();
  return value;
}

PJRT_NamedValue Named(std::string_view name, std::span<const int64_t> list) {
  PJRT_NamedValue value = Empty(name, PJRT_NamedValue_kInt64List, list.size());
  value.int64_array_value = list.data();
  return value;
}

std::string_view NameOf(const PJRT_NamedValue& value) { return View(value.name, value.name_size); }

StatusOr<int64_t> IntegerOption(const PJRT_NamedValue& option) {
  if (option.type == PJRT_NamedValue_kInt64) return option.int64_value;
  if (option.type == PJRT_NamedValue_kString) {
    std::string_view text = View(option.string_value, option.value_size);
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return number;
  }
  return WrongType(option, "an integer");
}

StatusOr<bool> BooleanOption(const PJRT_NamedValue& option) {
  if (option.type == PJRT_NamedValue_kBool) return option.bool_value;
  if (option.type == PJRT_NamedValue_kInt64 && (option.int64_value == 0 || option.int64_value == 1)) {
    return option.int64_value == 1;
  }
  if (option.type == PJRT_NamedValue_kString) {
    std::string_view text = View(option.string_value, option.value_size);
    if (text == "true" || text == "True" || text == "1") return true;
    if (text == "false" || text == "False" || text == "0") return false;
  }
  return WrongType(option, "true or false");
}

}  // namespace treadle::pjrt
