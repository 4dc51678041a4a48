#include "compiler/optimize/to_graph.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/optimize/describe.h"
#include "compiler/optimize/read_attributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

using graph::OpCode;
using graph::RegionId;
using graph::ValueId;

// Programs that call or nest deeper than this are refused rather than risking the stack.
constexpr int kMaxDepth = 200;

std::optional<OpCode> CodeOf(llvm::StringRef name) {
  static const llvm::StringMap<OpCode>* const codes = [] {
    auto* map = new llvm::StringMap<OpCode>;
#define GRAPH_OP(code, text, cls) (*map)["stablehlo." text] = OpCode::code;
#include "compiler/graph/op_codes.def"
    map->erase("stablehlo.erf");  // comes as a composite
    return map;
  }();
  auto found = codes->find(name);
  return found == codes->end() ? std::nullopt : std::optional(found->second);
}

class Importer {
 public:
  explicit Importer(mlir::ModuleOp module) : symbols_(module) {}

  StatusOr<graph::Graph> Run(mlir::func::FuncOp func) {
    graph_.name = func.getName().str();
    RegionId main = graph_.AddRegion();
    for (mlir::BlockArgument argument : func.getArguments()) TREADLE_RETURN_IF_ERROR(CheckArgument(func, argument));
    TREADLE_RETURN_IF_ERROR(ImportArguments(func.getBody().front(), main, func));
    for (unsigned i = 0; i < func.getNumArguments(); ++i) ReadDonation(func, i);
    TREADLE_ASSIGN_OR_RETURN(graph_.regions[main].results, ImportBlock(func.getBody().front(), main, 0));
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

  std::vector<ValueId> Operands(mlir::Operation* op) const {
    std::vector<ValueId> operands;
    for (mlir::Value operand : op->getOperands()) operands.push_back(values_.lookup(operand));
    return operands;
  }

  int32_t Location(mlir::Operation* op) {
    auto [it, inserted] = locations_.try_emplace(op->getLoc(), static_cast<int32_t>(graph_.locations.size()));
    if (inserted) graph_.locations.push_back(LocationText(op->getLoc(), calls_));
    return it->second;
  }

  Status ImportArguments(mlir::Block& block, RegionId region, mlir::Operation* op) {
    for (mlir::BlockArgument argument : block.getArguments()) {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(argument.getType(), op));
      ValueId value = graph_.AddValue(std::move(shape), region);
      graph_.regions[region].arguments.push_back(value);
      values_[argument] = value;
    }
    return OkStatus();
  }

  // Returns the terminator's operands.
  StatusOr<std::vector<ValueId>> ImportBlock(mlir::Block& block, RegionId region, int depth) {
    if (depth > kMaxDepth) return ResourceExhausted("calls or regions nest deeper than " + std::to_string(kMaxDepth));
    for (mlir::Operation& op : block.without_terminator()) {
      Status status = ImportOp(&op, region, depth);
      if (status.ok()) continue;
      if (std::exchange(located_, true)) return status;
      return Status(status.code(), status.message() + ", at " + LocationText(op.getLoc(), calls_));
    }
    return Operands(block.getTerminator());
  }

