#include "compiler/builtin_programs.h"

#include <initializer_list>
#include <string_view>

namespace treadle::compiler {
namespace {

using Names = std::initializer_list<const char*>;
using Texts = std::vector<std::string>;

constexpr Names kFloats = {"f32", "bf16", "f16", "f64"};
constexpr Names kNumbers = {"f32", "bf16", "f16", "f64", "i32", "ui32", "i64", "ui8", "i8"};
constexpr Names kAll = {"f32", "bf16", "f16", "f64", "i32", "ui32", "i64", "ui8", "i8", "i1"};

// Constants are data of a kernel but for those that change what it does.
constexpr Names kFloatNumbers = {"1.0", "-1.0", "2.5", "0.0"};
constexpr Names kIntegerNumbers = {"1", "0", "5"};

constexpr Names kTruths = {"true", "false"};

bool IsFloat(std::string_view type) { return type == "f32" || type == "f64" || type == "f16" || type == "bf16"; }

Names ConstantsOf(std::string_view type) {
  return type == "i1" ? kTruths : IsFloat(type) ? kFloatNumbers : kIntegerNumbers;
}

constexpr char kVector[] = "4096x";

std::string Tensor(const std::string& shape, const std::string& type) { return "tensor<" + shape + type + ">"; }

// A function of `arguments` (types), with `body` giving %r of type `result`.
std::string Function(const Texts& arguments, const std::string& body, const std::string& result) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += (i ? ", %a" : "%a") + std::to_string(i) + ": " + arguments[i];
  }
  return text + ") -> " + result + " {\n" + body + "\n  return %r : " + result + "\n}\n";
}

std::string Op(const std::string& name, const std::string& operands, const std::string& from, const std::string& to) {
  return "  %r = \"stablehlo." + name + "\"(" + operands + ") : (" + from + ") -> " + to;
}

// Of vectors and of scalars.
void AddUnary(Names ops, Names types, Texts& texts) {
  for (const char* op : ops) {
    for (const char* type : types) {
      for (const char* shape : {kVector, ""}) {
        const std::string t = Tensor(shape, type);
        texts.push_back(Function({t}, Op(op, "%a0", t, t), t));
      }
    }
  }
}

// "%b": the scalar `argument` of type `from`, as an array of `type`. A Python number meets an array as a scalar of
// another type.
std::string Spread(const std::string& argument, const std::string& from, const std::string& type,
                   const std::string& shape) {
  const std::string s = Tensor("", from), t = Tensor("", type), v = Tensor(shape, type);
  std::string text, scalar = argument;
  if (from != type) {
    text = "  %s = stablehlo.convert " + argument + " : (" + s + ") -> " + t + "\n";
    scalar = "%s";
  }
  return text + "  %b = stablehlo.broadcast_in_dim " + scalar + ", dims = [] : (" + t + ") -> " + v + "\n";
}

std::string Constant(const std::string& number, const std::string& type) {
  return "  %b = stablehlo.constant dense<" + number + "> : " + type + "\n";
}

// The types of scalars that meet arrays of `type`: its own, and those of Python's numbers.
std::vector<std::string> ScalarsFor(std::string_view type) {
  std::vector<std::string> scalars = {std::string(type)};
  if (IsFloat(type)) scalars.emplace_back("i32");
  if (type == "bf16" || type == "f16") scalars.emplace_back("f32");
  if (type == "ui8" || type == "i8" || type == "ui32") scalars.emplace_back("i32");
  return scalars;
}

