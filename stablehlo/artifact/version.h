// A version of StableHLO, as portable artifacts carry it.
#ifndef TREADLE_STABLEHLO_ARTIFACT_VERSION_H_
#define TREADLE_STABLEHLO_ARTIFACT_VERSION_H_

#include <compare>
#include <string>

namespace treadle::stablehlo {

struct ArtifactVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend auto operator<=>(const ArtifactVersion&, const ArtifactVersion&) = default;

  std::string ToString() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
};

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_ARTIFACT_VERSION_H_
