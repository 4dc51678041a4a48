#include "stablehlo/artifact/op_values.h"

#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "stablehlo/artifact/op_attributes.h"
#include "stablehlo/dialect/attributes.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/dialect/types.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::Operation;
using ::mlir::Type;

std::string_view View(StringRef text) { return {text.data(), text.size()}; }
StringRef Ref(std::string_view text) { return {text.data(), text.size()}; }

// How a bundle is called in StableHLO.
ArrayRef<StringRef> NamesOf(Bundle bundle) {
  static constexpr StringRef kDot[] = {"dot_dimension_numbers", "algorithm"};
  static constexpr StringRef kDimensionNumbers[] = {"dimension_numbers"};
  static constexpr StringRef kScatter[] = {"scatter_dimension_numbers"};
  static constexpr StringRef kTransfer[] = {"channel_handle"};
  static constexpr StringRef kLayouts[] = {"operand_layouts", "result_layouts"};
  switch (bundle) {
    case Bundle::kNone:
      return {};
    case Bundle::kDot:
      return kDot;
    case Bundle::kConvolution:
    case Bundle::kGather:
      return kDimensionNumbers;
    case Bundle::kScatter:
      return kScatter;
    case Bundle::kTransfer:
      return kTransfer;
    case Bundle::kLayouts:
      return kLayouts;
  }
  return {};
}

// Finds the values of one operation.
class Finder {
 public:
  Finder(Operation* op, const OpRule& rule) : op_(op), rule_(rule) { Unbundle(); }

  Attribute Find(const AttributeRow& row) {
    const StringRef name = Ref(row.name);
    if (row.rule == AttributeRule::kPart) return parts_.lookup(name);
    if (row.rule == AttributeRule::kIgnore) return Zeros();
    if (row.rule == AttributeRule::kChannel) {
      const auto channel = op_->getAttrOfType<ChannelHandleAttr>("channel_handle");
      return Number(channel ? channel.getHandle() : 0);
    }
    const Attribute given = op_->getAttr(name);
    if (row.rule == AttributeRule::kUnit) return Boolean(static_cast<bool>(given));
    return given ? given : Default(row);
  }

 private:
  mlir::MLIRContext* context() const { return op_->getContext(); }
  Attribute Boolean(bool value) const { return mlir::BoolAttr::get(context(), value); }
  Attribute Number(int64_t value) const { return mlir::IntegerAttr::get(mlir::IntegerType::get(context(), 64), value); }
  Attribute List(ArrayRef<int64_t> list) const { return mlir::DenseI64ArrayAttr::get(context(), list); }
  Attribute Array(ArrayRef<Attribute> list = {}) const { return mlir::ArrayAttr::get(context(), list); }