// Vector and vector; vector and scalar or constant, either way round; the same of scalars; matrix and row.
void AddBinary(Names ops, Names types, Texts& texts) {
  for (const char* op : ops) {
    for (const char* type : types) {
      for (const char* shape : {kVector, ""}) {
        const std::string t = Tensor(shape, type), pair = t + ", " + t;
        texts.push_back(Function({t, t}, Op(op, "%a0, %a1", pair, t), t));
        for (const std::string& scalar : ScalarsFor(type)) {
          const std::string from = Tensor("", scalar);
          texts.push_back(Function({t, from}, Spread("%a1", scalar, type, shape) + Op(op, "%a0, %b", pair, t), t));
          texts.push_back(Function({from, t}, Spread("%a0", scalar, type, shape) + Op(op, "%b, %a1", pair, t), t));
        }
        for (const char* number : ConstantsOf(type)) {
          texts.push_back(Function({t}, Constant(number, t) + Op(op, "%a0, %b", pair, t), t));
          texts.push_back(Function({t}, Constant(number, t) + Op(op, "%b, %a0", pair, t), t));
        }
      }
      const std::string m = Tensor("64x256x", type), row = Tensor("256x", type);
      const std::string rows = "  %b = stablehlo.broadcast_in_dim %a1, dims = [1] : (" + row + ") -> " + m + "\n";
      texts.push_back(Function({m, row}, rows + Op(op, "%a0, %b", m + ", " + m, m), m));
    }
  }
}

void AddCompare(Texts& texts) {
  for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    for (const char* type : kNumbers) {
      for (const char* shape : {kVector, ""}) {
        const std::string t = Tensor(shape, type), holds = Tensor(shape, "i1");
        const std::string compare = std::string("  %r = stablehlo.compare ") + direction + ", %a0, ";
        const std::string types = " : (" + t + ", " + t + ") -> " + holds;
        texts.push_back(Function({t, t}, compare + "%a1" + types, holds));
        for (const std::string& scalar : ScalarsFor(type)) {
          const std::string spread = Spread("%a1", scalar, type, shape);
          texts.push_back(Function({t, Tensor("", scalar)}, spread + compare + "%b" + types, holds));
        }
        for (const char* number : ConstantsOf(type)) {
          texts.push_back(Function({t}, Constant(number, t) + compare + "%b" + types, holds));
        }
      }
    }
  }
}

void AddConvert(Texts& texts) {
  for (const char* from : kAll) {
    for (const char* to : kAll) {
      for (const char* shape : {kVector, ""}) {
        texts.push_back(Function({Tensor(shape, from)}, Op("convert", "%a0", Tensor(shape, from), Tensor(shape, to)),
                                 Tensor(shape, to)));
      }
    }
  }
}

void AddSelect(Texts& texts) {
  for (const char* type : kAll) {
    const std::string v = Tensor(kVector, type), holds = Tensor(kVector, "i1");
    const std::string types = holds + ", " + v + ", " + v;
    texts.push_back(Function({holds, v, v}, Op("select", "%a0, %a1, %a2", types, v), v));
    for (const std::string& scalar : ScalarsFor(type)) {
      const std::string spread = Spread("%a2", scalar, type, kVector), s = Tensor("", scalar);
      texts.push_back(Function({holds, v, s}, spread + Op("select", "%a0, %a1, %b", types, v), v));
      texts.push_back(
          Function({holds, s, v}, Spread("%a1", scalar, type, kVector) + Op("select", "%a0, %b, %a2", types, v), v));
    }
  }
}

// Of everything, of rows and of columns; of many elements, of few, and of rows that are long but not worth splitting.
struct ReduceForm {
  const char *shape, *dims, *result;
};
constexpr ReduceForm kReduceForms[] = {
    {"1000000x", "0", ""},        {"100x", "0", ""},       {"1000x1000x", "0, 1", ""},   {"10x10x", "0, 1", ""},
    {"20000x", "0", ""},          {"3x20000x", "1", "3x"}, {"1000x1000x", "1", "1000x"}, {"30x40x", "1", "30x"},
    {"1000x1000x", "0", "1000x"}, {"30x40x", "0", "40x"}};

void AddReduce(const std::string& op, const std::string& type, const std::string& init, Texts& texts) {
  for (const ReduceForm& form : kReduceForms) {
    const std::string from = Tensor(form.shape, type), to = Tensor(form.result, type), scalar = Tensor("", type);
    texts.push_back(Function({from},
                             "  %c = stablehlo.constant dense<" + init + "> : " + scalar +
                                 "\n  %r = stablehlo.reduce(%a0 init: %c) applies stablehlo." + op +
                                 " across dimensions = [" + form.dims + "] : (" + from + ", " + scalar + ") -> " + to,
                             to));
  }
}

