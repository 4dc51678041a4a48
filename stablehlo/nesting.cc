#include "stablehlo/nesting.h"

#include <algorithm>

namespace treadle::stablehlo {

namespace {

// Past the string that starts at text[i] == '"'.
size_t SkipString(std::string_view text, size_t i) {
  for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return i;
}

}  // namespace

int TextNesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        i = SkipString(text, i);
        break;
      case '/':
        if (i + 1 < text.size() && text[i + 1] == '/') i = std::min(text.find('\n', i), text.size());
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        deepest = std::max(deepest, ++depth);
        break;
      case '>':
        if (i > 0 && text[i - 1] == '-') break;  // an arrow
        [[fallthrough]];
      case ')':
      case ']':
      case '}':
        depth = std::max(depth - 1, 0);
        break;
      default:
        break;
    }
  }
  return deepest;
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
