#include "stablehlo/artifact/op_attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/dialect/attributes.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::ArrayAttr;
using ::mlir::Attribute;
using ::mlir::DenseElementsAttr;
using ::mlir::failed;
using ::mlir::failure;
using ::mlir::IntegerAttr;
using ::mlir::LogicalResult;
using ::mlir::StringAttr;
using ::mlir::success;

bool IsInteger(Attribute value, int64_t number) {
  const auto integer = mlir::dyn_cast<IntegerAttr>(value);
  return integer && integer.getValue().getBitWidth() <= 64 && integer.getValue().getSExtValue() == number;
}

// A constant whose elements are all `number` (an empty one too).
bool IsAll(Attribute value, int64_t number) {
  const auto tensor = mlir::dyn_cast<DenseElementsAttr>(value);
  if (!tensor || !tensor.getElementType().isSignlessInteger()) return false;
  if (tensor.getNumElements() == 0) return true;
  return tensor.isSplat() && tensor.getSplatValue<mlir::APInt>() == static_cast<uint64_t>(number);
}

// Turns the attributes of one operation.
class Converter {
 public:
  Converter(const OpRule& rule, ArrayRef<Attribute> values, mlir::Location location, mlir::NamedAttrList& result)
      : rule_(rule), values_(values), location_(location), result_(result) {}

  LogicalResult Run() {
    for (const auto [row, value] : llvm::zip_equal(rule_.attributes, values_)) {
      if (failed(ConvertRow(row, value))) return failure();
    }
    switch (rule_.bundle) {
      case Bundle::kNone:
        return success();
      case Bundle::kDot:
        return BundleDot();
      case Bundle::kConvolution:
        return BundleConvolution();
      case Bundle::kGather:
        return BundleGather();
      case Bundle::kScatter:
        return BundleScatter();
      case Bundle::kTransfer:
        return BundleTransfer();
      case Bundle::kLayouts:
        return BundleLayouts();
    }
    return failure();
  }

 private:
  mlir::MLIRContext* context() const { return location_.getContext(); }

  LogicalResult Bad(StringRef name, StringRef expected) {
    return mlir::emitError(location_) << "operation 'vhlo." << rule_.name << "' needs " << expected
                                      << " as its attribute '" << name << "'";
  }

  LogicalResult Add(StringRef name, Attribute value) {
    result_.append(name, value);
    return success();
  }

  LogicalResult ConvertRow(const AttributeRow& row, Attribute value) {
    const StringRef name = row.name;
    switch (row.rule) {
      case AttributeRule::kKeep:
        return Add(name, value);
      case AttributeRule::kDropFalse:
      case AttributeRule::kDropZero:
      case AttributeRule::kDropEmptyText:
      case AttributeRule::kDropEmptyArray:
      case AttributeRule::kDropEmptyDictionary:
      case AttributeRule::kDropEmptyTensor:
      case AttributeRule::kDropNoType:
      case AttributeRule::kDropDefaultPrecisions:
      case AttributeRule::kDropDefaultAccuracy:
        return IsDefault(value) ? success() : Add(name, value);
      case AttributeRule::kDropMinusOne:
        return IsInteger(value, -1) ? success() : Add(name, value);
      case AttributeRule::kDropOriginal:
        return IsInteger(value, 1) ? success() : Add(name, value);
      case AttributeRule::kUnit:
        return IsDefault(value) ? success() : Add(name, mlir::UnitAttr::get(context()));
      case AttributeRule::kList:
        return AddList(name, value);
      case AttributeRule::kDropEmptyList:
        return IsDefault(value) ? success() : AddList(name, value);
      case AttributeRule::kDropOnes:
        return IsAll(value, 1) ? success() : AddList(name, value);
      case AttributeRule::kDropFalses:
        return IsAll(value, 0) ? success() : AddList(name, value);
      case AttributeRule::kDropZeros:
        return IsAll(value, 0) ? success() : Add(name, value);
      case AttributeRule::kSymbol:
        return AddSymbol(name, value);
      case AttributeRule::kSymbols:
        return AddSymbols(name, value);
      case AttributeRule::kChannel:
        if (IsDefault(value)) return success();
        return AddChannel(value, 0);
      case AttributeRule::kIgnore:
      case AttributeRule::kPart:
        return success();
    }
    return failure();
  }

