#include "compiler/optimize/to_graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/optimize/collectives.h"
#include "compiler/optimize/complex_tensors.h"
#include "compiler/optimize/describe.h"
#include "compiler/optimize/import_algorithms.h"
#include "compiler/optimize/import_collectives.h"
#include "compiler/optimize/import_transfers.h"
#include "compiler/optimize/integer_formulas.h"
#include "compiler/optimize/order_transfers.h"
#include "compiler/optimize/read_attributes.h"
#include "compiler/optimize/select_and_scatter.h"
#include "compiler/optimize/values.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::compiler {
namespace {

using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// Programs that call or nest deeper than this are refused rather than risking the stack.
constexpr int kMaxDepth = 200;

class Importer {
 public:
  // `shards`: shardings of the signature count.
  Importer(mlir::ModuleOp module, Participants participants, bool shards)
      : symbols_(module),
        participants_(participants),
        shards_(shards),
        collectives_(graph_, participants),
        values_(collectives_),
        collective_importer_(graph_, collectives_, values_, pairs_, participants),
        algorithm_importer_(graph_, values_, pairs_) {
    size_t count = 0;  // about: functions are inlined
    module.walk([&](mlir::Operation*) { ++count; });
    graph_.ops.reserve(count);
    graph_.values.reserve(count);
  }

  // `global`: arguments and results are whole arrays here, whatever their shardings are.
  StatusOr<graph::Graph> Run(mlir::func::FuncOp func, bool global) {
    graph_.name = func.getName().str();
    graph_.global_view = global;
    RegionId main = graph_.AddRegion();
    for (mlir::BlockArgument argument : func.getArguments()) TREADLE_RETURN_IF_ERROR(CheckArgument(func, argument));
    mlir::Block& body = func.getBody().front();
    TREADLE_RETURN_IF_ERROR(ImportParameters(body, main, func));
    for (unsigned i = 0; i < func.getNumArguments(); ++i) ReadDonation(func, i);
    TREADLE_RETURN_IF_ERROR(ImportBlock(body, main, 0));
    TREADLE_RETURN_IF_ERROR(ExportResults(body, main, func));
    collectives_.Finish();
    TREADLE_RETURN_IF_ERROR(OrderTransfers(graph_));
    return std::move(graph_);
  }

 private:
  // The signature's errors name the argument: the function as an operation has no types to show.
  Status CheckArgument(mlir::func::FuncOp func, mlir::BlockArgument argument) {
    StatusOr<Shape> shape = ShapeOf(argument.getType(), func);
    if (shape.ok() || shape.status().code() != StatusCode::kUnimplemented) return shape.status();
    return Unimplemented("argument " + std::to_string(argument.getArgNumber()) + " of @" + func.getName().str() + ": " +
                         TypeText(argument.getType()) + " is not implemented yet, at " +
                         LocationText(argument.getLoc(), {func.getLoc()}));
  }

  void ReadDonation(mlir::func::FuncOp func, unsigned argument) {
    auto aliased = func.getArgAttrOfType<mlir::IntegerAttr>(argument, "tf.aliasing_output");
    auto donor = func.getArgAttrOfType<mlir::BoolAttr>(argument, "jax.buffer_donor");
    bool in_range = aliased && aliased.getInt() >= 0 && aliased.getInt() < func.getNumResults();
    graph_.donated.push_back(in_range || (donor && donor.getValue()));
    graph_.aliased_result.push_back(in_range ? static_cast<int32_t>(aliased.getInt()) : -1);
  }

  // Complex operands are two, one after the other.
  std::vector<ValueId> Operands(mlir::Operation* op) {
    std::vector<ValueId> operands;
    for (mlir::Value operand : op->getOperands()) {
      Complex parts = values_.lookup(operand);
      operands.push_back(parts.re);
      if (parts.im >= 0) operands.push_back(parts.im);
    }
    return operands;
  }

  // The shapes of the values that results of these types become.
  template <typename Types>
  StatusOr<std::vector<Shape>> Shapes(Types types, mlir::Operation* op) {
    std::vector<Shape> shapes;
    for (mlir::Type type : types) {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(type, op));
      if (IsComplex(shape.type)) {
        shape = PartShape(shape);
        shapes.push_back(shape);
      }
      shapes.push_back(std::move(shape));
    }
    return shapes;
  }

