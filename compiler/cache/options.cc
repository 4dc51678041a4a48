#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/build_id.h"
#include "base/log.h"
#include "compiler/cache/disk_cache.h"

namespace treadle::cache {
namespace {

constexpr int64_t kDefaultMib = 512;
constexpr long long kMostMib = 1 << 30;

StatusOr<int64_t> MostBytes() {
  const std::string text(Environment("TREADLE_CACHE_MIB"));
  if (text.empty()) return kDefaultMib << 20;
  char* end = nullptr;
  const long long mib = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || mib < 0 || mib > kMostMib) {
    return InvalidArgument("TREADLE_CACHE_MIB is '" + text + "', not a number of MiB");
  }
  return int64_t{mib} << 20;
}

// Empty where there is none.
std::string DefaultPlace() {
  // A relative path there means nothing, says its specification.
  if (std::string_view xdg = Environment("XDG_CACHE_HOME"); xdg.starts_with('/')) return std::string(xdg) + "/treadle";
  if (std::string_view home = Environment("HOME"); home.starts_with('/')) return std::string(home) + "/.cache/treadle";
  return {};
}

}  // namespace

StatusOr<std::optional<DiskCacheOptions>> OptionsFromEnvironment() {
  DiskCacheOptions options;
  TREADLE_ASSIGN_OR_RETURN(options.most_bytes, MostBytes());
  const char* asked = std::getenv("TREADLE_CACHE_DIR");
  const std::string place = asked != nullptr ? asked : DefaultPlace();
  options.build = BuildId();
  const bool off = options.most_bytes == 0 || place.empty() || place == "off" || options.build.empty();
  if (off) return std::optional<DiskCacheOptions>();
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(place, error);  // the process may go elsewhere
  if (error) return std::optional<DiskCacheOptions>();
  options.path = absolute / "kernels";
  options.quiet = asked == nullptr;
  return std::optional(std::move(options));
}

}  // namespace treadle::cache
