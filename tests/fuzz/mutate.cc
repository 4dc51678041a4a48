#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace treadle::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostWords = 4000;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Functions that start a line, each to where the next one starts.
void AddFunctions(const std::string& text, size_t max_size, std::vector<std::string>& seeds) {
  size_t begin = text.find("func.func");
  while (begin != std::string::npos) {
    size_t end = text.find("\nfunc.func", begin);
    if (end == std::string::npos) end = text.size();
    if (end - begin <= max_size) seeds.push_back(text.substr(begin, end - begin));
    begin = end == text.size() ? std::string::npos : end + 1;
  }
}

size_t FindWord(const std::string& text, size_t from, bool (*is_letter)(char), size_t* end) {
  size_t begin = std::min(from, text.size());
  while (begin < text.size() && !is_letter(text[begin])) ++begin;
  *end = begin;
  while (*end < text.size() && is_letter(text[*end])) ++*end;
  return begin;
}

}  // namespace

std::vector<std::string> LoadSeeds(std::string_view folders, Kind kind, size_t max_size) {
  std::vector<fs::path> paths;
  while (!folders.empty()) {
    const size_t colon = std::min(folders.find(':'), folders.size());
    const fs::path folder(folders.substr(0, colon));
    folders.remove_prefix(std::min(colon + 1, folders.size()));
    std::error_code ignored;
    for (fs::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
      const std::string extension = it->path().extension();
      const bool is_bytes = extension == ".mlirbc" || extension == ".bc";
      if (kind == Kind::kBytes ? is_bytes : extension == ".mlir") paths.push_back(it->path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    std::string seed = ReadAll(path);
    if (kind == Kind::kText) AddFunctions(seed, max_size, seeds);
    if (seed.size() <= max_size) seeds.push_back(std::move(seed));
  }
  return seeds;
}

Mutator::Mutator(const std::vector<std::string>& seeds, Kind kind, uint32_t seed)
    : seeds_(seeds), kind_(kind), random_(seed) {
  if (kind == Kind::kBytes) return;
  std::set<std::string> words;
  for (const std::string& text : seeds) {
    size_t end;
    for (size_t begin = FindWord(text, 0, IsWordLetter, &end); begin < text.size();
         begin = FindWord(text, end, IsWordLetter, &end)) {
      if (end - begin < 64 && words.size() < kMostWords) words.insert(text.substr(begin, end - begin));
    }
  }
  words_.assign(words.begin(), words.end());
}

std::string Mutator::Next() {
  std::string input = seeds_[Below(seeds_.size())];
  for (size_t changes = 1 + std::min(Below(3), Below(4)); changes > 0; --changes) {
    if (kind_ == Kind::kText) MutateText(input);
    if (kind_ == Kind::kBytes || Below(64) == 0) MutateBytes(input);
  }
  return input;
}

void Mutator::MutateText(std::string& text) {
  switch (Below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return ReplaceNumber(text, /*everywhere=*/true);
    case 6:
    case 7:
    case 8:
      return ReplaceType(text);
    case 9:
    case 10:
    case 11:
      return ReplaceNumber(text, /*everywhere=*/false);
    case 12:
    case 13:
    case 14:
      return ReplaceWord(text);
    default:
      return MoveRange(text);
  }
}

void Mutator::ReplaceNumber(std::string& text, bool everywhere) {
  static const char* const kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "5",
                                         "6",
                                         "7",
                                         "8",
                                         "9",
                                         "12",
                                         "16",
                                         "31",
                                         "64",
                                         "127",
                                         "128",
                                         "255",
                                         "1000",
                                         "?",
                                         "4095",
                                         "65536",
                                         "2147483647",
                                         "-2147483648",
                                         "4294967296",
                                         "1048576",
                                         "1073741824",
                                         "1099511627776",
                                         "-1",
                                         "1e9",
                                         "nan",
                                         "0xFF800000",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "99999999999999999999"};
  // Small ones more often: they fit more often.
  const char* const number = kNumbers[Below(2) == 0 ? Below(13) : Below(std::size(kNumbers))];
  size_t end;
  size_t begin = FindWord(text, Below(text.size()), IsDigit, &end);
  if (begin >= text.size()) return;
  if (!everywhere) {
    text.replace(begin, end - begin, number);
    return;
  }
  const std::string old = text.substr(begin, end - begin);
  for (begin = FindWord(text, 0, IsDigit, &end); begin < text.size(); begin = FindWord(text, end, IsDigit, &end)) {
    const char before = begin == 0 ? ' ' : text[begin - 1];
    // Not in names: %0, f32, v_1; but in shapes: 4x8xf32.
    const bool is_name = before == '%' || before == '#' || before == '_' || (std::isalpha(before) && before != 'x');
    if (is_name || text.compare(begin, end - begin, old) != 0) continue;
    text.replace(begin, end - begin, number);
    end = begin + std::string_view(number).size();
  }
}

// One element type for another, everywhere.
void Mutator::ReplaceType(std::string& text) {
  static const char* const kTypes[] = {"f32", "f64",    "f16",      "bf16",         "i1",           "i8",   "i32",
                                       "i64", "ui8",    "ui32",     "ui64",         "i4",           "ui2",  "f8E4M3FN",
                                       "i16", "f8E5M2", "f4E2M1FN", "complex<f32>", "complex<f64>", "index"};
  std::vector<std::string> found;
  for (const char* type : kTypes) {
    if (text.find(std::string(type) + ">") != std::string::npos) found.push_back(type);
  }
  if (found.empty()) return;
  const std::string old = found[Below(found.size())] + ">";
  const std::string type = std::string(kTypes[Below(std::size(kTypes))]) + ">";
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + type.size())) {
    text.replace(at, old.size(), type);
  }
}

void Mutator::ReplaceWord(std::string& text) {
  size_t end;
  const size_t begin = FindWord(text, Below(text.size()), IsWordLetter, &end);
  if (begin < text.size() && !words_.empty()) text.replace(begin, end - begin, words_[Below(words_.size())]);
}

// Takes away a part, or puts one of this or another seed somewhere.
void Mutator::MoveRange(std::string& text) {
  const size_t kind = Below(3);
  const size_t place = Below(text.size() + 1);
  if (kind == 0) {
    text.erase(place, Below(40));
    return;
  }
  const std::string other = kind == 1 ? text : seeds_[Below(seeds_.size())];
  text.insert(place, other.substr(Below(other.size()), 1 + Below(kind == 1 ? 40 : 400)));
}

void Mutator::MutateBytes(std::string& bytes) {
  if (bytes.empty()) return;
  const size_t place = Below(bytes.size());
  switch (Below(6)) {
    case 0:
    case 1:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << Below(8)));
      return;
    case 2:
      bytes[place] = static_cast<char>(Below(256));
      return;
    case 3: {  // as numbers of variable width: small, large, the largest
      static const std::string kNumbers[] = {std::string(1, '\1'), "\xFF",
                                             std::string("\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 9), "\xFE\xFF",
                                             "\xF8\xFF\xFF\xFF"};
      const std::string& number = kNumbers[Below(std::size(kNumbers))];
      bytes.replace(place, std::min(number.size(), bytes.size() - place), number);
      return;
    }
    case 4:
      return MoveRange(bytes);
    default:
      if (Below(4) == 0) bytes.resize(place);
      return;
  }
}

}  // namespace treadle::fuzz
