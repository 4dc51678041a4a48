#include "stablehlo/expand_narrow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/narrow_floats.h"
#include "stablehlo/retype.h"

namespace treadle::stablehlo {

namespace {

using chlo::MathBuilder;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::Value;

bool IsNarrowInteger(Type element) {
  auto type = llvm::dyn_cast<mlir::IntegerType>(element);
  return type && (type.getWidth() == 2 || type.getWidth() == 4);
}

bool IsNarrow(Type element) { return IsNarrowInteger(element) || IsNarrowFloat(element); }
Type ElementOf(Type type) { return mlir::getElementTypeOrSelf(type); }
bool HoldsNarrow(Type type) { return IsNarrow(ElementOf(type)); }

Type ByteLike(Type integer) {
  auto type = llvm::cast<mlir::IntegerType>(integer);
  return mlir::IntegerType::get(type.getContext(), 8, type.getSignedness());
}

// The type that holds a narrow one.
Type Carrier(Type element) {
  if (IsNarrowInteger(element)) return ByteLike(element);
  return IsNarrowFloat(element) ? mlir::Float32Type::get(element.getContext()) : element;
}

// ---- Numbers of the carrier as numbers of the narrow type.

// The low bits of 8, with their sign.
Value Wrapped(MathBuilder& m, Value x, mlir::IntegerType element) {
  const unsigned width = element.getWidth();
  if (element.isUnsigned()) return m.And(x, m.Integer((1U << width) - 1));
  const Value unused = m.Integer(8 - width);
  return m.Binary<ShiftRightArithmeticOp>(m.Binary<ShiftLeftOp>(x, unused), unused);
}

// Until the end values have the type that they have in the program, which tells the operations behind what they are.
Value Labelled(Value value, Type narrow) {
  value.setType(llvm::cast<RankedTensorType>(narrow));
  return value;
}

Value Narrowed(MathBuilder& m, Value x, Type element) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element)) return Wrapped(m, x, integer);
  return RoundNarrow(m, x, llvm::cast<mlir::FloatType>(element));
}

// Out of range becomes the nearest, as where floats become integers.
Value Saturated(MathBuilder& m, Value x, mlir::IntegerType element) {
  const int width = static_cast<int>(element.getWidth());
  const int low = element.isUnsigned() ? 0 : -(1 << (width - 1));
  const Value bounds[] = {m.Integer(static_cast<uint64_t>(low)), m.Integer((1 << width) - 1 + low)};
  return ClampOp::create(m.builder(), m.location(), m.type(), bounds[0], x, bounds[1]);
}

MathBuilder BuilderFor(mlir::OpBuilder& builder, Operation* op, Type narrow) {
  const auto type = llvm::cast<RankedTensorType>(narrow);
  return {builder, op->getLoc(), chlo::WithElementType(type, Carrier(type.getElementType()))};
}

// ---- Bits: ui8, the low ones of a narrow number.

Type ByteType(mlir::OpBuilder& builder) { return builder.getIntegerType(8, /*isSigned=*/false); }

Value BitsOf(mlir::OpBuilder& builder, Operation* op, Value x, RankedTensorType narrow) {
  MathBuilder m = BuilderFor(builder, op, narrow);
  if (IsNarrowFloat(narrow.getElementType()))
    return NarrowBits(m, x, llvm::cast<mlir::FloatType>(narrow.getElementType()));
  MathBuilder bytes = m.WithElement(ByteType(builder));
  const Value byte = bytes.type() == m.type() ? x : bytes.Bitcast(x);
  return Labelled(bytes.And(byte, bytes.Integer((1U << narrow.getElementTypeBitWidth()) - 1)), bytes.type());
}

Value FromBits(mlir::OpBuilder& builder, Operation* op, Value bits, RankedTensorType narrow) {
  MathBuilder m = BuilderFor(builder, op, narrow);
  if (IsNarrowFloat(narrow.getElementType()))
    return Labelled(FromNarrowBits(m, bits, llvm::cast<mlir::FloatType>(narrow.getElementType())), narrow);
  const Value carrier = m.WithElement(ByteType(builder)).type() == m.type() ? bits : m.Bitcast(bits);
  return Labelled(Wrapped(m, carrier, llvm::cast<mlir::IntegerType>(narrow.getElementType())), narrow);
}

