#include "stablehlo/chlo/scan.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "stablehlo/chlo/math_builder.h"
#include "stablehlo/dialect/shape_rules.h"

namespace treadle::chlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using mlir::Value;

// ---- Text: "(inputs) inits (inits) dimension=0 attributes {...} { body } : (operands) -> results".

ParseResult ScanOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension = 0;
  mlir::FunctionType type;
  const llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(type)) {
    return failure();
  }
  if (type.getNumResults() < inits.size())
    return parser.emitError(location) << "expected a result for each of " << inits.size() << " carries";
  const auto num_inputs = static_cast<int32_t>(inputs.size()), num_carries = static_cast<int32_t>(inits.size());
  inputs.append(inits);
  result.addTypes(type.getResults());
  result.addAttribute(getDimensionAttrName(result.name), parser.getBuilder().getI64IntegerAttr(dimension));
  auto& properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {num_inputs, num_carries};
  properties.resultSegmentSizes = {static_cast<int32_t>(type.getNumResults()) - num_carries, num_carries};
  return parser.resolveOperands(inputs, type.getInputs(), location, result.operands);
}

void ScanOp::print(OpAsmPrinter& printer) {
  printer << '(';
  printer.printOperands(getInputs());
  printer << ") inits (";
  printer.printOperands(getInits());
  printer << ") dimension=" << getDimension();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getDimensionAttrName(), getOperandSegmentSizeAttr(), getResultSegmentSizeAttr()});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

void ScanOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (mlir::BlockArgument argument : region.getArguments())
    set_name(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

// ---- Verifier.

namespace {

// Types of the slices of tensors along a dimension that all of them have.
mlir::FailureOr<llvm::SmallVector<Type>> SliceTypes(ScanOp op, llvm::StringRef what, mlir::TypeRange tensors) {
  const auto dimension = static_cast<int64_t>(op.getDimension());
  const int64_t count = op.NumSlices();
  llvm::SmallVector<Type> slices;
  for (Type type : tensors) {
    const auto tensor = llvm::cast<RankedTensorType>(type);
    if (failed(stablehlo::CheckDimension(op, "dimension", dimension, tensor.getRank())) ||
        failed(stablehlo::CheckSameSize(op, what, tensor.getDimSize(dimension), count))) {
      return failure();
    }
    llvm::SmallVector<int64_t> shape = llvm::to_vector(tensor.getShape());
    shape.erase(shape.begin() + dimension);
    slices.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  return slices;
}

}  // namespace

int64_t ScanOp::NumSlices() {
  if (getScanDimSize()) return static_cast<int64_t>(*getScanDimSize());
  for (Type type : llvm::concat<const Type>(getInputs().getTypes(), getOutputs().getTypes())) {
    const auto tensor = llvm::cast<RankedTensorType>(type);
    if (static_cast<int64_t>(getDimension()) < tensor.getRank() && !tensor.isDynamicDim(getDimension()))
      return tensor.getDimSize(getDimension());
  }
  return ShapedType::kDynamic;
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty() && getOutputs().empty()) return emitOpError() << "needs an input or an output";
  auto arguments = SliceTypes(*this, "numbers of slices of the inputs", getInputs().getTypes());
  auto results = SliceTypes(*this, "numbers of slices of the outputs", getOutputs().getTypes());
  if (failed(arguments) || failed(results)) return failure();
  llvm::append_range(*arguments, getInits().getTypes());
  llvm::append_range(*results, getCarries().getTypes());
  if (failed(stablehlo::CheckTypes(*this, "carries", getCarries().getTypes(), getInits().getTypes()))) return failure();
  return stablehlo::CheckRegion(*this, "body", getBody(), &*arguments, &*results);
}

// ---- Expansion.

namespace {

// Where the slices of a scan lie in its tensors.
class Slices {
 public:
  Slices(mlir::OpBuilder& builder, ScanOp op)
      : builder_(builder),
        location_(op.getLoc()),
        dimension_(static_cast<int64_t>(op.getDimension())),
        index_(builder, location_, RankedTensorType::get({}, builder.getI64Type())) {}

  MathBuilder& index() { return index_; }

  Value Get(Value tensor, Value at) {
    const auto type = llvm::cast<RankedTensorType>(tensor.getType());
    llvm::SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    shape[dimension_] = 1;
    const Value slice = stablehlo::DynamicSliceOp::create(
        builder_, location_, RankedTensorType::get(shape, type.getElementType()), tensor, Place(type, at), shape);
    shape.erase(shape.begin() + dimension_);
    return stablehlo::ReshapeOp::create(builder_, location_, RankedTensorType::get(shape, type.getElementType()),
                                        slice);
  }

  Value Set(Value tensor, Value slice, Value at) {
    const auto type = llvm::cast<RankedTensorType>(tensor.getType());
    llvm::SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    shape[dimension_] = 1;
    const Value update =
        stablehlo::ReshapeOp::create(builder_, location_, RankedTensorType::get(shape, type.getElementType()), slice);
    return stablehlo::DynamicUpdateSliceOp::create(builder_, location_, type, tensor, update, Place(type, at));
  }

  // A tensor of zeros, of any element type.
  Value Zeros(RankedTensorType type) {
    if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(type.getElementType())) {
      const auto storage = llvm::cast<mlir::IntegerType>(quantized.getStorageType());
      const auto bits =
          mlir::DenseElementsAttr::get(WithElementType(type, storage), mlir::IntegerAttr::get(storage, 0));
      return stablehlo::ConstantOp::create(builder_, location_, type, bits);
    }
    return MathBuilder(builder_, location_, type).Constant(0);
  }

 private:
  llvm::SmallVector<Value> Place(RankedTensorType type, Value at) {
    llvm::SmallVector<Value> place(type.getRank(), index_.Integer(0));
    place[dimension_] = at;
    return place;
  }

  mlir::OpBuilder& builder_;
  const mlir::Location location_;
  const int64_t dimension_;
  MathBuilder index_;
};

mlir::Block* AddBlock(mlir::OpBuilder& builder, mlir::Region& region, mlir::ValueRange carried) {
  const llvm::SmallVector<mlir::Location> locations(carried.size(), region.getLoc());
  return builder.createBlock(&region, {}, carried.getTypes(), locations);
}

// The next values of what the loop carries: its index, the carries, the outputs.
llvm::SmallVector<Value> Step(mlir::OpBuilder& builder, ScanOp op, Slices& slices, mlir::ValueRange carried) {
  MathBuilder& index = slices.index();
  const size_t num_carries = op.getInits().size();
  const Value i = carried.front();
  const Value at = op.getIsReverse() ? index.Sub(index.Integer(op.NumSlices() - 1), i) : i;
  llvm::SmallVector<Value> arguments;
  for (Value input : op.getInputs()) arguments.push_back(slices.Get(input, at));
  llvm::append_range(arguments, carried.slice(1, num_carries));

  mlir::Block& body = op.getBody().front();
  for (auto [inside, value] : llvm::zip(body.getArguments(), arguments)) inside.replaceAllUsesWith(value);
  const llvm::SmallVector<Value> returned = llvm::to_vector(body.getTerminator()->getOperands());
  body.getTerminator()->erase();
  builder.getBlock()->getOperations().splice(builder.getInsertionPoint(), body.getOperations());

  llvm::SmallVector<Value> next = {index.Add(i, index.Integer(1))};
  const size_t num_outputs = returned.size() - num_carries;
  next.append(returned.begin() + num_outputs, returned.end());
  for (size_t output = 0; output < num_outputs; ++output)
    next.push_back(slices.Set(carried[1 + num_carries + output], returned[output], at));
  return next;
}

}  // namespace

