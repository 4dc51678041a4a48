// Generated code of the broadcasting operations.
#include "stablehlo/chlo/ops.h"

#define GET_OP_CLASSES
#include "stablehlo/chlo/broadcasting.cc.inc"

namespace treadle::chlo {

void ChloDialect::RegisterBroadcastingOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/chlo/broadcasting.cc.inc"
      >();
}

}  // namespace treadle::chlo
