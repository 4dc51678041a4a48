#include "stablehlo/nesting.h"

#include <algorithm>
#include <cstdint>

namespace treadle::stablehlo {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Past the string that starts at text[i] == '"'.
size_t SkipString(std::string_view text, size_t i) {
  for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return i;
}

// The number that starts at text[i], or the largest there is; moves i to its last digit.
uint64_t ReadNumber(std::string_view text, size_t& i) {
  uint64_t number = 0;
  for (; i < text.size() && IsDigit(text[i]); ++i)
    number = number > UINT64_MAX / 16 ? UINT64_MAX / 2 : number * 10 + static_cast<uint64_t>(text[i] - '0');
  --i;
  return number;
}

bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Past the word that starts at text[i].
size_t SkipWord(std::string_view text, size_t i) {
  while (i < text.size() && (IsWordStart(text[i]) || IsDigit(text[i]) || text[i] == '$' || text[i] == '.')) ++i;
  return i;
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The last character of the comment that starts at text[i], or i.
size_t SkipComment(std::string_view text, size_t i) {
  if (i + 1 >= text.size() || text[i] != '/' || text[i + 1] != '/') return i;
  return std::min(text.find('\n', i), text.size());
}

// Whether elements of type index may follow text[i], the bracket of array<...>.
bool MayBeIndices(std::string_view text, size_t i) {
  for (++i; i < text.size() && (IsBlank(text[i]) || text[i] == '/'); ++i) {
    if (text[i] == '/' && SkipComment(text, i) == i) return false;
    i = SkipComment(text, i);
  }
  return i < text.size() && (text[i] == '!' || text.substr(i, SkipWord(text, i) - i) == "index");
}

}  // namespace

TextExtent MeasureText(std::string_view text) {
  constexpr uint64_t kLarge = 1024, kMostRoom = uint64_t{1} << 27;  // of a number; of all large ones together
  TextExtent extent;
  int depth = 0;
  uint64_t room = 0;
  bool is_array = false;  // whether the last word is `array`, and nothing came after it
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsWordStart(text[i])) {
      const size_t end = SkipWord(text, i);
      is_array = text.substr(i, end - i) == "array";
      i = end - 1;
      continue;
    }
    if (text[i] == '<' && is_array) extent.array_of_indices |= MayBeIndices(text, i);
    is_array &= IsBlank(text[i]) || text[i] == '/';
    switch (text[i]) {
      case '"':
        i = SkipString(text, i);
        break;
      case '/':
        i = SkipComment(text, i);
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        extent.nesting = std::max(extent.nesting, ++depth);
        break;
      case '>':
        if (i > 0 && text[i - 1] == '-') break;  // an arrow
        [[fallthrough]];
      case ')':
      case ']':
      case '}':
        depth = std::max(depth - 1, 0);
        break;
      case '#':
        if (i + 1 < text.size() && IsDigit(text[i + 1])) {
          const uint64_t number = ReadNumber(text, ++i);
          if (number >= kLarge) room += std::min(number, kMostRoom);
          extent.too_many_results |= number >= text.size() || room > kMostRoom;
        }
        break;
      default:
        break;
    }
  }
  return extent;
}

int RegionNesting(mlir::Operation* op) {
  int deepest = 0;
  llvm::SmallVector<std::pair<mlir::Operation*, int>> pending = {{op, 0}};
  while (!pending.empty()) {
    const auto [next, depth] = pending.pop_back_val();
    deepest = std::max(deepest, depth);
    for (mlir::Region& region : next->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::Operation& inner : block) {
          if (inner.getNumRegions() > 0) pending.push_back({&inner, depth + 1});
        }
      }
    }
  }
  return deepest;
}

}  // namespace treadle::stablehlo