  LogicalResult AddList(StringRef name, Attribute value) {
    const auto tensor = mlir::dyn_cast<DenseElementsAttr>(value);
    if (!tensor || tensor.getType().getRank() != 1) return Bad(name, "a list of numbers");
    if (tensor.getElementType().isInteger(1)) {
      return Add(name, mlir::DenseBoolArrayAttr::get(context(), llvm::to_vector(tensor.getValues<bool>())));
    }
    if (!tensor.getElementType().isInteger(64)) return Bad(name, "a list of 64-bit numbers");
    return Add(name, mlir::DenseI64ArrayAttr::get(context(), llvm::to_vector(tensor.getValues<int64_t>())));
  }

  LogicalResult AddSymbol(StringRef name, Attribute value) {
    const auto text = mlir::dyn_cast<StringAttr>(value);
    if (!text || text.empty()) return Bad(name, "the name of a function");
    return Add(name, mlir::FlatSymbolRefAttr::get(text));
  }

  LogicalResult AddSymbols(StringRef name, Attribute value) {
    const auto array = mlir::dyn_cast<ArrayAttr>(value);
    if (!array) return Bad(name, "a list of functions");
    if (array.empty()) return success();
    SmallVector<Attribute> symbols;
    for (const Attribute element : array) {
      const auto text = mlir::dyn_cast<StringAttr>(element);
      if (!text || text.empty()) return Bad(name, "a list of names of functions");
      symbols.push_back(mlir::FlatSymbolRefAttr::get(text));
    }
    return Add(name, ArrayAttr::get(context(), symbols));
  }

  LogicalResult AddChannel(Attribute id, int64_t type) {
    const auto number = mlir::dyn_cast<IntegerAttr>(id);
    if (!number || !number.getType().isInteger(64)) return Bad("channel_id", "a 64-bit number");
    return Add("channel_handle", ChannelHandleAttr::get(context(), number.getInt(), type));
  }

  // Parts of a bundle, by name. The first one that is not what it should be is remembered.
  Attribute Find(StringRef name) const {
    for (const auto [row, value] : llvm::zip_equal(rule_.attributes, values_)) {
      if (StringRef(row.name) == name) return value;
    }
    return {};
  }

  // Older versions do not have every list: then it is empty.
  SmallVector<int64_t> List(StringRef name) {
    const Attribute value = Find(name);
    if (!value) return {};
    const auto tensor = mlir::dyn_cast<DenseElementsAttr>(value);
    if (!tensor || !tensor.getElementType().isInteger(64)) {
      bad_part_ = name;
      return {};
    }
    return llvm::to_vector(tensor.getValues<int64_t>());
  }

  int64_t Number(StringRef name) {
    const auto value = mlir::dyn_cast_or_null<IntegerAttr>(Find(name));
    if (value && value.getValue().getBitWidth() <= 64) return value.getValue().getSExtValue();
    bad_part_ = name;
    return 0;
  }

  mlir::Type TypeOf(StringRef name) {
    const auto value = mlir::dyn_cast_or_null<mlir::TypeAttr>(Find(name));
    if (value) return value.getValue();
    bad_part_ = name;
    return {};
  }

  LogicalResult AddBundle(StringRef name, Attribute value) {
    if (!bad_part_.empty()) return Bad(bad_part_, "a number, type or list of 64-bit numbers");
    return Add(name, value);
  }

  LogicalResult BundleDot() {
    const auto numbers =
        DotDimensionNumbersAttr::get(context(), List("lhs_batching_dimensions"), List("rhs_batching_dimensions"),
                                     List("lhs_contracting_dimensions"), List("rhs_contracting_dimensions"));
    if (failed(AddBundle("dot_dimension_numbers", numbers))) return failure();
    // An algorithm is given by all seven of its parts, or by none as the type.
    if (!Find("lhs_precision_type")) return success();
    const mlir::Type lhs = TypeOf("lhs_precision_type");
    const mlir::Type rhs = TypeOf("rhs_precision_type");
    const mlir::Type accumulation = TypeOf("accumulation_type");
    if (lhs && rhs && accumulation && mlir::isa<mlir::NoneType>(lhs) && mlir::isa<mlir::NoneType>(rhs) &&
        mlir::isa<mlir::NoneType>(accumulation)) {
      return success();
    }
    const int64_t lhs_count = Number("lhs_component_count");
    const int64_t rhs_count = Number("rhs_component_count");
    const int64_t operations = Number("num_primitive_operations");
    const bool imprecise = Number("allow_imprecise_accumulation") != 0;
    if (!bad_part_.empty()) return Bad(bad_part_, "a number or type");
    return Add("algorithm",
               DotAlgorithmAttr::get(context(), lhs, rhs, accumulation, lhs_count, rhs_count, operations, imprecise));
  }