void AddMean(const std::string& type, Texts& texts) {
  for (const ReduceForm& form : kReduceForms) {
    const std::string from = Tensor(form.shape, type), to = Tensor(form.result, type), scalar = Tensor("", type);
    texts.push_back(Function({from},
                             "  %c = stablehlo.constant dense<0.0> : " + scalar +
                                 "\n  %s = stablehlo.reduce(%a0 init: %c) applies stablehlo.add across dimensions = [" +
                                 form.dims + "] : (" + from + ", " + scalar + ") -> " + to +
                                 "\n  %n = stablehlo.constant dense<37.0> : " + to + "\n" +
                                 Op("divide", "%s, %n", to + ", " + to, to),
                             to));
  }
}

void AddReductions(Texts& texts) {
  AddMean("f32", texts);
  for (const char* type : {"f32", "f64"}) {
    const bool wide = std::string(type) == "f64";
    AddReduce("add", type, "0.0", texts);
    AddReduce("multiply", type, "1.0", texts);
    AddReduce("maximum", type, wide ? "0xFFF0000000000000" : "0xFF800000", texts);
    AddReduce("minimum", type, wide ? "0x7FF0000000000000" : "0x7F800000", texts);
  }
  AddReduce("maximum", "bf16", "0xFF80", texts);
  AddReduce("minimum", "bf16", "0x7F80", texts);
  AddReduce("add", "i32", "0", texts);
  AddReduce("maximum", "i32", "-2147483648", texts);
  AddReduce("minimum", "i32", "2147483647", texts);
  AddReduce("and", "i1", "true", texts);
  AddReduce("or", "i1", "false", texts);
}

// The functions between the layers of most networks, as JAX writes them.
void AddActivations(Texts& texts) {
  const std::string v = Tensor(kVector, "f32");
  const std::string one = "  %one = stablehlo.constant dense<1.0> : " + v + "\n";
  const std::string silu = one + Op("negate", "%a0", v, v) + "\n  %e = stablehlo.exponential %r : " + v +
                           "\n  %n = stablehlo.add %one, %e : " + v + "\n  %s = stablehlo.divide %one, %n : " + v +
                           "\n  %t = stablehlo.multiply %a0, %s : " + v;
  texts.push_back("func.func @main(%a0: " + v + ") -> " + v + " {\n" + silu + "\n  return %t : " + v + "\n}\n");
  const std::string gelu =
      one + "  %c = stablehlo.constant dense<4.471500e-02> : " + v +
      "\n  %k = stablehlo.constant dense<0.797884583> : " + v + "\n  %half = stablehlo.constant dense<0.5> : " + v +
      "\n  %0 = stablehlo.multiply %a0, %a0 : " + v + "\n  %1 = stablehlo.multiply %0, %a0 : " + v +
      "\n  %2 = stablehlo.multiply %c, %1 : " + v + "\n  %3 = stablehlo.add %a0, %2 : " + v +
      "\n  %4 = stablehlo.multiply %k, %3 : " + v + "\n  %5 = stablehlo.tanh %4 : " + v +
      "\n  %6 = stablehlo.add %one, %5 : " + v + "\n  %7 = stablehlo.multiply %half, %6 : " + v +
      "\n  %r = stablehlo.multiply %a0, %7 : " + v;
  texts.push_back(Function({v}, gelu, v));
  for (const char* rows : {"1000x", "30x"}) {
    const std::string r = Tensor(rows, "f32"),
                      m = Tensor(std::string(rows) + (rows[0] == '1' ? "1000x" : "40x"), "f32");
    const std::string spread = ", dims = [0] : (" + r + ") -> " + m + "\n", s = Tensor("", "f32");
    const auto reduce = [&](const std::string& to, const std::string& from, const std::string& op,
                            const std::string& init) {
      return "  " + to + " = stablehlo.reduce(" + from + " init: " + init + ") applies stablehlo." + op +
             " across dimensions = [1] : (" + m + ", " + s + ") -> " + r + "\n";
    };
    const std::string shifted =
        "  %low = stablehlo.constant dense<0xFF800000> : " + s +
        "\n  %lows = stablehlo.constant dense<0xFF800000> : " + r + "\n  %zero = stablehlo.constant dense<0.0> : " + s +
        "\n" + reduce("%0", "%a0", "maximum", "%low") + "  %1 = stablehlo.maximum %lows, %0 : " + r +
        "\n  %2 = stablehlo.broadcast_in_dim %1" + spread + "  %3 = stablehlo.subtract %a0, %2 : " + m +
        "\n  %4 = stablehlo.exponential %3 : " + m + "\n" + reduce("%5", "%4", "add", "%zero");
    texts.push_back(Function(
        {m}, shifted + "  %6 = stablehlo.broadcast_in_dim %5" + spread + "  %r = stablehlo.divide %4, %6 : " + m, m));
    texts.push_back(Function({m},
                             shifted + "  %6 = stablehlo.log %5 : " + r + "\n  %7 = stablehlo.broadcast_in_dim %6" +
                                 spread + "  %r = stablehlo.subtract %3, %7 : " + m,
                             m));
  }
}

