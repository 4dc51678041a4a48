// The dialect of shardings (Shardy's names and spellings): what JAX sends, and what the partitioner leaves behind.
#ifndef TREADLE_STABLEHLO_SDY_DIALECT_TD_
#define TREADLE_STABLEHLO_SDY_DIALECT_TD_

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::treadle::sdy";
  let summary = "Meshes of devices, shardings of tensors over their axes, and computations that are manual in some";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void RegisterAttributes();         // sdy_attributes.cc
    void RegisterBytecodeInterface();  // bytecode.cc
  }];
}

#endif  // TREADLE_STABLEHLO_SDY_DIALECT_TD_