  // Dimensions of the window of a convolution, a reduce_window or a select_and_scatter.
  int64_t WindowRank() const {
    if (const auto numbers = op_->getAttrOfType<ConvDimensionNumbersAttr>("dimension_numbers")) {
      return static_cast<int64_t>(numbers.getInputSpatialDimensions().size());
    }
    if (const auto window = op_->getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions")) return window.size();
    const auto operand = mlir::dyn_cast<mlir::RankedTensorType>(op_->getOperand(0).getType());
    return operand ? operand.getRank() : 0;
  }

  Attribute Zeros() const {
    const auto type = mlir::RankedTensorType::get({WindowRank(), 2}, mlir::IntegerType::get(context(), 64));
    return mlir::DenseElementsAttr::get(type, int64_t{0});
  }

  // What the absence of an attribute means; null where it must be there.
  Attribute Default(const AttributeRow& row) const {
    switch (row.rule) {
      case AttributeRule::kDropFalse:
        return Boolean(false);
      case AttributeRule::kDropZero:
        return mlir::IntegerAttr::get(mlir::IntegerType::get(context(), 32), 0);
      case AttributeRule::kDropMinusOne:
        return Number(-1);
      case AttributeRule::kDropEmptyText:
        return DefaultText();
      case AttributeRule::kDropEmptyArray:
      case AttributeRule::kSymbols:
        return Array();
      case AttributeRule::kDropEmptyDictionary:
        return mlir::DictionaryAttr::get(context());
      case AttributeRule::kDropEmptyTensor:
      case AttributeRule::kDropEmptyList:
        return List({});
      case AttributeRule::kDropNoType:
        return ComparisonTypeAttr::get(context(), ComparisonType::NOTYPE);
      case AttributeRule::kDropDefaultPrecisions: {
        const Attribute precision = PrecisionAttr::get(context(), Precision::DEFAULT);
        return Array({precision, precision});
      }
      case AttributeRule::kDropDefaultAccuracy:
        return ResultAccuracyAttr::get(context(), llvm::APFloat(0.0), llvm::APFloat(0.0), 0,
                                       ResultAccuracyModeAttr::get(context(), ResultAccuracyMode::DEFAULT));
      case AttributeRule::kDropOriginal:
        return CustomCallApiVersionAttr::get(context(), CustomCallApiVersion::API_VERSION_ORIGINAL);
      case AttributeRule::kDropOnes:
        return List(SmallVector<int64_t>(WindowRank(), 1));
      case AttributeRule::kDropFalses:
        return mlir::DenseBoolArrayAttr::get(context(), SmallVector<bool>(WindowRank(), false));
      case AttributeRule::kDropZeros:
        return Zeros();
      default:
        return {};
    }
  }

  // The configuration of a custom call by the typed interface is a dictionary.
  Attribute DefaultText() const {
    const auto version = op_->getAttrOfType<mlir::IntegerAttr>("api_version");
    if (version && version.getInt() == static_cast<int64_t>(CustomCallApiVersion::API_VERSION_TYPED_FFI)) {
      return mlir::DictionaryAttr::get(context());
    }
    return mlir::StringAttr::get(context(), "");
  }

  void Unbundle() {
    switch (rule_.bundle) {
      case Bundle::kNone:
        return;
      case Bundle::kDot:
        return UnbundleDot();
      case Bundle::kConvolution:
        return UnbundleConvolution();
      case Bundle::kGather:
        return UnbundleGather();
      case Bundle::kScatter:
        return UnbundleScatter();
      case Bundle::kTransfer:
        if (const auto channel = op_->getAttrOfType<ChannelHandleAttr>("channel_handle")) {
          parts_["channel_id"] = Number(channel.getHandle());
          parts_["channel_type"] = Number(channel.getType());
        }
        return;
      case Bundle::kLayouts:
        for (const StringRef name : {"operand_layouts", "result_layouts"}) {
          const Attribute layouts = op_->getAttr(name);
          parts_[name] = layouts ? layouts : Array();
        }
        return;
    }
  }

  void UnbundleDot() {
    if (const auto numbers = op_->getAttrOfType<DotDimensionNumbersAttr>("dot_dimension_numbers")) {
      parts_["lhs_batching_dimensions"] = List(numbers.getLhsBatchingDimensions());
      parts_["rhs_batching_dimensions"] = List(numbers.getRhsBatchingDimensions());
      parts_["lhs_contracting_dimensions"] = List(numbers.getLhsContractingDimensions());
      parts_["rhs_contracting_dimensions"] = List(numbers.getRhsContractingDimensions());
    }
    const auto algorithm = op_->getAttrOfType<DotAlgorithmAttr>("algorithm");
    if (!algorithm) {
      const Attribute none = mlir::TypeAttr::get(mlir::NoneType::get(context()));
      for (const char* name : {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
                               "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"}) {
        parts_[name] = none;
      }
      return;
    }
    parts_["lhs_precision_type"] = mlir::TypeAttr::get(algorithm.getLhsPrecisionType());
    parts_["rhs_precision_type"] = mlir::TypeAttr::get(algorithm.getRhsPrecisionType());
    parts_["accumulation_type"] = mlir::TypeAttr::get(algorithm.getAccumulationType());
    parts_["lhs_component_count"] = Number(algorithm.getLhsComponentCount());
    parts_["rhs_component_count"] = Number(algorithm.getRhsComponentCount());
    parts_["num_primitive_operations"] = Number(algorithm.getNumPrimitiveOperations());
    parts_["allow_imprecise_accumulation"] = Boolean(algorithm.getAllowImpreciseAccumulation());
  }

  void UnbundleConvolution() {
    const auto numbers = op_->getAttrOfType<ConvDimensionNumbersAttr>("dimension_numbers");
    if (!numbers) return;
    parts_["input_batch_dimension"] = Number(numbers.getInputBatchDimension());
    parts_["input_feature_dimension"] = Number(numbers.getInputFeatureDimension());
    parts_["input_spatial_dimensions"] = List(numbers.getInputSpatialDimensions());
    parts_["kernel_input_feature_dimension"] = Number(numbers.getKernelInputFeatureDimension());
    parts_["kernel_output_feature_dimension"] = Number(numbers.getKernelOutputFeatureDimension());
    parts_["kernel_spatial_dimensions"] = List(numbers.getKernelSpatialDimensions());
    parts_["output_batch_dimension"] = Number(numbers.getOutputBatchDimension());
    parts_["output_feature_dimension"] = Number(numbers.getOutputFeatureDimension());
    parts_["output_spatial_dimensions"] = List(numbers.getOutputSpatialDimensions());
  }

  void UnbundleGather() {
    const auto numbers = op_->getAttrOfType<GatherDimensionNumbersAttr>("dimension_numbers");
    if (!numbers) return;
    parts_["offset_dims"] = List(numbers.getOffsetDims());
    parts_["collapsed_slice_dims"] = List(numbers.getCollapsedSliceDims());
    parts_["operand_batching_dims"] = List(numbers.getOperandBatchingDims());
    parts_["start_indices_batching_dims"] = List(numbers.getStartIndicesBatchingDims());
    parts_["start_index_map"] = List(numbers.getStartIndexMap());
    parts_["index_vector_dim"] = Number(numbers.getIndexVectorDim());
  }

  void UnbundleScatter() {
    const auto numbers = op_->getAttrOfType<ScatterDimensionNumbersAttr>("scatter_dimension_numbers");
    if (!numbers) return;
    parts_["update_window_dims"] = List(numbers.getUpdateWindowDims());
    parts_["inserted_window_dims"] = List(numbers.getInsertedWindowDims());
    parts_["input_batching_dims"] = List(numbers.getInputBatchingDims());
    parts_["scatter_indices_batching_dims"] = List(numbers.getScatterIndicesBatchingDims());
    parts_["scatter_dims_to_operand_dims"] = List(numbers.getScatterDimsToOperandDims());
    parts_["index_vector_dim"] = Number(numbers.getIndexVectorDim());
  }

  Operation* op_;
  const OpRule& rule_;
  llvm::StringMap<Attribute> parts_;
};

bool SaysNothing(Attribute value) {
  const auto list = mlir::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(value);
  return !value || IsDefault(value) || (list && list.empty());
}

Type ElementType(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

// Reductions whose results have other element types than their operands.
bool Promotes(Operation* op) {
  return llvm::any_of(llvm::zip(op->getOperands(), op->getResults()),
                      [](auto pair) { return ElementType(std::get<0>(pair)) != ElementType(std::get<1>(pair)); });
}

bool IsFloat8(Type type) { return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

// What versions brought to operations that have kept their name.
struct Feature {
  const char* what;
  ArtifactVersion since;
};

std::optional<Feature> NewestFeature(Operation* op, StringRef base) {
  if (base == "custom_call") {
    const auto is_future = [](Type type) { return mlir::isa<FutureType>(type); };
    if (llvm::any_of(op->getOperandTypes(), is_future) || llvm::any_of(op->getResultTypes(), is_future)) {
      return Feature{"a custom call with futures", {1, 17, 0}};
    }
    const auto version = op->getAttrOfType<mlir::IntegerAttr>("api_version");
    if (mlir::isa_and_nonnull<mlir::DictionaryAttr>(op->getAttr("backend_config")) ||
        (version && version.getInt() == static_cast<int64_t>(CustomCallApiVersion::API_VERSION_TYPED_FFI))) {
      return Feature{"a custom call whose configuration is a dictionary", {1, 3, 0}};
    }
  }
  const bool is_reduction = llvm::is_contained(
      {"all_reduce", "reduce", "reduce_scatter", "reduce_window", "scatter", "select_and_scatter"}, base);
  if (is_reduction && Promotes(op)) return Feature{"a reduction to another element type", {0, 17, 0}};
  if ((base == "convolution" || base == "dynamic_conv") && IsFloat8(ElementType(op->getOperand(0))) &&
      IsFloat8(ElementType(op->getOperand(1))) && ElementType(op->getOperand(0)) != ElementType(op->getOperand(1))) {
    return Feature{"a convolution of two kinds of 8-bit floats", {1, 20, 0}};
  }
  return std::nullopt;
}

// The first version of an operation of several that there is.
const OpRule* OldestRule(StringRef base) {
  const OpRule* rule = FindOpRule(View((base + "_v1").str()));
  return rule != nullptr ? rule : FindOpRule(View((base + "_v2").str()));
}

// Whether the older `rule` says all that `newest` says about the operation. Reports what it does not.
bool CanDowngrade(Operation* op, const OpRule& rule, const OpRule& newest, EntryNumbers& numbers) {
  if (rule.limit == Limit::kOneOperand && op->getNumOperands() != 1) {
    return numbers.FailAsTooNew(op, "the operation with several operands", newest.since), false;
  }
  if (rule.limit == Limit::kNoRegions && op->getNumRegions() != 0) {
    return numbers.FailAsTooNew(op, "the operation with regions", newest.since), false;
  }
  Finder finder(op, newest);
  for (const AttributeRow& row : newest.attributes) {
    if (llvm::is_contained(llvm::map_range(rule.attributes, [](const AttributeRow& r) { return r.name; }), row.name) ||
        SaysNothing(finder.Find(row))) {
      continue;
    }
    const StringRef name = newest.bundle == Bundle::kDot ? "algorithm" : Ref(row.name);
    return numbers.FailAsTooNew(op, "attribute '" + name + "'", newest.since), false;
  }
  return true;
}

}  // namespace

StringRef VhloBaseName(Operation* op) {
  StringRef name = op->getName().getStringRef();
  if (mlir::isa<mlir::func::FuncOp>(op)) return "func";
  if (mlir::isa<mlir::func::CallOp>(op)) return "call";
  if (mlir::isa<mlir::func::ReturnOp>(op)) return "return";
  return name.consume_front("stablehlo.") ? name : StringRef();
}

const OpRule* ChooseOpRule(Operation* op, EntryNumbers& numbers) {
  const StringRef base = VhloBaseName(op);
  const ArtifactVersion& target = numbers.options().target;
  const OpRule* rule = NewestOpRule(View(base), target);
  if (rule == nullptr) {
    const OpRule* oldest = OldestRule(base);
    if (oldest == nullptr) return numbers.Fail(op, "the operation has no portable form"), nullptr;
    return numbers.FailAsTooNew(op, "the operation", oldest->since), nullptr;
  }
  if (const std::optional<Feature> feature = NewestFeature(op, base); feature && feature->since > target) {
    return numbers.FailAsTooNew(op, feature->what, feature->since), nullptr;
  }
  const OpRule* newest = NewestOpRule(View(base), kNewestArtifact);
  return rule == newest || CanDowngrade(op, *rule, *newest, numbers) ? rule : nullptr;
}

OpValues GetOpValues(Operation* op, const OpRule& rule, EntryNumbers& numbers) {
  OpValues result;
  Finder finder(op, rule);
  for (const AttributeRow& row : rule.attributes) {
    result.values.push_back(finder.Find(row));
    if (!result.values.back()) numbers.Fail(op, "attribute '" + Ref(row.name) + "' is missing");
  }
  const OpRule* newest = NewestOpRule(View(VhloBaseName(op)), kNewestArtifact);
  for (const mlir::NamedAttribute attribute : op->getAttrs()) {
    const StringRef name = attribute.getName();
    const bool is_known =
        llvm::is_contained(NamesOf(rule.bundle), name) ||
        llvm::any_of(newest->attributes, [&](const AttributeRow& row) {
          return row.rule != AttributeRule::kPart &&
                 (Ref(row.name) == name || (row.rule == AttributeRule::kChannel && name == "channel_handle"));
        });
    if (!is_known) result.rest.push_back(attribute);
  }
  return result;
}

}  // namespace treadle::stablehlo
