#include "compiler/graph/print_stablehlo.h"

#include <string_view>
#include <vector>

namespace treadle::graph {
namespace {

std::string TensorType(const Shape& shape) { return "tensor<" + shape.ToString() + ">"; }

std::string List(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string Array(const std::vector<int64_t>& values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : ": ") + std::to_string(values[i]);
  return text + ">";
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "\"0x";
  for (unsigned char byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text + "\"";
}

// i1 in lists of words, for its bytes in memory are MLIR's own matter.
std::string Truths(const std::string& bytes, const std::vector<int64_t>& dims, size_t dim, size_t& at) {
  if (dim == dims.size()) return bytes[at++] ? "true" : "false";
  std::string text = "[";
  for (int64_t i = 0; i < dims[dim]; ++i) text += (i ? ", " : "") + Truths(bytes, dims, dim + 1, at);
  return text + "]";
}

std::string Literal(const Op& op, const Shape& shape) {
  const std::string& bytes = *op.attrs.literal;
  std::string body;
  if (bytes.empty()) {
    body = "";
  } else if (shape.type == ElementType::kI1) {
    size_t at = 0;
    body = op.attrs.splat ? (bytes[0] ? "true" : "false") : Truths(bytes, shape.dims, 0, at);
  } else {
    body = Hex(bytes);
  }
  return "value = dense<" + body + "> : " + TensorType(shape);
}

std::string_view DirectionName(Direction direction) {
  constexpr std::string_view kNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  return kNames[static_cast<size_t>(direction)];
}

std::string CompareAttributes(const Op& op, ElementType type) {
  std::string_view kind = op.attrs.total_order                           ? "TOTALORDER"
                          : IsFloat(type)                                ? "FLOAT"
                          : IsUnsigned(type) || type == ElementType::kI1 ? "UNSIGNED"
                                                                         : "SIGNED";
  return "compare_type = #stablehlo<comparison_type " + std::string(kind) +
         ">, comparison_direction = #stablehlo<comparison_direction " + std::string(DirectionName(op.attrs.direction)) +
         ">";
}

std::string DotAttributes(const DotDims& dot) {
  return "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = " + List(dot.lhs_batch) +
         ", rhs_batching_dimensions = " + List(dot.rhs_batch) +
         ", lhs_contracting_dimensions = " + List(dot.lhs_contracting) +
         ", rhs_contracting_dimensions = " + List(dot.rhs_contracting) + ">";
}

std::string Padding(const Attributes& a) {
  std::string rows;
  for (size_t k = 0; k < a.low.size(); ++k) rows += (k ? ", " : "") + List({a.low[k], a.high[k]});
  return "padding = dense<" + (rows.empty() ? "" : "[" + rows + "]") + "> : tensor<" + std::to_string(a.low.size()) +
         "x2xi64>";
}

std::vector<int64_t> OneMore(std::vector<int64_t> gaps) {
  for (int64_t& gap : gaps) ++gap;
  return gaps;
}

std::string WindowAttributes(const Attributes& a) {
  return "base_dilations = " + Array(OneMore(a.interior)) + ", " + Padding(a) +
         ", window_dilations = " + Array(a.dilations) + ", window_dimensions = " + Array(a.limits) +
         ", window_strides = " + Array(a.strides);
}

// "[b, 0, 1, f]"; the kernel's are called i and o.
std::string LayoutText(const ConvLayout& layout, const char* batch, const char* feature) {
  std::vector<std::string> names(layout.spatial.size() + 2);
  names[layout.batch] = batch;
  names[layout.feature] = feature;
  for (size_t d = 0; d < layout.spatial.size(); ++d) names[layout.spatial[d]] = std::to_string(d);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "[" : ", ") + name;
  return text + "]";
}

std::string ConvolutionAttributes(const Attributes& a) {
  std::string reversed;
  for (bool reverse : a.conv->reversed)
    reversed += std::string(reversed.empty() ? ": " : ", ") + (reverse ? "true" : "false");
  return "batch_group_count = " + std::to_string(a.conv->batch_groups) +
         " : i64, dimension_numbers = #stablehlo.conv<" + LayoutText(a.conv->lhs, "b", "f") + "x" +
         LayoutText(a.conv->rhs, "i", "o") + "->" + LayoutText(a.conv->out, "b", "f") +
         ">, feature_group_count = " + std::to_string(a.conv->feature_groups) +
         " : i64, lhs_dilation = " + Array(OneMore(a.interior)) + ", " + Padding(a) +
         ", rhs_dilation = " + Array(a.dilations) + ", window_reversal = array<i1" + reversed +
         ">, window_strides = " + Array(a.strides);
}

std::string ContractionAttributes(const Op& op) {
  return op.code == OpCode::kConvolution ? ConvolutionAttributes(op.attrs) : DotAttributes(op.attrs.dot);
}

std::string GatherAttributes(const Attributes& a) {
  const IndexedWindows& w = a.windows;
  return "dimension_numbers = #stablehlo.gather<offset_dims = " + List(w.window) +
         ", collapsed_slice_dims = " + List(w.dropped) + ", operand_batching_dims = " + List(w.operand_batch) +
         ", start_indices_batching_dims = " + List(w.indices_batch) + ", start_index_map = " + List(w.index_map) +
         ", index_vector_dim = " + std::to_string(w.index_vector) + ">, slice_sizes = " + Array(a.limits);
}

std::string ScatterAttributes(const Attributes& a) {
  const IndexedWindows& w = a.windows;
  return "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " + List(w.window) +
         ", inserted_window_dims = " + List(w.dropped) + ", input_batching_dims = " + List(w.operand_batch) +
         ", scatter_indices_batching_dims = " + List(w.indices_batch) +
         ", scatter_dims_to_operand_dims = " + List(w.index_map) +
         ", index_vector_dim = " + std::to_string(w.index_vector) +
         ">, unique_indices = " + (a.unique ? "true" : "false");
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string Run() {
    const Region& main = graph_.regions[0];
    text_ = "module {\n  func.func @" + graph_.name + "(" + TypedList(main.arguments) + ") -> (" + Types(main.results) +
            ") {\n";
    Ops(main, 4);
    text_ += "    return" + (main.results.empty() ? "" : " " + Names(main.results) + " : " + Types(main.results)) +
             "\n  }\n}\n";
    return std::move(text_);
  }

 private:
  std::string Names(const std::vector<ValueId>& values) const {
    std::string text;
    for (ValueId v : values) text += (text.empty() ? "%v" : ", %v") + std::to_string(v);
    return text;
  }
  std::string Types(const std::vector<ValueId>& values) const {
    std::string text;
    for (ValueId v : values) text += (text.empty() ? "" : ", ") + TensorType(graph_.shape(v));
    return text;
  }
  std::string TypedList(const std::vector<ValueId>& values) const {
    std::string text;
    for (ValueId v : values)
      text += (text.empty() ? "%v" : ", %v") + std::to_string(v) + ": " + TensorType(graph_.shape(v));
    return text;
  }

  std::string Properties(const Op& op) const {
    const Attributes& a = op.attrs;
    switch (op.code) {
      case OpCode::kConstant:
        return Literal(op, graph_.shape(op.results[0]));
      case OpCode::kCompare:
        return CompareAttributes(op, graph_.shape(op.operands[0]).type);
      case OpCode::kDotGeneral:
      case OpCode::kConvolution:
        return ContractionAttributes(op);
      case OpCode::kBroadcastInDim:
        return "broadcast_dimensions = " + Array(a.dims);
      case OpCode::kTranspose:
        return "permutation = " + Array(a.dims);
      case OpCode::kReverse:
      case OpCode::kReduce:
        return "dimensions = " + Array(a.dims);
      case OpCode::kSort:
        return "dimension = " + std::to_string(a.dims[0]) + " : i64, is_stable = true";
      case OpCode::kConcatenate:
        return "dimension = " + std::to_string(a.dims[0]) + " : i64";
      case OpCode::kIota:
        return "iota_dimension = " + std::to_string(a.dims[0]) + " : i64";
      case OpCode::kSlice:
        return "limit_indices = " + Array(a.limits) + ", start_indices = " + Array(a.starts) +
               ", strides = " + Array(a.strides);
      case OpCode::kDynamicSlice:
        return "slice_sizes = " + Array(a.limits);
      case OpCode::kReduceWindow:
        return WindowAttributes(a);
      case OpCode::kGather:
        return GatherAttributes(a);
      case OpCode::kScatter:
        return ScatterAttributes(a);
      case OpCode::kPad:
        return "edge_padding_high = " + Array(a.high) + ", edge_padding_low = " + Array(a.low) +
               ", interior_padding = " + Array(a.interior);
      case OpCode::kAlgorithm:
        return "call_target_name = \"treadle." + std::string(AlgorithmName(a.call->algorithm)) + "\"";
      case OpCode::kReducePrecision:
        return "exponent_bits = " + std::to_string(a.exponent_bits) +
               " : i32, mantissa_bits = " + std::to_string(a.mantissa_bits) + " : i32";
      default:
        return "";
    }
  }

  // A line of an operation that the graph has in another form.
  std::string Line(const std::string& margin, const std::string& result, const std::string& op,
                   const std::string& operands, const std::string& properties, const std::string& from,
                   const std::string& to) {
    text_ += margin + result + " = \"stablehlo." + op + "\"(" + operands + ")" +
             (properties.empty() ? "" : " <{" + properties + "}>") + " : (" + from + ") -> (" + to + ")\n";
    return result;
  }

  // Pairs of shape (..., 2), the parts' columns and the parts.
  struct PairTypes {
    explicit PairTypes(const Shape& shape) : dims(shape.dims), rank(shape.rank() - 1) {
      Shape of = shape;
      pairs = TensorType(of);
      of.dims.back() = 1;
      column = TensorType(of);
      of.dims.pop_back();
      part = TensorType(of);
      complex = TensorType(OfComplex(shape));
    }
    std::vector<int64_t> dims;
    int64_t rank;
    std::string pairs, column, part, complex;
  };

  // Its operand `value` of pairs as complex numbers.
  std::string ToComplex(ValueId value, const std::string& name, const std::string& margin) {
    const PairTypes types(graph_.shape(value));
    std::string parts[2];
    for (int64_t p = 0; p < 2; ++p) {
      std::vector<int64_t> starts(types.dims.size()), limits = types.dims, strides(types.dims.size(), 1);
      starts.back() = p;
      limits.back() = p + 1;
      const std::string part = name + (p ? "i" : "r");
      Line(margin, part + "c", "slice", "%v" + std::to_string(value),
           "limit_indices = " + Array(limits) + ", start_indices = " + Array(starts) + ", strides = " + Array(strides),
           types.pairs, types.column);
      parts[p] = Line(margin, part, "reshape", part + "c", "", types.column, types.part);
    }
    return Line(margin, name, "complex", parts[0] + ", " + parts[1], "", types.part + ", " + types.part, types.complex);
  }

  // A product of pairs: complex numbers, multiplied, taken apart.
  void PairsProduct(const Op& op, const std::string& margin) {
    const std::string result = std::to_string(op.results[0]), name = "%p" + result;
    const PairTypes types(graph_.shape(op.results[0]));
    const std::string lhs = ToComplex(op.operands[0], name + "a", margin);
    const std::string rhs = ToComplex(op.operands[1], name + "b", margin);
    Line(margin, name, std::string(OpName(op.code).substr(10)), lhs + ", " + rhs, ContractionAttributes(op),
         PairTypes(graph_.shape(op.operands[0])).complex + ", " + PairTypes(graph_.shape(op.operands[1])).complex,
         types.complex);
    std::string columns[2];
    for (int p = 0; p < 2; ++p) {
      const std::string part =
          Line(margin, name + (p ? "i" : "r"), p ? "imag" : "real", name, "", types.complex, types.part);
      columns[p] = Line(margin, part + "c", "reshape", part, "", types.part, types.column);
    }
    Line(margin, "%v" + result, "concatenate", columns[0] + ", " + columns[1],
         "dimension = " + std::to_string(types.rank) + " : i64", types.column + ", " + types.column, types.pairs);
  }

  // StableHLO has no operation that rounds once.
  void MultiplyAdd(const Op& op, const std::string& margin) {
    const std::string result = std::to_string(op.results[0]), product = "%product" + result;
    const std::string type = Types(op.results);
    Line(margin, product, "multiply", Names({op.operands[0], op.operands[1]}), "", type + ", " + type, type);
    Line(margin, "%v" + result, "add", product + ", " + Names({op.operands[2]}), "", type + ", " + type, type);
  }

  void Ops(const Region& region, int indent) {
    std::string margin(indent, ' ');
    for (OpId id : region.ops) {
      const Op& op = graph_.ops[id];
      if (op.attrs.pairs) {
        PairsProduct(op, margin);
        continue;
      }
      if (op.code == OpCode::kMultiplyAdd) {
        MultiplyAdd(op, margin);
        continue;
      }
      std::string name = op.code == OpCode::kErf         ? "chlo.erf"
                         : op.code == OpCode::kErfc      ? "chlo.erfc"
                         : op.code == OpCode::kAlgorithm ? "stablehlo.custom_call"
                                                         : std::string(OpName(op.code));
      const bool takes = op.code == OpCode::kSort && graph_.shape(op.results[0]) != graph_.shape(op.operands[0]);
      const std::string results = takes ? WholeNames(op) : Names(op.results);
      text_ += margin + (op.results.empty() ? "" : results + " = ") + "\"" + name + "\"(" + Names(op.operands) + ")";
      if (std::string properties = Properties(op); !properties.empty()) text_ += " <{" + properties + "}>";
      Regions(op, indent);
      text_ += " : (" + Types(op.operands) + ") -> (" + Types(takes ? op.operands : op.results) + ")\n";
      if (takes) CutWhole(op, margin);
    }
  }

  // A sort of which the first elements are wanted: whole results, then slices of them.
  static std::string WholeNames(const Op& op) {
    std::string text;
    for (ValueId v : op.results) text += (text.empty() ? "%whole" : ", %whole") + std::to_string(v);
    return text;
  }
  void CutWhole(const Op& op, const std::string& margin) {
    for (size_t k = 0; k < op.results.size(); ++k) {
      const Shape& shape = graph_.shape(op.results[k]);
      const std::vector<int64_t> zeros(shape.dims.size(), 0), ones(shape.dims.size(), 1);
      text_ += margin + "%v" + std::to_string(op.results[k]) + " = \"stablehlo.slice\"(%whole" +
               std::to_string(op.results[k]) + ") <{limit_indices = " + Array(shape.dims) +
               ", start_indices = " + Array(zeros) + ", strides = " + Array(ones) + "}> : (" +
               TensorType(graph_.shape(op.operands[k])) + ") -> " + TensorType(shape) + "\n";
    }
  }

  void Regions(const Op& op, int indent) {
    if (op.regions.empty()) return;
    std::string margin(indent, ' ');
    text_ += " (";
    for (size_t r = 0; r < op.regions.size(); ++r) {
      const Region& region = graph_.regions[op.regions[r]];
      text_ += r ? ", {\n" : "{\n";
      if (!region.arguments.empty()) text_ += margin + "^bb0(" + TypedList(region.arguments) + "):\n";
      Ops(region, indent + 2);
      text_ += margin + "  \"stablehlo.return\"(" + Names(region.results) + ") : (" + Types(region.results) +
               ") -> ()\n" + margin + "}";
    }
    text_ += ")";
  }

  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string PrintStablehlo(const Graph& graph) { return Printer(graph).Run(); }

}  // namespace treadle::graph
