#include "compiler/plan/identity.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

#include "compiler/plan/print.h"

namespace treadle::plan {
namespace {

// Raised by every change that gives other code for the same plan: of an operation's meaning, a tree, the emitter.
constexpr std::string_view kCompilerVersion = "treadle-1";

}  // namespace

std::string IdentityText(const Plan& plan) { return PrintWithoutName(plan); }

std::string KernelSymbol(const Plan& plan, const executable::Target& target, int phase) {
  std::string text = IdentityText(plan);
  text += '\0';
  text += target.Key();
  text += '\0';
  text += kCompilerVersion;
  XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char symbol[64];
  std::snprintf(symbol, sizeof symbol, "treadle_%016llx%016llx_%d", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64), phase);
  return symbol;
}

std::vector<std::string> KernelSymbols(const Plan& plan, const executable::Target& target) {
  std::vector<std::string> symbols;
  for (size_t phase = 0; phase < plan.phases.size(); ++phase) {
    symbols.push_back(KernelSymbol(plan, target, static_cast<int>(phase)));
  }
  return symbols;
}

}  // namespace treadle::plan