  Status ImportOp(mlir::Operation* op, RegionId region, int depth) {
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return Inline(op, call.getCallee(), region, depth);
    if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op)) return ImportComposite(composite, region, depth);
    if (auto custom = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) return ImportCustomCall(custom);
    llvm::StringRef name = op->getName().getStringRef();
    // One device holds everything: where a value should lie is no matter.
    if (name == "sdy.sharding_constraint" || name == "sdy.propagation_barrier" || name == "sdy.reshard")
      return Forward(op);
    if (name == "sdy.sharding_group") return OkStatus();
    if (std::optional<OpCode> code = CodeOf(name)) return ImportPlain(op, *code, region, depth);
    return NotYet(op);
  }

  Status ImportPlain(mlir::Operation* op, OpCode code, RegionId region, int depth) {
    TREADLE_ASSIGN_OR_RETURN(graph::Attributes attrs, ReadAttributes(op, code));
    std::vector<RegionId> regions;
    for (mlir::Region& inner : op->getRegions()) {
      RegionId id = graph_.AddRegion();
      TREADLE_RETURN_IF_ERROR(ImportArguments(inner.front(), id, op));
      TREADLE_ASSIGN_OR_RETURN(std::vector<ValueId> results, ImportBlock(inner.front(), id, depth + 1));
      graph_.regions[id].results = std::move(results);
      regions.push_back(id);
    }
    return Add(op, code, region, std::move(attrs), std::move(regions));
  }

  Status Add(mlir::Operation* op, OpCode code, RegionId region, graph::Attributes attrs,
             std::vector<RegionId> regions) {
    std::vector<Shape> shapes;
    for (mlir::Type type : op->getResultTypes()) {
      TREADLE_ASSIGN_OR_RETURN(Shape shape, ShapeOf(type, op));
      shapes.push_back(std::move(shape));
    }
    graph::OpId id =
        graph_.AddOp(region, code, Operands(op), std::move(shapes), std::move(attrs), std::move(regions), Location(op));
    for (auto [result, value] : llvm::zip(op->getResults(), graph_.ops[id].results)) values_[result] = value;
    return OkStatus();
  }

  // A function that is called twice is imported twice: its values get new numbers each time.
  Status Inline(mlir::Operation* op, llvm::StringRef callee, RegionId region, int depth) {
    auto func = symbols_.lookup<mlir::func::FuncOp>(callee);
    if (!func || func.isExternal()) return InvalidArgument("no function @" + callee.str() + " for " + Describe(op));
    for (auto [argument, operand] : llvm::zip(func.getArguments(), op->getOperands())) {
      ValueId value = values_.lookup(operand);
      values_[argument] = value;
    }
    calls_.push_back(op->getLoc());
    TREADLE_ASSIGN_OR_RETURN(std::vector<ValueId> results, ImportBlock(func.getBody().front(), region, depth + 1));
    calls_.pop_back();
    for (auto [result, value] : llvm::zip(op->getResults(), results)) values_[result] = value;
    return OkStatus();
  }

  Status ImportComposite(stablehlo::CompositeOp op, RegionId region, int depth) {
    bool real = llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getOperand(0)));
    if (op.getName() == "chlo.erf" && op->getNumOperands() == 1 && real) return Add(op, OpCode::kErf, region, {}, {});
    return Inline(op, op.getDecomposition(), region, depth);
  }

  Status ImportCustomCall(stablehlo::CustomCallOp op) {
    llvm::StringRef target = op.getCallTargetName();
    bool annotation = target == "Sharding" || target == "annotate_device_placement" || target == "LayoutConstraint";
    if (annotation && op->getNumOperands() == op->getNumResults()) return Forward(op);
    return NotYet(op, "custom call @" + target.str());
  }

  Status Forward(mlir::Operation* op) {
    for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands())) {
      ValueId value = values_.lookup(operand);
      values_[result] = value;
    }
    return OkStatus();
  }

  mlir::SymbolTable symbols_;
  graph::Graph graph_;
  llvm::DenseMap<mlir::Value, ValueId> values_;
  llvm::DenseMap<mlir::Location, int32_t> locations_;
  std::vector<mlir::Location> calls_;  // being inlined, outermost first
  bool located_ = false;               // the error on its way up says where
};

}  // namespace

StatusOr<graph::Graph> ToGraph(mlir::ModuleOp module, std::string_view function) {
  auto func = module.lookupSymbol<mlir::func::FuncOp>(llvm::StringRef(function));
  if (!func || func.isExternal()) return InvalidArgument("the module has no function @" + std::string(function));
  return Importer(module).Run(func);
}

}  // namespace treadle::compiler