// [.., n] of narrow bits as [..] or, where a byte does not hold them all, [.., n * width / 8] of bytes.
Value Packed(mlir::OpBuilder& builder, Operation* op, Value bits, int64_t width) {
  const mlir::Location location = op->getLoc();
  const auto type = llvm::cast<RankedTensorType>(bits.getType());
  const int64_t per_byte = 8 / width;
  llvm::SmallVector<int64_t> shape(type.getShape());
  const int64_t bytes = shape.back() / per_byte;
  shape.back() = bytes;
  shape.push_back(per_byte);
  const Value groups = ReshapeOp::create(builder, location, type.clone(shape), bits);
  Value sum;
  for (int64_t i = 0; i < per_byte; ++i) {
    llvm::SmallVector<int64_t> starts(shape.size(), 0);
    llvm::SmallVector<int64_t> limits = shape;
    const llvm::SmallVector<int64_t> strides(shape.size(), 1);
    starts.back() = i;
    limits.back() = i + 1;
    llvm::SmallVector<int64_t> part_shape = shape;
    part_shape.back() = 1;
    const Value part =
        SliceOp::create(builder, location, type.clone(part_shape), groups, builder.getDenseI64ArrayAttr(starts),
                        builder.getDenseI64ArrayAttr(limits), builder.getDenseI64ArrayAttr(strides));
    MathBuilder m(builder, location, type.clone(part_shape));
    const Value moved = m.Binary<ShiftLeftOp>(part, m.Integer(i * width));
    sum = i == 0 ? moved : m.Or(sum, moved);
  }
  shape.pop_back();
  if (bytes == 1) shape.pop_back();
  return ReshapeOp::create(builder, location, type.clone(shape), sum);
}