void AddMoves(Texts& texts) {
  for (const char* type : kAll) {
    const std::string m = Tensor("300x200x", type), turned = Tensor("200x300x", type);
    texts.push_back(Function({m}, "  %r = stablehlo.transpose %a0, dims = [1, 0] : (" + m + ") -> " + turned, turned));
    const std::string tall = Tensor("30x20x", type), flat = Tensor("20x30x", type), both = Tensor("60x20x", type);
    texts.push_back(
        Function({tall}, "  %r = stablehlo.transpose %a0, dims = [1, 0] : (" + tall + ") -> " + flat, flat));
    texts.push_back(Function({tall, tall},
                             "  %r = stablehlo.concatenate %a0, %a1, dim = 0 : (" + tall + ", " + tall + ") -> " + both,
                             both));
    const std::string s = Tensor("", type);
    texts.push_back(Function({s}, "  %r = stablehlo.broadcast_in_dim %a0, dims = [] : (" + s + ") -> " + m, m));
    const std::string two = Tensor("600x200x", type), wide = Tensor("300x400x", type);
    texts.push_back(
        Function({m, m}, "  %r = stablehlo.concatenate %a0, %a1, dim = 0 : (" + m + ", " + m + ") -> " + two, two));
    texts.push_back(
        Function({m, m}, "  %r = stablehlo.concatenate %a0, %a1, dim = 1 : (" + m + ", " + m + ") -> " + wide, wide));
    const std::string part = Tensor("100x50x", type);
    texts.push_back(Function({m}, "  %r = stablehlo.slice %a0 [7:107, 3:53] : (" + m + ") -> " + part, part));
  }
  for (const char* type : {"i32", "i64", "f32"}) {
    const std::string v = Tensor(kVector, type);
    texts.push_back(Function({}, "  %r = stablehlo.iota dim = 0 : " + v, v));
  }
}

}  // namespace

std::vector<std::string> BuiltinPrograms() {
  Texts texts;
  AddUnary({"abs", "negate", "sign"}, {"f32", "bf16", "f16", "f64", "i32", "i64", "i8"}, texts);
  AddUnary({"cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log", "log_plus_one",
            "logistic", "round_nearest_even", "rsqrt", "sine", "sqrt", "tan", "tanh"},
           kFloats, texts);
  AddUnary({"not"}, {"i32", "ui32", "ui8", "i1"}, texts);
  AddBinary({"add", "subtract", "multiply", "maximum", "minimum"}, kNumbers, texts);
  AddBinary({"divide", "power"}, kFloats, texts);
  AddBinary({"divide", "remainder"}, {"i32"}, texts);
  AddBinary({"and", "or", "xor"}, {"i32", "ui32", "i1"}, texts);
  AddBinary({"shift_left", "shift_right_logical"}, {"ui32"}, texts);
  AddCompare(texts);
  AddConvert(texts);
  AddSelect(texts);
  AddReductions(texts);
  AddActivations(texts);
  AddMoves(texts);
  return texts;
}

}  // namespace treadle::compiler
