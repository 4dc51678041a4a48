// What becomes of each operation of `vhlo`: for each of its attributes, in the order in which they are written, what is
// to be done with it. The operation itself is the one of StableHLO with the same name and no version. The upgrade from
// older versions of an operation is in the table too: what they do not have is absent, which in StableHLO means the
// default. Reading and writing go by the same table.
#ifndef TREADLE_STABLEHLO_ARTIFACT_OP_RULES_H_
#define TREADLE_STABLEHLO_ARTIFACT_OP_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "stablehlo/artifact/version.h"

namespace treadle::stablehlo {

enum class AttributeRule : uint8_t {
  kKeep,
  // Left out of StableHLO where they say nothing: what that is, is in the name.
  kDropFalse,
  kDropZero,  // of 32 bits
  kDropMinusOne,
  kDropEmptyText,
  kDropEmptyArray,
  kDropEmptyDictionary,
  kDropEmptyTensor,
  kDropNoType,
  kDropDefaultPrecisions,  // all DEFAULT
  kDropDefaultAccuracy,
  kDropOriginal,  // the version of the API of custom calls: ORIGINAL
  kUnit,          // a boolean: present or absent
  kList,          // tensor of i64 or i1 -> array of the same
  kDropEmptyList,
  kDropOnes,  // as kList, left out where all ones; so for the other two
  kDropFalses,
  kDropZeros,  // tensor, kept as such
  kSymbol,     // string -> symbol reference
  kSymbols,    // array of strings -> array of symbol references
  kChannel,    // number -> channel handle; left out where 0
  kIgnore,     // a padding that an operand says: written as zeros
  kPart,       // part of an attribute that OpRule::bundle makes
};

struct AttributeRow {
  std::string_view name;
  AttributeRule rule = AttributeRule::kKeep;
};

// Attributes made of several.
enum class Bundle : uint8_t { kNone, kDot, kConvolution, kGather, kScatter, kTransfer, kLayouts };

// What the first version of an operation could not say.
enum class Limit : uint8_t { kNone, kOneOperand, kNoRegions };

struct OpRule {
  std::string_view name;  // with its version, without the dialect: "add_v1"
  std::span<const AttributeRow> attributes = {};
  Bundle bundle = Bundle::kNone;
  ArtifactVersion since = {0, 9, 0};  // to when the next version of the operation comes
  Limit limit = Limit::kNone;
};

/// Null where no known version of `vhlo` has an operation of that name ("add_v1").
const OpRule* FindOpRule(std::string_view name);

/// The newest version of operation `base` ("add") that StableHLO `target` has; null where it has none.
const OpRule* NewestOpRule(std::string_view base, const ArtifactVersion& target);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_OP_RULES_H_
