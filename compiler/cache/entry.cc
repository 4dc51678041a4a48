#include "compiler/cache/entry.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace treadle::cache {
namespace {

// The last digit is the version of this format.
constexpr std::string_view kMagic = "treadle kernels 1";
constexpr size_t kChecksumBytes = sizeof(XXH128_hash_t);

// Texts with their length in front, one after another.
void Put(std::string& bytes, std::string_view text) {
  const uint64_t size = text.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(text);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  // Whether there was a text.
  bool Take(std::string_view& text) {
    uint64_t size = 0;
    if (bytes_.size() < sizeof size) return false;
    std::memcpy(&size, bytes_.data(), sizeof size);
    bytes_.remove_prefix(sizeof size);
    if (size > bytes_.size()) return false;
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

std::string Checksum(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {reinterpret_cast<const char*>(&hash), sizeof hash};
}

Status DataLoss(const char* what) { return {StatusCode::kDataLoss, what}; }

}  // namespace

std::string Encode(const Entry& entry, std::string_view build) {
  std::string bytes;
  Put(bytes, kMagic);
  Put(bytes, build);
  Put(bytes, entry.object.quick ? "quick" : "full");
  Put(bytes, entry.object.bytes);
  for (const std::string& key : entry.keys) Put(bytes, key);
  bytes += Checksum(bytes);
  return bytes;
}

StatusOr<Entry> Decode(std::string_view bytes, std::string_view build) {
  if (bytes.size() < kChecksumBytes) return DataLoss("it is cut off");
  const std::string_view checksum = bytes.substr(bytes.size() - kChecksumBytes);
  bytes.remove_suffix(kChecksumBytes);
  if (Checksum(bytes) != checksum) return DataLoss("its checksum does not match");
  Reader reader(bytes);
  std::string_view magic, made_by, tier, object, key;
  if (!reader.Take(magic) || magic != kMagic) return DataLoss("it is of another format");
  if (!reader.Take(made_by) || made_by != build) return DataLoss("another build of Treadle made it");
  if (!reader.Take(tier) || !reader.Take(object)) return DataLoss("it ends too soon");
  Entry entry;
  entry.object = {std::string(object), tier == "quick"};
  while (!reader.at_end()) {
    if (!reader.Take(key)) return DataLoss("it ends too soon");
    entry.keys.emplace_back(key);
  }
  return entry;
}

}  // namespace treadle::cache
