// What `treadle opt` and `treadle translate` do: programs read, changed by passes, and written. No MLIR.
#ifndef TREADLE_STABLEHLO_OPT_H_
#define TREADLE_STABLEHLO_OPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace treadle::stablehlo {

struct PassDescription {
  std::string_view name;  // "expand-chlo"
  std::string_view help;
};
// All passes that OptOptions::passes can name.
std::vector<PassDescription> Passes();

struct OptOptions {
  std::vector<std::string> passes;    // in this order
  bool generic = false;               // operations in generic form
  bool locations = false;             // printed too
  bool bytecode = false;              // MLIR bytecode instead of text
  std::string artifact;               // a portable artifact for this version of StableHLO ("1.12.0") instead
  bool allow_other_dialects = false;  // in an artifact: operations of sdy, chlo and others as they are
};

// The program that `bytes` (text, MLIR bytecode, a portable artifact) becomes, verified before and after the passes;
// `name` stands for the file in errors, which have the form "file:line:col: error: ...". Plain bytecode must come from
// somebody trusted: MLIR's reader does not expect damage.
StatusOr<std::string> Opt(std::string_view bytes, std::string_view name, const OptOptions& options);

// The newest version of StableHLO for which artifacts can be written: "1.20.0".
std::string NewestArtifactVersion();

// Reads a text and runs the passes; Ok where they give exactly the errors and notes that comments of the text announce
// ("// expected-error @+1 {{...}}"), otherwise what is missing or unexpected.
Status VerifyDiagnostics(std::string_view text, std::string_view name, const std::vector<std::string>& passes);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_OPT_H_
