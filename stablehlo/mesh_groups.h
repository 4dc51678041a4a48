// Groups of collectives that are named by axes of a mesh.
#ifndef TREADLE_STABLEHLO_MESH_GROUPS_H_
#define TREADLE_STABLEHLO_MESH_GROUPS_H_

#include "base/status.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace treadle::stablehlo {

// The replica_groups of a collective as a list of groups (rank 2). Axes of a mesh are written out: devices that differ
// only in their place along these axes are a group, in the order of these places, the first axis slowest.
// InvalidArgument where the mesh or an axis does not exist, or the mesh has more than 2^20 devices.
StatusOr<mlir::DenseIntElementsAttr> WriteOutGroups(mlir::Operation* collective);

}  // namespace treadle::stablehlo

#endif  // TREADLE_STABLEHLO_MESH_GROUPS_H_
