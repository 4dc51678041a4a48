#include "compiler/plan/identity.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

#include "compiler/plan/print.h"

namespace treadle::plan {
namespace {

// Raised by every change that gives other code for the same plan: of an operation's meaning, a tree, the emitter.
constexpr std::string_view kCompilerVersion = "treadle-2";

XXH128_hash_t HashOf(const Plan& plan, const executable::Target& target) {
  std::string text = PrintWithoutName(plan);
  text += '\0';
  text += target.Key();
  text += '\0';
  text += kCompilerVersion;
  return XXH3_128bits(text.data(), text.size());
}

std::string Symbol(XXH128_hash_t hash, int phase) {
  char symbol[64];
  std::snprintf(symbol, sizeof symbol, "treadle_%016llx%016llx_%d", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64), phase);
  return symbol;
}

}  // namespace

std::string IdentityText(const Plan& plan) { return PrintWithoutName(plan); }

std::string KernelSymbol(const Plan& plan, const executable::Target& target, int phase) {
  return Symbol(HashOf(plan, target), phase);
}

std::vector<std::string> KernelSymbols(const Plan& plan, const executable::Target& target) {
  const XXH128_hash_t hash = HashOf(plan, target);
  std::vector<std::string> symbols;
  for (size_t phase = 0; phase < plan.phases.size(); ++phase) {
    symbols.push_back(Symbol(hash, static_cast<int>(phase)));
  }
  return symbols;
}

}  // namespace treadle::plan
