// Portable artifacts: StableHLO programs as other versions of StableHLO wrote them, and as PJRT hands them over.
//
// An artifact is MLIR bytecode whose operations belong to `vhlo`, a dialect in which each operation, attribute and type
// has a version of its own. Nothing here has classes for it: one pass over the bytes builds `func` and `stablehlo`
// operations by table (op_rules.cc), with the values that older versions left implicit filled in. Operations of other
// dialects (`sdy`) in between are read as they are.
//
// Any bytes are safe to read: what is malformed, truncated or unknown ends in a diagnostic and a null module. Memory is
// bounded by a multiple of the size of the input, stack by a constant (about 64 KiB), whatever the input says.
// Thread-compatible: any number of artifacts may be read at once, each in a context of its own.
#ifndef TREADLE_STABLEHLO_ARTIFACT_ARTIFACT_H_
#define TREADLE_STABLEHLO_ARTIFACT_ARTIFACT_H_

#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "stablehlo/artifact/version.h"

namespace treadle::stablehlo {

/// Versions of StableHLO whose artifacts are read. Newer ones within the major version are tried: they load if they
/// use nothing newer.
inline constexpr ArtifactVersion kOldestArtifact = {0, 9, 0};
inline constexpr ArtifactVersion kNewestArtifact = {1, 20, 0};

/// Whether the bytes start as a portable artifact does (MLIR bytecode whose producer is StableHLO).
bool IsPortableArtifact(llvm::StringRef bytes);

/// Version of the StableHLO for which an artifact was written; nothing where it is none.
std::optional<ArtifactVersion> ProducerVersion(llvm::StringRef bytes);

struct ArtifactOptions {
  /// Whose versions of operations, attributes and types are used. From kOldestArtifact to kNewestArtifact; the patch
  /// only goes into the name of the producer.
  ArtifactVersion target = kNewestArtifact;
  /// Operations and attributes of other dialects (`sdy`, `chlo`) are written as they are. Whether somebody else can
  /// read them is then between the two; StableHLO promises nothing. Target versions from 1.11.0 only.
  bool allow_other_dialects = false;
};

/// "1.12.0" to a version; nothing where the text is none.
std::optional<ArtifactVersion> ParseArtifactVersion(llvm::StringRef text);

/// Appends `module`, which must verify, to `bytes` as StableHLO of the target version would write it: every operation
/// in the newest form that version has. Forms that say less are taken only where nothing is lost. What the target
/// version cannot say is an error at the operation's location that names it and the version which brought it; all of
/// these are emitted, and nothing is appended.
mlir::LogicalResult WritePortableArtifact(mlir::ModuleOp module, const ArtifactOptions& options, std::string& bytes);

/// Reads and verifies. Loads the dialects that it needs into `context`. Errors go to the context's diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> ReadPortableArtifact(mlir::MLIRContext& context, llvm::StringRef bytes);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_ARTIFACT_H_
