#include "compiler/graph/graph.h"

#include <algorithm>
#include <utility>

namespace treadle::graph {
namespace {

struct Row {
  std::string_view name;
  OpClass cls;
};

constexpr Row kRows[] = {
#define GRAPH_OP(code, name, cls) {"stablehlo." name, OpClass::cls},
#include "compiler/graph/op_codes.def"
};

std::string Join(const std::vector<ValueId>& values) {
  std::string text;
  for (ValueId value : values) text += (text.empty() ? "%" : ", %") + std::to_string(value);
  return text;
}

void PrintList(std::string_view name, const std::vector<int64_t>& list, std::string& text) {
  if (list.empty()) return;
  text += " " + std::string(name) + "=[";
  for (size_t i = 0; i < list.size(); ++i) text += (i ? "," : "") + std::to_string(list[i]);
  text += "]";
}

void PrintRegion(const Graph& graph, RegionId id, int indent, std::string& text) {
  const Region& region = graph.regions[id];
  std::string margin(indent, ' ');
  text += margin + "region " + std::to_string(id) + "(" + Join(region.arguments) + ")\n";
  for (OpId op_id : region.ops) {
    const Op& op = graph.ops[op_id];
    text += margin + "  " + Join(op.results) + " = " + std::string(OpName(op.code)) + " " + Join(op.operands);
    PrintList("dims", op.attrs.dims, text);
    PrintList("starts", op.attrs.starts, text);
    PrintList("limits", op.attrs.limits, text);
    PrintList("strides", op.attrs.strides, text);
    PrintList("low", op.attrs.low, text);
    PrintList("high", op.attrs.high, text);
    PrintList("interior", op.attrs.interior, text);
    text += " :";
    for (ValueId result : op.results) text += " " + graph.shape(result).ToString();
    text += "\n";
    for (RegionId nested : op.regions) PrintRegion(graph, nested, indent + 4, text);
  }
  text += margin + "  return " + Join(region.results) + "\n";
}

}  // namespace

Shape OfComplex(Shape pairs) {
  pairs.type = ComplexOf(pairs.type);
  pairs.dims.pop_back();
  return pairs;
}

std::string_view OpName(OpCode code) { return kRows[static_cast<size_t>(code)].name; }
std::string_view AlgorithmName(Algorithm algorithm) {
  constexpr std::string_view kNames[] = {
      "fft", "cholesky", "triangular_solve", "lu", "qr", "reflector_product", "eigh", "tridiagonal_solve", "svd"};
  return kNames[static_cast<size_t>(algorithm)];
}
OpClass OpClassOf(OpCode code) { return kRows[static_cast<size_t>(code)].cls; }

const std::string& Graph::location(const Op& op) const {
  static const std::string* const kUnknown = new std::string("unknown location");
  return op.location >= 0 ? locations[op.location] : *kUnknown;
}

Shape Graph::ArgumentShape(size_t number) const {
  const Shape& shape = this->shape(regions[0].arguments[number]);
  return number < complex_arguments.size() && complex_arguments[number] ? OfComplex(shape) : shape;
}

Shape Graph::ResultShape(size_t number) const {
  const Shape& shape = this->shape(regions[0].results[number]);
  return number < complex_results.size() && complex_results[number] ? OfComplex(shape) : shape;
}

ValueId Graph::AddValue(Shape shape, RegionId region, OpId def) {
  values.push_back({std::move(shape), def, region});
  return static_cast<ValueId>(values.size() - 1);
}

RegionId Graph::AddRegion() {
  regions.emplace_back();
  return static_cast<RegionId>(regions.size() - 1);
}

OpId Graph::AddOp(RegionId region, OpCode code, std::vector<ValueId> operands, std::vector<Shape> result_shapes,
                  Attributes attrs, std::vector<RegionId> op_regions, int32_t location) {
  OpId id = static_cast<OpId>(ops.size());
  Op op{code, std::move(operands), {}, std::move(op_regions), std::move(attrs), location};
  for (Shape& shape : result_shapes) op.results.push_back(AddValue(std::move(shape), region, id));
  ops.push_back(std::move(op));
  regions[region].ops.push_back(id);
  return id;
}

bool Transfers(const Graph& graph, const Op& op) {
  if (op.code == OpCode::kTransfer) return true;
  return std::ranges::any_of(op.regions, [&](RegionId region) {
    return std::ranges::any_of(graph.regions[region].ops,
                               [&](OpId inner) { return Transfers(graph, graph.ops[inner]); });
  });
}

std::string Print(const Graph& graph) {
  std::string text;
  if (!graph.regions.empty()) PrintRegion(graph, 0, 0, text);
  return text;
}

}  // namespace treadle::graph
