// CHLO's functions of complex numbers. Operands are tensors of complex numbers; each part of a result is good to a few
// units in its last place. Infinite and NaN parts give what C's Annex G says.
#ifndef TREADLE_STABLEHLO_CHLO_COMPLEX_FUNCTIONS_H_
#define TREADLE_STABLEHLO_CHLO_COMPLEX_FUNCTIONS_H_

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace treadle::chlo {

mlir::Value ComplexAcos(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexAcosh(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexAsin(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
// w with asin(z) = atan2(Re z, Re w) + i sign(Im z) Im w and acos(z) = atan2(Re w, Re z) - i sign(Im z) Im w.
mlir::Value ComplexAsinAcosKernel(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexAsinh(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexAtan(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexAtanh(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);
mlir::Value ComplexSquare(mlir::OpBuilder& builder, mlir::Location location, mlir::Value z);

}  // namespace treadle::chlo

#endif  // TREADLE_STABLEHLO_CHLO_COMPLEX_FUNCTIONS_H_
