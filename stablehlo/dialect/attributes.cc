#include "stablehlo/dialect/attributes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "stablehlo/dialect/attribute_syntax.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/dialect/enums.cc.inc"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/dialect/attributes.cc.inc"

namespace treadle::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::Type;

FailureOr<llvm::SmallVector<int64_t>> ParseI64List(AsmParser& parser) {
  llvm::SmallVector<int64_t> values;
  auto parse_one = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_one)) return mlir::failure();
  return values;
}

void PrintI64List(AsmPrinter& printer, llvm::ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

FailureOr<bool> ParseBool(AsmParser& parser) {
  if (succeeded(parser.parseOptionalKeyword("true"))) return true;
  if (parser.parseKeyword("false", ": expected 'true' or 'false'")) return mlir::failure();
  return false;
}

FailureOr<llvm::APFloat> ParseF64(AsmParser& parser) {
  double value = 0;
  if (parser.parseFloat(value)) return mlir::failure();
  return llvm::APFloat(value);
}

namespace {

// One operand or result of a convolution: "[b, 0, 1, f]", each name once, spaces 0 .. n-1 once each.
struct ConvLayout {
  int64_t batch = -1;    // or the kernel's input feature
  int64_t feature = -1;  // or the kernel's output feature
  llvm::SmallVector<int64_t> spaces;
};

// Puts the dimension `at` into the slot that the text names. Fails on a name given twice or unknown.
LogicalResult ParseConvDimension(AsmParser& parser, llvm::StringRef batch, llvm::StringRef feature, int64_t at,
                                 ConvLayout* layout, llvm::SmallVector<std::pair<int64_t, int64_t>>* spaces) {
  int64_t space = 0;
  const llvm::SMLoc location = parser.getCurrentLocation();
  if (mlir::OptionalParseResult number = parser.parseOptionalInteger(space); number.has_value()) {
    if (failed(*number)) return mlir::failure();
    spaces->push_back({space, at});
    return mlir::success();
  }
  if (succeeded(parser.parseOptionalQuestion())) return mlir::success();  // a dimension without meaning
  llvm::StringRef name;
  if (parser.parseKeyword(&name)) return mlir::failure();
  int64_t* slot = name == batch ? &layout->batch : name == feature ? &layout->feature : nullptr;
  if (slot == nullptr) {
    return parser.emitError(location) << "expected '" << batch << "', '" << feature << "' or a number, got '" << name
                                      << "'";
  }
  if (*slot >= 0) return parser.emitError(location) << "dimension '" << name << "' is named twice";
  *slot = at;
  return mlir::success();
}

FailureOr<ConvLayout> ParseConvLayout(AsmParser& parser, llvm::StringRef batch, llvm::StringRef feature) {
  ConvLayout layout;
  llvm::SmallVector<std::pair<int64_t, int64_t>> spaces;  // number, dimension
  int64_t at = 0;
  const llvm::SMLoc location = parser.getCurrentLocation();
  auto parse_one = [&] { return ParseConvDimension(parser, batch, feature, at++, &layout, &spaces); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_one)) return mlir::failure();
  llvm::sort(spaces);
  for (auto [index, space] : llvm::enumerate(spaces)) {
    if (space.first != static_cast<int64_t>(index)) {
      return parser.emitError(location) << "spatial dimensions must be numbered from 0 without gaps", mlir::failure();
    }
    layout.spaces.push_back(space.second);
  }
  if (layout.batch < 0 || layout.feature < 0) {
    return parser.emitError(location) << "expected the dimensions '" << batch << "' and '" << feature << "'",
           mlir::failure();
  }
  return layout;
}

void PrintConvLayout(AsmPrinter& printer, llvm::StringRef batch_name, int64_t batch, llvm::StringRef feature_name,
                     int64_t feature, llvm::ArrayRef<int64_t> spaces) {
  printer << '[';
  const int64_t rank = static_cast<int64_t>(spaces.size()) + 2;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    if (dimension > 0) printer << ", ";
    if (dimension == batch) {
      printer << batch_name;
    } else if (dimension == feature) {
      printer << feature_name;
    } else if (const auto* space = llvm::find(spaces, dimension); space != spaces.end()) {
      printer << (space - spaces.begin());
    } else {
      printer << '?';
    }
  }
  printer << ']';
}

FailureOr<llvm::SmallVector<int64_t>> ParseBounds(AsmParser& parser, AsmParser::Delimiter delimiter) {
  llvm::SmallVector<int64_t> bounds;
  auto parse_one = [&]() -> mlir::ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) return bounds.push_back(mlir::ShapedType::kDynamic), mlir::success();
    return parser.parseInteger(bounds.emplace_back());
  };
  if (parser.parseCommaSeparatedList(delimiter, parse_one)) return mlir::failure();
  return bounds;
}

