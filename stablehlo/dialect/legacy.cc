// Generated code of the operations that the specification no longer lists.
#include "stablehlo/dialect/assembly.h"
#include "stablehlo/dialect/ops.h"

#define GET_OP_CLASSES
#include "stablehlo/dialect/legacy.cc.inc"

namespace treadle::stablehlo {

void StablehloDialect::RegisterLegacyOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/dialect/legacy.cc.inc"
      >();
}

}  // namespace treadle::stablehlo
