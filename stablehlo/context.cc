#include "stablehlo/context.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectRegistry.h"
#include "stablehlo/check/ops.h"
#include "stablehlo/chlo/ops.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {

std::unique_ptr<mlir::MLIRContext> MakeContext() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, StablehloDialect, chlo::ChloDialect,
                  check::CheckDialect, sdy::SdyDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

}  // namespace treadle::stablehlo
