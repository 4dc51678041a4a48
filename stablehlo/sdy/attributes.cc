// Text of the attributes of `sdy`. Each prints what Shardy prints; lists of axes and dimensions share the helpers on
// top.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "stablehlo/sdy/sdy.h"

#define GET_ATTRDEF_CLASSES
#include "stablehlo/sdy/attributes.cc.inc"

namespace treadle::sdy {
namespace {

using ::llvm::ArrayRef;
using ::llvm::SmallVector;
using ::llvm::StringRef;
using ::mlir::AsmParser;
using ::mlir::AsmPrinter;
using ::mlir::Attribute;
using ::mlir::ParseResult;
using ::mlir::Type;

// Parses a list of attributes between the delimiters, each with its own parser.
template <typename Attr>
ParseResult ParseList(AsmParser& parser, AsmParser::Delimiter delimiter, SmallVector<Attr>& list) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    auto element = mlir::dyn_cast_or_null<Attr>(Attr::parse(parser, Type()));
    if (!element) return mlir::failure();
    list.push_back(element);
    return mlir::success();
  });
}

ParseResult ParseIntegers(AsmParser& parser, AsmParser::Delimiter delimiter, SmallVector<int64_t>& list) {
  return parser.parseCommaSeparatedList(delimiter, [&] { return parser.parseInteger(list.emplace_back()); });
}

template <typename Attr>
void PrintList(AsmPrinter& printer, StringRef open, ArrayRef<Attr> list, StringRef close) {
  printer << open;
  llvm::interleaveComma(list, printer, [&](Attr element) { element.print(printer); });
  printer << close;
}

// Factors are named i, j, ..., z, z_1, z_2, ...: so many have a letter of their own.
constexpr int64_t kLetters = 'z' - 'i' + 1;

void PrintFactor(AsmPrinter& printer, int64_t factor) {
  if (factor < kLetters) {
    printer << static_cast<char>('i' + factor);
  } else {
    printer << "z_" << factor - kLetters + 1;
  }
}

// Splits a word like `ijz_1` into factors.
ParseResult ParseFactors(AsmParser& parser, SmallVector<int64_t>& factors) {
  StringRef word;
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word)) return mlir::failure();
  while (!word.empty()) {
    const char letter = word.front();
    if (letter < 'i' || letter > 'z') return parser.emitError(loc, "expected factors named i to z, z_1, ...");
    word = word.drop_front();
    int64_t factor = letter - 'i';
    if (letter == 'z' && word.consume_front("_")) {
      int64_t number;
      if (word.consumeInteger(10, number) || number < 1 || number > 1 << 20) {
        return parser.emitError(loc, "expected a number after z_");
      }
      factor = kLetters - 1 + number;
    }
    factors.push_back(factor);
  }
  return mlir::success();
}

ParseResult ParseFactorSet(AsmParser& parser, SmallVector<int64_t>& factors) {
  if (parser.parseEqual()) return mlir::failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] { return ParseFactors(parser, factors); });
}

void PrintFactorSet(AsmPrinter& printer, StringRef name, ArrayRef<int64_t> factors) {
  if (factors.empty()) return;
  printer << ' ' << name << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) { PrintFactor(printer, factor); });
  printer << '}';
}

// The factors of one dimension, without brackets.
ParseResult ParseDimension(AsmParser& parser, SmallVector<DimMappingAttr>& dimensions) {
  SmallVector<int64_t> factors;
  if (ParseFactors(parser, factors)) return mlir::failure();
  dimensions.push_back(DimMappingAttr::get(parser.getContext(), factors));
  return mlir::success();
}

ParseResult ParseTensor(AsmParser& parser, SmallVector<TensorMappingAttr>& tensors) {
  SmallVector<DimMappingAttr> dimensions;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return ParseDimension(parser, dimensions); })) {
    return mlir::failure();
  }
  tensors.push_back(TensorMappingAttr::get(parser.getContext(), dimensions));
  return mlir::success();
}

void PrintDimension(AsmPrinter& printer, DimMappingAttr dimension) {
  for (const int64_t factor : dimension.getFactorIndices()) PrintFactor(printer, factor);
}

void PrintTensor(AsmPrinter& printer, TensorMappingAttr tensor) {
  printer << '[';
  llvm::interleaveComma(tensor.getDimMappings(), printer,
                        [&](DimMappingAttr dimension) { PrintDimension(printer, dimension); });
  printer << ']';
}

void PrintTensors(AsmPrinter& printer, ArrayRef<TensorMappingAttr> tensors) {
  printer << '(';
  llvm::interleaveComma(tensors, printer, [&](TensorMappingAttr tensor) { PrintTensor(printer, tensor); });
  printer << ')';
}

}  // namespace