  template <typename Values>
  void SetValues(Values to, const std::vector<ValueId>& from) {
    size_t next = 0;
    for (mlir::Value value : to) {
      Complex& parts = values_[value] = {from[next++]};
      if (IsComplexType(value.getType())) parts.im = from[next++];
    }
  }

  static bool IsComplexType(mlir::Type type) { return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type)); }

  int32_t Location(mlir::Location location) {
    auto [it, inserted] = locations_.try_emplace(location, static_cast<int32_t>(graph_.locations.size()));
    if (inserted) graph_.locations.push_back(LocationText(location, calls_));
    return it->second;
  }

  Status ImportArguments(mlir::Block& block, RegionId region, mlir::Operation* op) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Shape> shapes, Shapes(block.getArgumentTypes(), op));
    std::vector<ValueId> values;
    for (Shape& shape : shapes) values.push_back(graph_.AddValue(std::move(shape), region));
    SetValues(block.getArguments(), values);
    graph_.regions[region].arguments = std::move(values);
    return OkStatus();
  }

  // What `attrs` says of an array of the program's signature; nullopt where it says nothing.
  StatusOr<std::optional<Sharding>> ReadSignature(mlir::func::FuncOp func, mlir::DictionaryAttr attrs,
                                                  const Shape& shape) const {
    if (!shards_ || !attrs) return std::optional<Sharding>();
    if (auto gspmd = attrs.getAs<mlir::StringAttr>("mhlo.sharding"); gspmd && gspmd.getValue() != "{replicated}") {
      return NotYet(func, "the sharding '" + gspmd.str() + "' in the form of GSPMD: let JAX use Shardy");
    }
    const auto given = attrs.getAs<sdy::TensorShardingAttr>("sdy.sharding");
    if (!given) return std::optional<Sharding>();
    TREADLE_ASSIGN_OR_RETURN(Sharding sharding, ReadSharding(given, shape, func, participants_));
    return std::optional<Sharding>(std::move(sharding));
  }

  // Those of the program, which hold complex numbers as they lie in memory, and what this device has of an array.
  Status ImportParameters(mlir::Block& block, RegionId region, mlir::func::FuncOp func) {
    for (mlir::BlockArgument argument : block.getArguments()) {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(argument.getType(), func));
      TREADLE_ASSIGN_OR_RETURN(std::optional<Sharding> given,
                               ReadSignature(func, func.getArgAttrDict(argument.getArgNumber()), shape));
      Sharding sharding = given.value_or(Sharding());
      const bool cut = !sharding.whole() && !graph_.global_view;
      const Shape held = cut ? sharding.TileShape(shape) : shape;
      const bool complex = IsComplex(shape.type);
      ValueId value = graph_.AddValue(complex ? PairShape(held) : held, region);
      graph_.regions[region].arguments.push_back(value);
      graph_.complex_arguments.push_back(complex);
      graph_.argument_shardings.push_back(sharding);
      const int32_t location = Location(argument.getLoc());
      Complex parts = {value};
      if (complex) {
        Formula f(graph_, region, PartShape(held), location);
        parts = pairs_.Parts(f, value);
      }
      if (cut) {
        values_.DefineTile(argument, {parts, std::move(sharding), complex ? PartShape(shape) : shape, location});
      } else {
        values_[argument] = parts;
      }
    }
    return OkStatus();
  }

  // Where nothing is said, a result stays spread over the devices as it is.
  Status ExportResults(mlir::Block& block, RegionId region, mlir::func::FuncOp func) {
    mlir::Operation* end = block.getTerminator();
    for (unsigned i = 0; i < end->getNumOperands(); ++i) {
      mlir::Value result = end->getOperand(i);
      TREADLE_ASSIGN_OR_RETURN(const Shape whole, ShapeOf(result.getType(), func));
      TREADLE_ASSIGN_OR_RETURN(std::optional<Sharding> given, ReadSignature(func, func.getResultAttrDict(i), whole));
      const int32_t location = Location(result.getLoc());
      const Values::Tile* tile = values_.TileOf(result);
      Sharding sharding = given ? *std::move(given) : tile != nullptr ? tile->sharding : Sharding();
      const Complex parts =
          graph_.global_view ? values_.lookup(result) : values_.Part(result, sharding, {region, location});
      const bool complex = parts.im >= 0;
      Formula f(graph_, region, graph_.shape(parts.re), location);
      graph_.regions[region].results.push_back(complex ? pairs_.Pairs(f, parts) : parts.re);
      graph_.complex_results.push_back(complex);
      graph_.result_shardings.push_back(std::move(sharding));
    }
    return OkStatus();
  }

  Status ImportBlock(mlir::Block& block, RegionId region, int depth) {
    if (depth > kMaxDepth) return ResourceExhausted("calls or regions nest deeper than " + std::to_string(kMaxDepth));
    for (mlir::Operation& op : block.without_terminator()) {
      Status status = ImportOp(&op, region, depth);
      if (status.ok()) continue;
      if (std::exchange(located_, true)) return status;
      return Status(status.code(), status.message() + ", at " + LocationText(op.getLoc(), calls_));
    }
    return OkStatus();
  }

  Status ImportOp(mlir::Operation* op, RegionId region, int depth) {
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return Inline(op, call.getCallee(), region, depth);
    if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op)) return ImportComposite(composite, region, depth);
    if (auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) return ImportCustomCall(custom, region);
    if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) return ImportManual(manual, region, depth);
    if (IsCollective(op)) return ImportCollective(op, region, depth);
    if (IsTransfer(op)) return ImportTransfer(op, region);
    if (IsAlgorithm(op)) return algorithm_importer_.Import(op, region, Location(op->getLoc()));
    llvm::StringRef name = op->getName().getStringRef();
    // Where a value should lie does not change what it is.
    if (name == "sdy.sharding_constraint" || name == "sdy.propagation_barrier" || name == "sdy.reshard")
      return Forward(op);
    if (name == "sdy.sharding_group") return OkStatus();
    if (name == "stablehlo.create_token" || name == "stablehlo.after_all")
      return MakeToken(op->getResult(0), op, region);
    if (name == "stablehlo.complex" || name == "stablehlo.real" || name == "stablehlo.imag")
      return ImportParts(op, name, region);
    if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op)) return ImportSelect(select, region, depth);
    if (auto random = llvm::dyn_cast<stablehlo::RngBitGeneratorOp>(op)) return ImportRandomBits(random, region);
    std::optional<OpCode> code = CodeOf(name);
    if (!code) return NotYet(op);
    const auto is_complex = [](mlir::Type type) { return IsComplexType(type); };
    if (code == OpCode::kBitcastConvert && op->getOperand(0).getType() == op->getResult(0).getType())
      return Forward(op);
    const bool complex =
        llvm::any_of(op->getOperandTypes(), is_complex) || llvm::any_of(op->getResultTypes(), is_complex);
    if (code == OpCode::kBitcastConvert && (complex || Rank(op->getOperand(0)) != Rank(op->getResult(0))))
      return ImportBitcast(op, region);
    if (complex) return ImportComplex(op, *code, region, depth);
    return ImportPlain(op, *code, region, depth);
  }

  // Transfers keep the order of the program (order_transfers.h), so tokens need not tell it: they are arrays without
  // elements.
  Status MakeToken(mlir::Value token, mlir::Operation* op, RegionId region) {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(token.getType(), op));
    Formula f(graph_, region, shape, Location(op->getLoc()));
    values_[token] = {f.Splat(shape, 0)};
    return OkStatus();
  }

  Status ImportManual(sdy::ManualComputationOp op, RegionId region, int depth) {
    const Collectives::Place place = {region, Location(op.getLoc())};
    TREADLE_RETURN_IF_ERROR(collective_importer_.EnterManual(op, place));
    TREADLE_RETURN_IF_ERROR(ImportBlock(op.getBody().front(), region, depth + 1));
    return collective_importer_.LeaveManual(op, place);
  }

  Status ImportCollective(mlir::Operation* op, RegionId region, int depth) {
    if (graph_.global_view) return NotYet(op, "outside of a manual computation");
    TREADLE_ASSIGN_OR_RETURN(const std::vector<RegionId> regions, ImportRegions(op, depth));
    return collective_importer_.Import(op, regions, {region, Location(op->getLoc())});
  }

  // Arrays as they lie in the host's memory; the token at the end of operands and results is made where it is read.
  Status ImportTransfer(mlir::Operation* op, RegionId region) {
    // A program that runs once for all devices has one end of each channel to the host, as JAX's callbacks want it.
    if (graph_.global_view && !IsHostTransfer(op)) return NotYet(op, "in a program that several devices run as one");
    const int32_t location = Location(op->getLoc());
    graph::Transfer transfer = ReadTransfer(op, participants_);
    std::vector<ValueId> operands;
    for (mlir::Value operand : op->getOperands().drop_back()) {
      TREADLE_ASSIGN_OR_RETURN(transfer.shapes.emplace_back(), ShapeOf(operand.getType(), op));
      const Complex parts = values_.lookup(operand);
      Formula f(graph_, region, graph_.shape(parts.re), location);
      operands.push_back(parts.im >= 0 ? pairs_.Pairs(f, parts) : parts.re);
    }
    std::vector<Shape> shapes;
    for (mlir::Value result : op->getResults().drop_back()) {
      TREADLE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(result.getType(), op));
      transfer.shapes.push_back(shape);
      shapes.push_back(IsComplex(shape.type) ? PairShape(shape) : shape);
    }
    graph::Attributes attrs;
    attrs.transfer = std::make_shared<const graph::Transfer>(std::move(transfer));
    const graph::OpId id =
        graph_.AddOp(region, OpCode::kTransfer, std::move(operands), std::move(shapes), std::move(attrs), {}, location);
    for (unsigned i = 0; i + 1 < op->getNumResults(); ++i) {
      const ValueId value = graph_.ops[id].results[i];
      const Shape& shape = graph_.ops[id].attrs.transfer->shapes[i];
      Formula f(graph_, region, IsComplex(shape.type) ? PartShape(shape) : shape, location);
      values_[op->getResult(i)] = IsComplex(shape.type) ? pairs_.Parts(f, value) : Complex{value};
    }
    return MakeToken(op->getResults().back(), op, region);
  }

  static int64_t Rank(mlir::Value value) { return llvm::cast<mlir::ShapedType>(value.getType()).getRank(); }

  // Between elements of different width, and of complex numbers in the form that they have in memory.
  Status ImportBitcast(mlir::Operation* op, RegionId region) {
    TREADLE_ASSIGN_OR_RETURN(const Shape result, ShapeOf(op->getResult(0).getType(), op));
    const Complex operand = values_.lookup(op->getOperand(0));
    ValueId from = operand.re;
    if (operand.im >= 0) {
      Formula parts(graph_, region, graph_.shape(operand.re), Location(op->getLoc()));
      from = pairs_.Pairs(parts, operand);
    }
    const bool complex = IsComplex(result.type);
    Formula f(graph_, region, complex ? PartShape(result) : result, Location(op->getLoc()));
    const ValueId value = BitcastInMemory(f, from, complex ? PairShape(result) : result);
    values_[op->getResult(0)] = complex ? pairs_.Parts(f, value) : Complex{value};
    return OkStatus();
  }

  // The algorithm that programs leave open is Philox, as in jaxlib's CPU backend.
  Status ImportRandomBits(stablehlo::RngBitGeneratorOp op, RegionId region) {
    TREADLE_ASSIGN_OR_RETURN(Shape output, ShapeOf(op->getResult(1).getType(), op));
    ValueId state = values_.lookup(op->getOperand(0)).re;
    const Shape& words = graph_.shape(state);
    const bool philox = op.getRngAlgorithm() != stablehlo::RngAlgorithm::THREE_FRY;
    const bool known =
        words.type == ElementType::kU64 && words.rank() == 1 && (words.dims[0] == 2 || (philox && words.dims[0] == 3));
    if (!known || !IsInteger(output.type)) return NotYet(op);
    Formula f(graph_, region, output, Location(op->getLoc()));
    RandomBits random = philox ? PhiloxBits(f, state, output) : ThreefryBits(f, state, output);
    values_[op->getResult(0)] = {random.state};
    values_[op->getResult(1)] = {random.bits};
    return OkStatus();
  }

  StatusOr<std::vector<RegionId>> ImportRegions(mlir::Operation* op, int depth) {
    std::vector<RegionId> regions;
    for (mlir::Region& inner : op->getRegions()) {
      RegionId id = graph_.AddRegion();
      TREADLE_RETURN_IF_ERROR(ImportArguments(inner.front(), id, op));
      TREADLE_RETURN_IF_ERROR(ImportBlock(inner.front(), id, depth + 1));
      graph_.regions[id].results = Operands(inner.front().getTerminator());
      regions.push_back(id);
    }
    return regions;
  }

  Status ImportSelect(stablehlo::SelectAndScatterOp op, RegionId region, int depth) {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(op.getResult().getType(), op));
    const mlir::Type element = mlir::getElementTypeOrSelf(op.getResult().getType());
    const auto is_same = [&](mlir::Type type) { return mlir::getElementTypeOrSelf(type) == element; };
    if (!llvm::all_of(op->getOperandTypes(), is_same)) return NotYet(op);
    TREADLE_ASSIGN_OR_RETURN(std::vector<RegionId> regions, ImportRegions(op, depth));
    Formula f(graph_, region, IsComplex(shape.type) ? PartShape(shape) : shape, Location(op->getLoc()));
    const auto parts_of = [&](mlir::Value value) {
      const Complex parts = values_.lookup(value);
      return parts.im >= 0 ? std::vector{parts.re, parts.im} : std::vector{parts.re};
    };
    const std::optional<std::vector<ValueId>> result =
        Expand(f, {parts_of(op.getOperand()), parts_of(op.getSource()), parts_of(op.getInitValue()),
                   ReadSelectWindow(op), regions[0], regions[1]});
    if (!result) return NotYet(op);
    SetValues(op->getResults(), *result);
    return OkStatus();
  }

  Status ImportPlain(mlir::Operation* op, OpCode code, RegionId region, int depth) {
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, code));
    TREADLE_ASSIGN_OR_RETURN(std::vector<RegionId> regions, ImportRegions(op, depth));
    if (code == OpCode::kReduce || code == OpCode::kReduceWindow) {
      return AddReduction(op, code, region, std::move(attrs), regions[0]);
    }
    return Add(op, code, region, std::move(attrs), std::move(regions));
  }

  // Scalars from outside that a region reads.
  std::vector<ValueId> Captured(RegionId region) const {
    std::vector<ValueId> captured;
    const auto see = [&](ValueId value) {
      const graph::Value& v = graph_.values[value];
      const bool constant = v.def >= 0 && graph_.ops[v.def].code == OpCode::kConstant;
      if (v.region == region || constant || v.shape.rank() > 0) return;
      if (std::find(captured.begin(), captured.end(), value) == captured.end()) captured.push_back(value);
    };
    for (graph::OpId op : graph_.regions[region].ops) std::ranges::for_each(graph_.ops[op].operands, see);
    std::ranges::for_each(graph_.regions[region].results, see);
    return captured;
  }

  // A region of a reduction reads nothing from outside: what it would becomes one more input, the same everywhere, that
  // is its own result.
  Status AddReduction(mlir::Operation* op, OpCode code, RegionId region, graph::Attributes attrs, RegionId body) {
    std::vector<ValueId> operands = Operands(op);
    const size_t inputs = operands.size() / 2;
    TREADLE_ASSIGN_OR_RETURN(std::vector<Shape> shapes, Shapes(op->getResultTypes(), op));
    const std::vector<ValueId> captured = Captured(body);
    std::vector<ValueId> arguments = graph_.regions[body].arguments, wide, accumulated, values;
    for (ValueId value : captured) {
      const Shape scalar = graph_.shape(value);
      Formula f(graph_, region, scalar, Location(op->getLoc()));
      wide.push_back(f.Op(OpCode::kBroadcastInDim, {value}, {scalar.type, graph_.shape(operands[0]).dims}));
      shapes.push_back({scalar.type, shapes[0].dims});
      accumulated.push_back(graph_.AddValue(scalar, body));
      values.push_back(graph_.AddValue(scalar, body));
      const auto replace = [&, inside = accumulated.back()](ValueId& read) {
        if (read == value) read = inside;
      };
      for (graph::OpId inner : graph_.regions[body].ops) std::ranges::for_each(graph_.ops[inner].operands, replace);
      std::ranges::for_each(graph_.regions[body].results, replace);
      graph_.regions[body].results.push_back(accumulated.back());
    }
    operands.insert(operands.begin() + static_cast<int64_t>(inputs), wide.begin(), wide.end());
    operands.insert(operands.end(), captured.begin(), captured.end());
    arguments.insert(arguments.begin() + static_cast<int64_t>(inputs), accumulated.begin(), accumulated.end());
    arguments.insert(arguments.end(), values.begin(), values.end());
    graph_.regions[body].arguments = std::move(arguments);
    const graph::OpId id = graph_.AddOp(region, code, std::move(operands), std::move(shapes), std::move(attrs), {body},
                                        Location(op->getLoc()));
    SetValues(op->getResults(), graph_.ops[id].results);
    return OkStatus();
  }

  Status Add(mlir::Operation* op, OpCode code, RegionId region, graph::Attributes attrs,
             std::vector<RegionId> regions) {
    TREADLE_ASSIGN_OR_RETURN(std::vector<Shape> shapes, Shapes(op->getResultTypes(), op));
    graph::OpId id = graph_.AddOp(region, code, Operands(op), std::move(shapes), std::move(attrs), std::move(regions),
                                  Location(op->getLoc()));
    SetValues(op->getResults(), graph_.ops[id].results);
    return OkStatus();
  }

  // --- complex numbers ---

  // stablehlo.complex, real and imag; the latter two may also read real numbers.
  Status ImportParts(mlir::Operation* op, llvm::StringRef name, RegionId region) {
    Complex first = values_.lookup(op->getOperand(0));
    Complex& result = values_[op->getResult(0)];
    if (name == "stablehlo.complex") {
      result = {first.re, values_.lookup(op->getOperand(1)).re};
    } else if (name == "stablehlo.real") {
      result = {first.re};
    } else if (first.im >= 0) {
      result = {first.im};
    } else {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(op->getResult(0).getType(), op));
      if (shape.type != ElementType::kF32 && shape.type != ElementType::kF64) return NotYet(op);
      values_[op->getResult(0)] = {Formula(graph_, region, shape, Location(op->getLoc())).Constant(0)};
    }
    return OkStatus();
  }

  Status ImportComplex(mlir::Operation* op, OpCode code, RegionId region, int depth) {
    switch (code) {
      case OpCode::kWhile:
      case OpCode::kIf:
      case OpCode::kCase:
      case OpCode::kOptimizationBarrier:
      case OpCode::kScatter:
        return ImportPlain(op, code, region, depth);
      case OpCode::kSort:
        return ImportComplexSort(op, region, depth);
      case OpCode::kReduce:
      case OpCode::kReduceWindow:
        return ImportComplexReduce(op, code, region, depth);
      default:
        break;
    }
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, code));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Shape> shapes, Shapes(op->getResultTypes(), op));
    Formula f(graph_, region, shapes[0], Location(op->getLoc()));
    f.set_in_reduction(in_reduction_);
    if (graph::OpClassOf(code) == graph::OpClass::kElementwise) return ImportComplexElementwise(op, code, attrs, f);
    Complex result;
    if (code == OpCode::kConstant) {
      result = ComplexConstant(f, attrs);
    } else if (code == OpCode::kIota) {
      result.re = f.Op(code, {}, shapes[0], std::move(attrs));
      result.im = f.Constant(0);
    } else if ((code == OpCode::kDotGeneral || code == OpCode::kConvolution) &&
               IsComplexType(op->getOperand(0).getType()) && IsComplexType(op->getOperand(1).getType())) {
      result = ComplexProduct(f, pairs_, code, std::move(attrs), values_.lookup(op->getOperand(0)),
                              values_.lookup(op->getOperand(1)));
    } else if (graph::OpClassOf(code) == graph::OpClass::kMovement) {
      result.re = f.Op(code, PartOperands(op, false), shapes[0], attrs);
      result.im = f.Op(code, PartOperands(op, true), shapes[0], std::move(attrs));
    } else {
      return NotYet(op);
    }
    values_[op->getResult(0)] = result;
    return OkStatus();
  }

  // The comparator's arguments come in pairs, of which the parts make two.
  Status ImportComplexSort(mlir::Operation* op, RegionId region, int depth) {
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, OpCode::kSort));
    mlir::Block& body = op->getRegion(0).front();
    RegionId id = graph_.AddRegion();
    auto add_pair = [&](const Shape& shape) {
      std::pair<ValueId, ValueId> pair = {graph_.AddValue(shape, id), graph_.AddValue(shape, id)};
      graph_.regions[id].arguments.insert(graph_.regions[id].arguments.end(), {pair.first, pair.second});
      return pair;
    };
    for (unsigned i = 0; i < body.getNumArguments(); i += 2) {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(body.getArgument(i).getType(), op));
      auto [first, second] = add_pair(IsComplex(shape.type) ? PartShape(shape) : shape);
      std::pair<ValueId, ValueId> imaginary = {-1, -1};
      if (IsComplex(shape.type)) imaginary = add_pair(PartShape(shape));
      values_[body.getArgument(i)] = {first, imaginary.first};
      values_[body.getArgument(i + 1)] = {second, imaginary.second};
    }
    TREADLE_RETURN_IF_ERROR(ImportBlock(body, id, depth + 1));
    graph_.regions[id].results = Operands(body.getTerminator());
    return Add(op, OpCode::kSort, region, std::move(attrs), {id});
  }

  // The real or imaginary parts of complex operands; others, such as the starts of windows, as they are.
  std::vector<ValueId> PartOperands(mlir::Operation* op, bool imaginary) {
    std::vector<ValueId> operands;
    for (mlir::Value operand : op->getOperands()) {
      Complex parts = values_.lookup(operand);
      operands.push_back(imaginary && parts.im >= 0 ? parts.im : parts.re);
    }
    return operands;
  }

  Status ImportComplexElementwise(mlir::Operation* op, OpCode code, const graph::Attributes& attrs, Formula& f) {
    std::vector<Complex> z;
    for (mlir::Value operand : op->getOperands()) z.push_back(values_.lookup(operand));
    Complex& result = values_[op->getResult(0)];
    if (code == OpCode::kSelect) {
      result = ComplexSelect(f, z[0].re, z[1], z[2]);
    } else if (code == OpCode::kCompare) {
      result = {ComplexCompare(f, attrs.direction, z[0], z[1])};
    } else if (code == OpCode::kAbs) {
      result = {ComplexAbs(f, z[0])};
    } else if (code == OpCode::kConvert) {
      result = Converted(f, z[0], op->getResult(0).getType());
    } else if (std::optional<Complex> known = ComplexElementwise(f, code, z)) {
      result = *known;
    } else {
      return NotYet(op);
    }
    return OkStatus();
  }

  // f's shape is that of the result or of its parts. Real numbers get an imaginary part of 0; to other types goes the
  // real part, as the specification has it.
  Complex Converted(Formula& f, Complex z, mlir::Type to) {
    if (IsComplexType(to))
      return {f.Apply(OpCode::kConvert, {z.re}), z.im < 0 ? f.Constant(0) : f.Apply(OpCode::kConvert, {z.im})};
    return {f.Apply(OpCode::kConvert, {z.re})};
  }

  // Sums are sums of the parts, each by itself; other regions work on all parts of all inputs.
  Status ImportComplexReduce(mlir::Operation* op, OpCode code, RegionId region, int depth) {
    mlir::Block& body = op->getRegion(0).front();
    auto add = llvm::dyn_cast<stablehlo::AddOp>(body.front());
    const bool sum = op->getNumResults() == 1 && add && add->getNextNode() == body.getTerminator() &&
                     body.getTerminator()->getOperand(0) == add->getResult(0) &&
                     add->getOperand(0) != add->getOperand(1);
    if (!sum) {
      const bool outside = std::exchange(in_reduction_, true);
      Status status = ImportPlain(op, code, region, depth);
      in_reduction_ = outside;
      return status;
    }
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, code));
    TREADLE_ASSIGN_OR_RETURN(std::vector<Shape> shapes, Shapes(op->getResultTypes(), op));
    ValueId results[2];
    for (int part = 0; part < 2; ++part) {
      graph::OpId id = graph_.AddOp(region, code, PartOperands(op, part == 1), {shapes[part]}, attrs,
                                    {SumRegion(shapes[part].type, op)}, Location(op->getLoc()));
      results[part] = graph_.ops[id].results[0];
    }
    values_[op->getResult(0)] = {results[0], results[1]};
    return OkStatus();
  }

  RegionId SumRegion(ElementType type, mlir::Operation* op) {
    RegionId region = graph_.AddRegion();
    ValueId a = graph_.AddValue({type, {}}, region), b = graph_.AddValue({type, {}}, region);
    graph_.regions[region].arguments = {a, b};
    Formula f(graph_, region, {type, {}}, Location(op->getLoc()));
    ValueId sum = f.Add(a, b);
    graph_.regions[region].results = {sum};
    return region;
  }

  // --- calls ---

  // A function that is called twice is imported twice: its values get new numbers each time.
  Status Inline(mlir::Operation* op, llvm::StringRef callee, RegionId region, int depth) {
    auto func = symbols_.lookup<mlir::func::FuncOp>(callee);
    if (!func || func.isExternal()) return InvalidArgument("no function @" + callee.str() + " for " + Describe(op));
    mlir::Block& body = func.getBody().front();
    Forward(body.getArguments(), op->getOperands());
    calls_.push_back(op->getLoc());
    TREADLE_RETURN_IF_ERROR(ImportBlock(body, region, depth + 1));
    calls_.pop_back();
    Forward(op->getResults(), body.getTerminator()->getOperands());
    return OkStatus();
  }

  Status ImportComposite(stablehlo::CompositeOp op, RegionId region, int depth) {
    bool real = llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getOperand(0)));
    const std::optional<OpCode> code = op.getName().starts_with("chlo.") ? CodeOf(op.getName()) : std::nullopt;
    if (code && op->getNumOperands() == 1 && real) return Add(op, *code, region, {}, {});
    return Inline(op, op.getDecomposition(), region, depth);
  }

  Status ImportCustomCall(stablehlo::CustomCallOp op, RegionId region) {
    llvm::StringRef target = op.getCallTargetName();
    bool annotation = target == "Sharding" || target == "annotate_device_placement" || target == "LayoutConstraint";
    if (annotation && op->getNumOperands() == op->getNumResults()) return Forward(op);
    if (target == "dce_sink" && op->getNumResults() == 0) return OkStatus();  // there for what reads the program
    if (std::optional<graph::Algorithm> algorithm = AlgorithmOfTarget(target)) {
      return algorithm_importer_.ImportTarget(op, *algorithm, region, Location(op->getLoc()));
    }
    return NotYet(op, "custom call @" + target.str());
  }

  template <typename To>
  void Forward(To to, mlir::OperandRange from) {
    for (auto [result, operand] : llvm::zip(to, from)) values_.Bind(result, operand);
  }

  Status Forward(mlir::Operation* op) {
    Forward(op->getResults(), op->getOperands());
    return OkStatus();
  }

  mlir::SymbolTable symbols_;
  const Participants participants_;
  const bool shards_;
  graph::Graph graph_;
  Collectives collectives_;
  Values values_;
  CollectiveImporter collective_importer_;
  ComplexPairs pairs_;
  bool in_reduction_ = false;  // of complex numbers
  AlgorithmImporter algorithm_importer_;
  llvm::DenseMap<mlir::Location, int32_t> locations_;
  std::vector<mlir::Location> calls_;  // being inlined, outermost first
  bool located_ = false;               // the error on its way up says where
};

}  // namespace

StatusOr<graph::Graph> ToGraph(mlir::ModuleOp module, std::string_view function, Participants participants, bool spmd) {
  auto func = module.lookupSymbol<mlir::func::FuncOp>(llvm::StringRef(function));
  if (!func || func.isExternal()) return InvalidArgument("the module has no function @" + std::string(function));
  const bool shards = spmd && participants.count() > 1;
  if (shards && participants.replicas > 1) {
    return Unimplemented("sharded programs with several replicas: @" + func.getName().str());
  }
  const auto is_manual = [](sdy::ManualComputationOp) { return mlir::WalkResult::interrupt(); };
  const bool manual = module.walk(is_manual).wasInterrupted();
  return Importer(module, participants, shards).Run(func, /*global=*/shards && !manual);
}

}  // namespace treadle::compiler