// The other way round: bytes [..] as narrow bits [.., 8 / width].
Value Unpacked(mlir::OpBuilder& builder, Operation* op, Value bytes, int64_t width) {
  const auto type = llvm::cast<RankedTensorType>(bytes.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.push_back(8 / width);
  llvm::SmallVector<int64_t> dims(type.getRank());
  for (int64_t i = 0; i < type.getRank(); ++i) dims[i] = i;
  MathBuilder m(builder, op->getLoc(), type.clone(shape));
  const Value spread =
      BroadcastInDimOp::create(builder, op->getLoc(), m.type(), bytes, builder.getDenseI64ArrayAttr(dims));
  const Value places = IotaOp::create(builder, op->getLoc(), m.type(), builder.getI64IntegerAttr(type.getRank()));
  const Value moved = m.Binary<ShiftRightLogicalOp>(spread, m.Mul(places, m.Integer(width)));
  return m.And(moved, m.Integer((1U << width) - 1));
}

Value BitcastTo(mlir::OpBuilder& builder, Operation* op, Value x, RankedTensorType type) {
  if (x.getType() == type) return x;
  return BitcastConvertOp::create(builder, op->getLoc(), type, x);
}

// ---- Operations.

class Expander {
 public:
  Expander(mlir::ModuleOp module, llvm::StringRef entry) : module_(module), entry_(entry), builder_(module) {}

  LogicalResult Run() {
    bool any = false;
    llvm::SmallVector<Operation*> ops;
    module_.walk([&](Operation* op) {
      for (mlir::Region& region : op->getRegions()) any |= llvm::any_of(region.getArgumentTypes(), HoldsNarrow);
      if (llvm::any_of(op->getOperandTypes(), HoldsNarrow) || llvm::any_of(op->getResultTypes(), HoldsNarrow)) {
        ops.push_back(op);
      }
    });
    any |= !ops.empty();
    if (!any) return success();
    // Types are still the narrow ones where operations look at them; carriers come last.
    if (failed(ExpandSignature())) return failure();
    for (Operation* op : ops) {
      if (failed(Expand(op))) return failure();
    }
    RetypeValues(module_, Carrier);
    Finish();
    return success();
  }

 private:
  LogicalResult Expand(Operation* op) {
    builder_.setInsertionPointAfter(op);
    if (llvm::isa<ReducePrecisionOp>(op) && IsNarrowFloat(ElementOf(op->getOperand(0).getType()))) {
      return op->emitOpError() << "of " << op->getOperand(0).getType() << " is not implemented";
    }
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) return ExpandConstant(constant);
    if (auto bitcast = llvm::dyn_cast<BitcastConvertOp>(op)) return ExpandBitcast(bitcast);
    if (auto convert = llvm::dyn_cast<ConvertOp>(op)) return ExpandConvert(convert);
    if (llvm::isa<ShiftRightLogicalOp, PopulationCountOp, ClzOp>(op)) MaskOperand(op);
    if (llvm::isa<ShiftRightArithmeticOp>(op)) ExtendOperand(op);
    if (!Computes(op)) return success();
    for (Value result : op->getResults()) {
      if (!HoldsNarrow(result.getType())) continue;
      const llvm::SmallVector<mlir::OpOperand*> uses = UsesOf(result);
      const Type narrow = result.getType();
      MathBuilder m = BuilderFor(builder_, op, narrow);
      result.setType(m.type());
      Value value = result;
      if (llvm::isa<ClzOp>(op)) value = m.Sub(value, m.Integer(8 - ElementOf(narrow).getIntOrFloatBitWidth()));
      Replace(uses, Labelled(Narrowed(m, value, ElementOf(narrow)), narrow));
    }
    return success();
  }

  // What can give numbers that the narrow type does not have.
  static bool Computes(Operation* op) {
    if (op->getNumRegions() > 0) return false;
    if (llvm::isa<DotGeneralOp, DotOp, EinsumOp, ConvolutionOp, DynamicConvOp, BatchNormInferenceOp,
                  BatchNormTrainingOp, BatchNormGradOp, IotaOp, DynamicIotaOp, RngOp, RngBitGeneratorOp>(op)) {
      return true;
    }
    if (llvm::isa<ReverseOp, MaxOp, MinOp, SelectOp, ClampOp, CompareOp>(op)) return false;
    return op->hasTrait<ElementwiseShape>();
  }

  static llvm::SmallVector<mlir::OpOperand*> UsesOf(Value value) {
    llvm::SmallVector<mlir::OpOperand*> uses;
    for (mlir::OpOperand& use : value.getUses()) uses.push_back(&use);
    return uses;
  }

  static void Replace(llvm::ArrayRef<mlir::OpOperand*> uses, Value value) {
    for (mlir::OpOperand* use : uses) use->set(value);
  }

  // Operations that look at the bits above those of the narrow type.
  void MaskOperand(Operation* op) {
    const auto type = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
    if (!IsNarrowInteger(type.getElementType())) return;
    builder_.setInsertionPoint(op);
    MathBuilder m = BuilderFor(builder_, op, type);
    op->setOperand(0, m.And(op->getOperand(0), m.Integer((1U << type.getElementTypeBitWidth()) - 1)));
    builder_.setInsertionPointAfter(op);
  }

  // Arithmetic shifts repeat the highest bit, of unsigned numbers too.
  void ExtendOperand(Operation* op) {
    const auto type = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
    if (!IsNarrowInteger(type.getElementType()) || !type.getElementType().isUnsignedInteger()) return;
    builder_.setInsertionPoint(op);
    MathBuilder m = BuilderFor(builder_, op, type);
    const Value unused = m.Integer(8 - type.getElementTypeBitWidth());
    const Value high = m.Binary<ShiftLeftOp>(op->getOperand(0), unused);
    op->setOperand(0, m.Binary<ShiftRightArithmeticOp>(high, unused));
    builder_.setInsertionPointAfter(op);
  }

  LogicalResult ExpandConstant(ConstantOp op) {
    const auto value = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
    if (!value) return op.emitOpError() << "holds narrow elements in another form than a dense one";
    const Type element = value.getElementType();
    const Type carrier = Carrier(element);
    mlir::DenseElementsAttr wide;
    if (IsNarrowInteger(element)) {
      const bool is_unsigned = element.isUnsignedInteger();
      wide =
          value.mapValues(carrier, [&](const llvm::APInt& bits) { return is_unsigned ? bits.zext(8) : bits.sext(8); });
    } else {
      wide = value.mapValues(
          carrier, [](const llvm::APFloat& number) { return llvm::APFloat(number.convertToFloat()).bitcastToAPInt(); });
    }
    op.setValueAttr(wide);
    return success();
  }

  LogicalResult ExpandConvert(ConvertOp op) {
    const Type from = ElementOf(op.getOperand().getType());
    const Type to = ElementOf(op.getType());
    if (!IsNarrow(to)) return success();
    const llvm::SmallVector<mlir::OpOperand*> uses = UsesOf(op.getResult());
    const Type narrow = op.getType();
    MathBuilder m = BuilderFor(builder_, op, narrow);
    if (auto integer = llvm::dyn_cast<mlir::IntegerType>(to)) {
      op.getResult().setType(m.type());
      const bool saturates = llvm::isa<mlir::FloatType, mlir::ComplexType>(from);
      const Value value = saturates ? Saturated(m, op.getResult(), integer) : Wrapped(m, op.getResult(), integer);
      Replace(uses, Labelled(value, narrow));
      return success();
    }
    // What f32 does not hold is rounded once, from f64.
    MathBuilder exact = HeldByF32(from) ? m : m.WithElement(builder_.getF64Type());
    op.getResult().setType(exact.type());
    const Value rounded = RoundNarrow(exact, op.getResult(), llvm::cast<mlir::FloatType>(to));
    Replace(uses, Labelled(m.ConvertTo(rounded), narrow));
    return success();
  }

  static bool HeldByF32(Type element) {
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) element = complex.getElementType();
    return !element.isF64() && !(element.isIntOrIndex() && element.getIntOrFloatBitWidth() > 16);
  }

  // Through bytes: those of the operand, which are those of the result.
  LogicalResult ExpandBitcast(BitcastConvertOp op) {
    builder_.setInsertionPoint(op);
    const RankedTensorType from = op.getOperand().getType();
    const RankedTensorType to = op.getResult().getType();
    const auto from_width = static_cast<int64_t>(from.getElementTypeBitWidth());
    const auto to_width = static_cast<int64_t>(to.getElementTypeBitWidth());
    Value bits = op.getOperand();
    if (HoldsNarrow(from)) bits = BitsOf(builder_, op, bits, from);
    if (from_width != to_width) {
      if (8 % std::min(from_width, to_width) != 0) return op.emitOpError() << "is not implemented";
      if (from_width < 8) {
        bits = Packed(builder_, op, bits, from_width);
      } else if (to_width < 8) {
        llvm::SmallVector<int64_t> shape(from.getShape());
        if (from_width > 8) shape.push_back(from_width / 8);
        bits = BitcastTo(builder_, op, bits, RankedTensorType::get(shape, ByteType(builder_)));
        bits = Unpacked(builder_, op, bits, to_width);
        bits = ReshapeOp::create(builder_, op.getLoc(), RankedTensorType::get(to.getShape(), ByteType(builder_)), bits);
      }
    }
    op.getResult().replaceAllUsesWith(HoldsNarrow(to) ? FromBits(builder_, op, bits, to)
                                                      : BitcastTo(builder_, op, bits, to));
    op.erase();
    return success();
  }

  // ---- The entry function: narrow floats are bits in memory, and of a byte only the bits of the narrow type count.

  LogicalResult ExpandSignature() {
    auto function = module_.lookupSymbol<mlir::func::FuncOp>(entry_);
    if (!function || function.isExternal()) return success();
    const mlir::StringAttr name = function.getSymNameAttr();
    if (!mlir::SymbolTable::symbolKnownUseEmpty(name, module_) &&
        (llvm::any_of(function.getArgumentTypes(), HoldsNarrow) ||
         llvm::any_of(function.getResultTypes(), HoldsNarrow))) {
      return function.emitOpError() << "takes or gives narrow elements and is called by others";
    }
    auto note = [&](Type type) { return builder_.getStringAttr(TextOf(ElementOf(type))); };
    mlir::Block& body = function.getBody().front();
    Operation* end = body.getTerminator();
    builder_.setInsertionPointToStart(&body);
    for (mlir::BlockArgument argument : body.getArguments()) {
      if (!HoldsNarrow(argument.getType())) continue;
      function.setArgAttr(argument.getArgNumber(), kNarrowElement, note(argument.getType()));
      ExpandArgument(argument, end);
    }
    builder_.setInsertionPoint(end);
    for (mlir::OpOperand& operand : end->getOpOperands()) {
      const Type type = operand.get().getType();
      if (!HoldsNarrow(type)) continue;
      function.setResultAttr(operand.getOperandNumber(), kNarrowElement, note(type));
      if (!IsNarrowFloat(ElementOf(type))) continue;
      operand.set(BitsOf(builder_, end, operand.get(), llvm::cast<RankedTensorType>(type)));
    }
    return success();
  }

  // What lies in the bits above those of the narrow type is the caller's; arguments that are results stay what they
  // are.
  void ExpandArgument(mlir::BlockArgument argument, Operation* end) {
    Operation* function = argument.getOwner()->getParentOp();
    const auto type = llvm::cast<RankedTensorType>(argument.getType());
    MathBuilder m = BuilderFor(builder_, function, type);
    llvm::SmallVector<mlir::OpOperand*> uses = UsesOf(argument);
    if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type.getElementType())) {
      llvm::erase_if(uses, [&](mlir::OpOperand* use) { return use->getOwner() == end; });
      if (uses.empty()) return;
      argument.setType(m.type());
      Replace(uses, Labelled(Wrapped(m, argument, integer), type));
      argument.setType(type);
      return;
    }
    MathBuilder bytes = m.WithElement(ByteType(builder_));
    argument.setType(llvm::cast<RankedTensorType>(bytes.type()));
    const unsigned width = type.getElementTypeBitWidth();
    const Value bits = width < 8 ? bytes.And(argument, bytes.Integer((1U << width) - 1)) : argument;
    Replace(uses, FromBits(builder_, function, bits, type));
  }

  // The function's type follows from what its body takes and gives.
  void Finish() {
    auto function = module_.lookupSymbol<mlir::func::FuncOp>(entry_);
    if (!function || function.isExternal()) return;
    mlir::Block& body = function.getBody().front();
    function.setFunctionType(
        builder_.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  }

  static std::string TextOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  mlir::ModuleOp module_;
  llvm::StringRef entry_;
  mlir::OpBuilder builder_;
};

}  // namespace

LogicalResult ExpandNarrow(mlir::ModuleOp module, std::string_view entry) {
  return Expander(module, {entry.data(), entry.size()}).Run();
}

}  // namespace treadle::stablehlo