Attribute ManualAxesAttr::parse(AsmParser& parser, Type) {
  SmallVector<mlir::StringAttr> names;
  const auto parse_name = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name)) return mlir::failure();
    names.push_back(mlir::StringAttr::get(parser.getContext(), name));
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parse_name)) return {};
  return get(parser.getContext(), names);
}

void ManualAxesAttr::print(AsmPrinter& printer) const {
  printer << '{';
  llvm::interleaveComma(getValue(), printer, [&](mlir::StringAttr name) { printer.printString(name); });
  printer << '}';
}

Attribute MeshAxisAttr::parse(AsmParser& parser, Type) {
  std::string name;
  int64_t size;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size)) return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser& parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> device_ids;
  if (parser.parseLess() || ParseList(parser, AsmParser::Delimiter::Square, axes)) return {};
  if (parser.parseOptionalComma().succeeded() && (parser.parseKeyword("device_ids") || parser.parseEqual() ||
                                                  ParseIntegers(parser, AsmParser::Delimiter::Square, device_ids))) {
    return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), axes, device_ids);
}

void MeshAttr::print(AsmPrinter& printer) const {
  PrintList(printer, "<[", getAxes(), "]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

int64_t MeshAttr::AxisSize(StringRef name) const {
  for (const MeshAxisAttr axis : getAxes()) {
    if (axis.getName() == name) return axis.getSize();
  }
  return 0;
}

int64_t MeshAttr::TotalSize() const {
  int64_t size = 1;
  for (const MeshAxisAttr axis : getAxes()) size *= axis.getSize();
  return size;
}

Attribute SubAxisInfoAttr::parse(AsmParser& parser, Type) {
  int64_t pre_size;
  int64_t size;
  if (parser.parseLParen() || parser.parseInteger(pre_size) || parser.parseRParen() || parser.parseInteger(size)) {
    return {};
  }
  return get(parser.getContext(), pre_size, size);
}

void SubAxisInfoAttr::print(AsmPrinter& printer) const { printer << '(' << getPreSize() << ')' << getSize(); }

Attribute AxisRefAttr::parse(AsmParser& parser, Type) {
  std::string name;
  if (parser.parseString(&name)) return {};
  SubAxisInfoAttr sub_axis;
  if (parser.parseOptionalColon().succeeded()) {
    sub_axis = mlir::dyn_cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
    if (!sub_axis) return {};
  }
  return get(parser.getContext(), name, sub_axis);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  if (getSubAxisInfo()) {
    printer << ':';
    getSubAxisInfo().print(printer);
  }
}

Attribute DimensionShardingAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool is_closed = true;
  const auto parse_axis = [&]() -> ParseResult {
    if (!is_closed) return parser.emitError(parser.getCurrentLocation(), "expected '}' after '?'");
    if (parser.parseOptionalQuestion().succeeded()) {
      is_closed = false;
      return mlir::success();
    }
    auto axis = mlir::dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, Type()));
    if (!axis) return mlir::failure();
    axes.push_back(axis);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parse_axis)) return {};
  std::optional<int64_t> priority;
  StringRef word;
  const llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeyword(&word).succeeded()) {
    int64_t value;
    if (!word.consume_front("p") || word.getAsInteger(10, value)) {
      parser.emitError(loc, "expected a priority like p1");
      return {};
    }
    priority = value;
  }
  return get(parser.getContext(), axes, is_closed, priority);
}

void DimensionShardingAttr::print(AsmPrinter& printer) const {
  PrintList(printer, "{", getAxes(), "");
  if (!getIsClosed()) printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority()) printer << 'p' << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser& parser, Type) {
  if (parser.parseLess()) return {};
  Attribute mesh;
  mlir::StringAttr symbol;
  if (parser.parseOptionalKeyword("mesh").succeeded()) {
    mesh = MeshAttr::parse(parser, Type());
    if (!mesh) return {};
  } else {
    if (parser.parseSymbolName(symbol)) return {};
    mesh = mlir::FlatSymbolRefAttr::get(symbol);
  }
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated;
  SmallVector<AxisRefAttr> unreduced;
  if (parser.parseComma() || ParseList(parser, AsmParser::Delimiter::Square, dimensions)) return {};
  while (parser.parseOptionalComma().succeeded()) {
    StringRef word;
    const llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word)) return {};
    SmallVector<AxisRefAttr>& axes = word == "replicated" ? replicated : unreduced;
    if ((word != "replicated" && word != "unreduced") || !axes.empty()) {
      parser.emitError(loc, "expected 'replicated' or 'unreduced', each at most once");
      return {};
    }
    if (parser.parseEqual() || ParseList(parser, AsmParser::Delimiter::Braces, axes)) return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), mesh, dimensions, replicated, unreduced);
}

