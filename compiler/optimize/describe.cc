#include "compiler/optimize/describe.h"

#include <limits>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/dialect/types.h"

namespace treadle::compiler {
namespace {

struct Parts {
  std::string file, name;
};

// JAX names operations and, at call sites, the Python functions around them; the first name is the operation's.
void Collect(mlir::Location location, Parts& parts) {
  llvm::TypeSwitch<mlir::Location>(location)
      .Case<mlir::FileLineColLoc>([&](mlir::FileLineColLoc loc) {
        if (!parts.file.empty()) return;
        parts.file =
            loc.getFilename().str() + ":" + std::to_string(loc.getLine()) + ":" + std::to_string(loc.getColumn());
      })
      .Case<mlir::NameLoc>([&](mlir::NameLoc loc) {
        if (parts.name.empty()) parts.name = loc.getName().str();
        Collect(loc.getChildLoc(), parts);
      })
      .Case<mlir::CallSiteLoc>([&](mlir::CallSiteLoc loc) { Collect(loc.getCallee(), parts); })
      .Case<mlir::FusedLoc>([&](mlir::FusedLoc loc) {
        for (mlir::Location inner : loc.getLocations()) Collect(inner, parts);
      });
}

std::optional<ElementType> ElementTypeOf(mlir::Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    return ParseElementType((integer.isUnsigned() ? "ui" : "i") + std::to_string(integer.getWidth()));
  }
  if (llvm::isa<mlir::FloatType, mlir::ComplexType>(type)) return ParseElementType(TypeText(type));
  return std::nullopt;
}

// What loop plans compute with, and complex numbers, which are split; the other element types of StableHLO are not
// planned yet.
bool Planned(ElementType type) {
  return type == ElementType::kI1 || (IsInteger(type) && ElementBits(type) >= 8) ||
         (IsFloat(type) && ElementBits(type) >= 16) || IsComplex(type);
}

}  // namespace

std::string TypeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

std::string LocationText(mlir::Location location, llvm::ArrayRef<mlir::Location> calls) {
  Parts parts;
  Collect(location, parts);
  for (mlir::Location call : llvm::reverse(calls)) {
    if (!parts.file.empty()) break;
    Collect(call, parts);
  }
  if (parts.file.empty()) return parts.name.empty() ? "unknown location" : parts.name;
  return parts.name.empty() ? parts.file : parts.file + " (" + parts.name + ")";
}

std::string Describe(mlir::Operation* op) {
  std::string text = op->getName().getStringRef().str() + " (";
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes())) text += (i ? ", " : "") + TypeText(type);
  text += ") -> (";
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) text += (i ? ", " : "") + TypeText(type);
  return text + ")";
}

Status NotYet(mlir::Operation* op, std::string_view why) {
  return Unimplemented(Describe(op) + " is not implemented yet" + (why.empty() ? "" : ": " + std::string(why)));
}

StatusOr<Shape> ShapeOf(mlir::Type type, mlir::Operation* op) {
  if (llvm::isa<stablehlo::TokenType>(type)) return Shape{ElementType::kI1, {0}};
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return NotYet(op, "values of type " + TypeText(type));
  if (!tensor.hasStaticShape()) return NotYet(op, "dynamic dimensions in " + TypeText(type));
  std::optional<ElementType> element = ElementTypeOf(tensor.getElementType());
  if (!element || !Planned(*element)) return NotYet(op, "elements of type " + TypeText(tensor.getElementType()));
  Shape shape{*element, std::vector<int64_t>(tensor.getShape().begin(), tensor.getShape().end())};
  if (shape.bytes() == std::numeric_limits<int64_t>::max()) {
    return ResourceExhausted("the size of " + TypeText(type) + " in " + Describe(op) + " does not fit 64 bits");
  }
  return shape;
}

}  // namespace treadle::compiler