  LogicalResult BundleConvolution() {
    return AddBundle(
        "dimension_numbers",
        ConvDimensionNumbersAttr::get(context(), Number("input_batch_dimension"), Number("input_feature_dimension"),
                                      List("input_spatial_dimensions"), Number("kernel_input_feature_dimension"),
                                      Number("kernel_output_feature_dimension"), List("kernel_spatial_dimensions"),
                                      Number("output_batch_dimension"), Number("output_feature_dimension"),
                                      List("output_spatial_dimensions")));
  }

  LogicalResult BundleGather() {
    return AddBundle("dimension_numbers",
                     GatherDimensionNumbersAttr::get(context(), List("offset_dims"), List("collapsed_slice_dims"),
                                                     List("operand_batching_dims"), List("start_indices_batching_dims"),
                                                     List("start_index_map"), Number("index_vector_dim")));
  }

  LogicalResult BundleScatter() {
    return AddBundle(
        "scatter_dimension_numbers",
        ScatterDimensionNumbersAttr::get(context(), List("update_window_dims"), List("inserted_window_dims"),
                                         List("input_batching_dims"), List("scatter_indices_batching_dims"),
                                         List("scatter_dims_to_operand_dims"), Number("index_vector_dim")));
  }

  LogicalResult BundleTransfer() {
    const int64_t type = Number("channel_type");
    if (!bad_part_.empty()) return Bad(bad_part_, "a number");
    return AddChannel(Find("channel_id"), type);
  }

  // The layouts of operands and results are given together or not at all: an empty list may mean no operands.
  LogicalResult BundleLayouts() {
    const Attribute operands = Find("operand_layouts");
    const Attribute results = Find("result_layouts");
    if (IsDefault(operands) && IsDefault(results)) return success();
    return mlir::success(succeeded(Add("operand_layouts", operands)) && succeeded(Add("result_layouts", results)));
  }

  const OpRule& rule_;
  ArrayRef<Attribute> values_;
  mlir::Location location_;
  mlir::NamedAttrList& result_;
  StringRef bad_part_;
};

}  // namespace

bool IsDefault(Attribute value) {
  if (const auto number = mlir::dyn_cast<IntegerAttr>(value)) return number.getValue().isZero();
  if (const auto text = mlir::dyn_cast<StringAttr>(value)) return text.empty();
  if (const auto array = mlir::dyn_cast<ArrayAttr>(value)) {  // empty, or all precisions DEFAULT
    return llvm::all_of(array, [](Attribute element) {
      const auto precision = mlir::dyn_cast<PrecisionAttr>(element);
      return precision && precision.getValue() == Precision::DEFAULT;
    });
  }
  if (const auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(value)) return dictionary.empty();
  if (const auto tensor = mlir::dyn_cast<DenseElementsAttr>(value)) return tensor.getNumElements() == 0;
  if (const auto type = mlir::dyn_cast<mlir::TypeAttr>(value)) return mlir::isa<mlir::NoneType>(type.getValue());
  if (const auto type = mlir::dyn_cast<ComparisonTypeAttr>(value)) return type.getValue() == ComparisonType::NOTYPE;
  if (const auto accuracy = mlir::dyn_cast<ResultAccuracyAttr>(value)) {
    return accuracy.getMode().getValue() == ResultAccuracyMode::DEFAULT && accuracy.getAtol().isZero() &&
           accuracy.getRtol().isZero() && accuracy.getUlps() == 0;
  }
  return false;
}

LogicalResult ConvertOpAttributes(const OpRule& rule, ArrayRef<Attribute> values, mlir::Location location,
                                  mlir::NamedAttrList& result) {
  return Converter(rule, values, location, result).Run();
}

}  // namespace treadle::stablehlo