void TensorShardingAttr::print(AsmPrinter& printer) const {
  printer << '<';
  if (const auto mesh = mlir::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  PrintList(printer, ", [", getDimShardings(), "]");
  if (!getReplicatedAxes().empty()) PrintList(printer, ", replicated={", getReplicatedAxes(), "}");
  if (!getUnreducedAxes().empty()) PrintList(printer, ", unreduced={", getUnreducedAxes(), "}");
  printer << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || ParseList(parser, AsmParser::Delimiter::Square, shardings) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter& printer) const { PrintList(printer, "<[", getShardings(), "]>"); }

Attribute DimMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<DimMappingAttr> dimensions;
  if (parser.parseLess() || ParseDimension(parser, dimensions) || parser.parseGreater()) return {};
  return dimensions.front();
}

void DimMappingAttr::print(AsmPrinter& printer) const {
  printer << '<';
  PrintDimension(printer, *this);
  printer << '>';
}

Attribute TensorMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorMappingAttr> tensors;
  if (parser.parseLess() || ParseTensor(parser, tensors) || parser.parseGreater()) return {};
  return tensors.front();
}

void TensorMappingAttr::print(AsmPrinter& printer) const {
  printer << '<';
  PrintTensor(printer, *this);
  printer << '>';
}

Attribute OpShardingRuleAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorMappingAttr> operands;
  SmallVector<TensorMappingAttr> results;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] { return ParseTensor(parser, operands); }) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] { return ParseTensor(parser, results); })) {
    return {};
  }
  SmallVector<int64_t> sizes;
  const auto parse_size = [&]() -> ParseResult {
    SmallVector<int64_t> factor;
    const llvm::SMLoc loc = parser.getCurrentLocation();
    if (ParseFactors(parser, factor)) return mlir::failure();
    if (factor.size() != 1 || factor.front() != static_cast<int64_t>(sizes.size())) {
      return parser.emitError(loc, "expected the sizes of the factors in order");
    }
    return mlir::failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, parse_size)) return {};
  SmallVector<int64_t> sets[4];
  const char* const names[4] = {"reduction", "need_replication", "permutation", "blocked_propagation"};
  for (int i = 0; i < 4; ++i) {
    if (parser.parseOptionalKeyword(names[i]).succeeded() && ParseFactorSet(parser, sets[i])) return {};
  }
  const bool is_custom = parser.parseOptionalComma().succeeded();
  if ((is_custom && parser.parseKeyword("custom")) || parser.parseGreater()) return {};
  return get(parser.getContext(), sizes, operands, results, sets[0], sets[1], sets[2], sets[3], is_custom);
}

void OpShardingRuleAttr::print(AsmPrinter& printer) const {
  printer << '<';
  PrintTensors(printer, getOperandMappings());
  printer << "->";
  PrintTensors(printer, getResultMappings());
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(llvm::enumerate(getFactorSizes()), printer, [&](auto factor) {
      PrintFactor(printer, factor.index());
      printer << '=' << factor.value();
    });
    printer << '}';
  }
  PrintFactorSet(printer, "reduction", getReductionFactors());
  PrintFactorSet(printer, "need_replication", getNeedReplicationFactors());
  PrintFactorSet(printer, "permutation", getPermutationFactors());
  PrintFactorSet(printer, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule()) printer << ", custom";
  printer << '>';
}

Attribute AxisRefListAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (ParseList(parser, AsmParser::Delimiter::Braces, axes)) return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter& printer) const { PrintList(printer, "{", getValue(), "}"); }

Attribute ListOfAxisRefListsAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (ParseList(parser, AsmParser::Delimiter::Square, lists)) return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter& printer) const { PrintList(printer, "[", getValue(), "]"); }

Attribute AllToAllParamAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source;
  int64_t target;
  if (ParseList(parser, AsmParser::Delimiter::Braces, axes) || parser.parseColon() || parser.parseInteger(source) ||
      parser.parseArrow() || parser.parseInteger(target)) {
    return {};
  }
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter& printer) const {
  PrintList(printer, "{", getAxes(), "}: ");
  printer << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser& parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (ParseList(parser, AsmParser::Delimiter::Square, params)) return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter& printer) const { PrintList(printer, "[", getValue(), "]"); }

void SdyDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "stablehlo/sdy/attributes.cc.inc"
      >();
}

}  // namespace treadle::sdy