// The older spelling of bounds: type_extensions<bounds = [4, ?]>.
Attribute ParseTypeExtensions(AsmParser& parser) {
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual()) return {};
  auto bounds = ParseBounds(parser, AsmParser::Delimiter::Square);
  if (failed(bounds) || parser.parseGreater()) return {};
  return TypeExtensionsAttr::get(parser.getContext(), *bounds);
}

FailureOr<MeshAxisAttr> ParseMeshAxis(AsmParser& parser) {
  MeshAxisAttr axis;
  if (parser.parseCustomAttributeWithFallback(axis)) return mlir::failure();
  return axis;
}

}  // namespace

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  if (parser.parseLess()) return {};
  auto numbers = ParseBody(parser);
  if (!numbers || parser.parseGreater()) return {};
  return numbers;
}

ConvDimensionNumbersAttr ConvDimensionNumbersAttr::ParseBody(AsmParser& parser) {
  auto input = ParseConvLayout(parser, "b", "f");
  if (failed(input) || parser.parseKeyword("x")) return {};
  auto kernel = ParseConvLayout(parser, "i", "o");
  if (failed(kernel) || parser.parseArrow()) return {};
  auto output = ParseConvLayout(parser, "b", "f");
  if (failed(output)) return {};
  return get(parser.getContext(), input->batch, input->feature, input->spaces, kernel->batch, kernel->feature,
             kernel->spaces, output->batch, output->feature, output->spaces);
}

void ConvDimensionNumbersAttr::PrintBody(AsmPrinter& printer) const {
  PrintConvLayout(printer, "b", getInputBatchDimension(), "f", getInputFeatureDimension(), getInputSpatialDimensions());
  printer << 'x';
  PrintConvLayout(printer, "i", getKernelInputFeatureDimension(), "o", getKernelOutputFeatureDimension(),
                  getKernelSpatialDimensions());
  printer << "->";
  PrintConvLayout(printer, "b", getOutputBatchDimension(), "f", getOutputFeatureDimension(),
                  getOutputSpatialDimensions());
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  PrintBody(printer);
  printer << '>';
}

Attribute TypeExtensionsAttr::parse(AsmParser& parser, Type) {
  auto bounds = ParseBounds(parser, AsmParser::Delimiter::LessGreater);
  if (failed(bounds)) return {};
  return get(parser.getContext(), *bounds);
}

void TypeExtensionsAttr::print(AsmPrinter& printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (mlir::ShapedType::isDynamic(bound)) {
      printer << '?';
    } else {
      printer << bound;
    }
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(llvm::ArrayRef<int64_t> shape, Type,
                                                 llvm::function_ref<mlir::InFlightDiagnostic()> emit_error) const {
  if (getBounds().size() != shape.size()) {
    return emit_error() << getBounds().size() << " bounds for a tensor of rank " << shape.size();
  }
  for (auto [size, bound] : llvm::zip(shape, getBounds())) {
    if (mlir::ShapedType::isDynamic(bound)) continue;
    if (bound < 0) return emit_error() << "bound " << bound << " is negative";
    if (!mlir::ShapedType::isDynamic(size)) return emit_error() << "a dimension of known size has a bound";
  }
  return mlir::success();
}

Attribute MeshAttr::parse(AsmParser& parser, Type) {
  llvm::SmallVector<Attribute> axes;
  auto parse_axis = [&]() -> mlir::ParseResult {
    auto axis = ParseMeshAxis(parser);
    if (failed(axis)) return mlir::failure();
    axes.push_back(*axis);
    return mlir::success();
  };
  if (parser.parseLess() || parser.parseKeyword("axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_axis)) {
    return {};
  }
  mlir::DenseIntElementsAttr device_ids;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() || parser.parseAttribute(device_ids))) {
    return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), mlir::ArrayAttr::get(parser.getContext(), axes), device_ids);
}

void MeshAttr::print(AsmPrinter& printer) const {
  printer << "<axes = ";
  printer.printAttribute(getAxes());
  if (getDeviceIds()) {
    printer << ", device_ids = ";
    printer.printAttribute(getDeviceIds());
  }
  printer << '>';
}

void StablehloDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "stablehlo/dialect/attributes.cc.inc"
      >();
}

Attribute StablehloDialect::parseAttribute(mlir::DialectAsmParser& parser, Type type) const {
  const llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value()) return attribute;
  if (mnemonic == "type_extensions") return ParseTypeExtensions(parser);
  parser.emitError(location) << "unknown attribute 'stablehlo." << mnemonic << "'";
  return {};
}

void StablehloDialect::printAttribute(Attribute attribute, mlir::DialectAsmPrinter& printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

}  // namespace treadle::stablehlo