llvm::SmallVector<Value> ExpandScan(mlir::OpBuilder& builder, ScanOp op) {
  Slices slices(builder, op);
  const size_t num_carries = op.getInits().size();
  llvm::SmallVector<Value> outputs;
  for (Type type : op.getOutputs().getTypes()) outputs.push_back(slices.Zeros(llvm::cast<RankedTensorType>(type)));
  llvm::SmallVector<Value> results = outputs;
  llvm::append_range(results, op.getInits());
  if (op.NumSlices() == 0) return results;  // of no slices none can be cut

  llvm::SmallVector<Value> carried = {slices.index().Integer(0)};
  llvm::append_range(carried, op.getInits());
  llvm::append_range(carried, outputs);
  auto loop = stablehlo::WhileOp::create(builder, op.getLoc(), mlir::ValueRange(carried).getTypes(), carried);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block* cond = AddBlock(builder, loop.getCond(), carried);
  MathBuilder& index = slices.index();
  stablehlo::ReturnOp::create(builder, op.getLoc(), index.Less(cond->getArgument(0), index.Integer(op.NumSlices())));
  mlir::Block* body = AddBlock(builder, loop.getBody(), carried);
  stablehlo::ReturnOp::create(builder, op.getLoc(), Step(builder, op, slices, body->getArguments()));

  const mlir::ValueRange last = loop.getResults();
  results = llvm::to_vector(last.drop_front(1 + num_carries));
  llvm::append_range(results, last.slice(1, num_carries));
  return results;
}

}  // namespace treadle::chlo
