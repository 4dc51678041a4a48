#include "stablehlo/check/outline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "stablehlo/check/expectation.h"
#include "stablehlo/check/ops.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/functions_to_run.h"
#include "stablehlo/interpreter/ops.h"
#include "stablehlo/interpreter/tensor.h"
#include "stablehlo/read.h"

namespace treadle::check {

namespace {

using mlir::func::FuncOp;

Status At(mlir::Operation* op, const std::string& message) {
  return Unimplemented(stablehlo::Describe(op) + ": " + message);
}

std::string PlaceOf(mlir::Operation* op) {
  const std::string line = stablehlo::SourceLine(op->getLoc());
  return (line.empty() ? "" : line + ": ") + "error: '" + op->getName().getStringRef().str() + "' op ";
}

Shape ShapeOf(mlir::Type type) {
  const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  return {interpreter::StorageOf(tensor.getElementType()), {tensor.getShape().begin(), tensor.getShape().end()}};
}

// Takes the expectations out of one function.
class Outliner {
 public:
  explicit Outliner(FuncOp function) : function_(function) { outlined_.name = function.getName().str(); }

  StatusOr<OutlinedFunction> Run() {
    mlir::Block& body = function_.getBody().front();
    for (mlir::Operation& op : llvm::make_early_inc_range(body)) TREADLE_RETURN_IF_ERROR(Visit(&op));
    // Nothing expected: it still has to run, so it keeps its results.
    mlir::Operation* end = body.getTerminator();
    if (results_.empty()) {
      for (mlir::Value value : end->getOperands()) {
        if (llvm::isa<mlir::RankedTensorType>(value.getType())) results_.push_back(value);
      }
    }
    end->setOperands(results_);
    outlined_.results = static_cast<int>(results_.size());
    function_.setFunctionType(mlir::FunctionType::get(function_.getContext(), function_.getArgumentTypes(),
                                                      mlir::ValueRange(results_).getTypes()));
    function_.removeResAttrsAttr();
    function_.setPublic();
    for (mlir::Type type : function_.getArgumentTypes()) {
      if (!llvm::isa<mlir::RankedTensorType>(type)) return At(function_, "an argument that is no tensor");
      outlined_.parameters.push_back(ShapeOf(type));
    }
    return std::move(outlined_);
  }

 private:
  Status Visit(mlir::Operation* op) {
    if (llvm::isa<interpreter::PrintOp>(op)) {
      op->erase();
      return OkStatus();
    }
    const std::optional<Expectation> expectation = ExpectationOf(op);
    if (!expectation) return OkStatus();
    TREADLE_RETURN_IF_ERROR(Expect(*expectation, op));
    // check.eq says whether it held; nobody hears of it who is not told otherwise.
    mlir::OpBuilder builder(op);
    for (mlir::Value result : op->getResults()) {
      const auto type = llvm::cast<mlir::RankedTensorType>(result.getType());
      auto held = stablehlo::ConstantOp::create(builder, op->getLoc(), mlir::DenseElementsAttr::get(type, true));
      result.replaceAllUsesWith(held.getResult());
    }
    op->erase();
    return OkStatus();
  }

  Status Expect(const Expectation& expectation, mlir::Operation* op) {
    const mlir::Value actual = op->getOperand(expectation.actual);
    OutlinedExpectation outlined = {.rule = expectation.rule, .place = PlaceOf(op), .actual = ResultFor(actual)};
    if (expectation.expected >= 0) {
      outlined.expected = ResultFor(op->getOperand(expectation.expected));
    } else if (expectation.value) {
      const auto type = llvm::cast<mlir::RankedTensorType>(expectation.value.getType());
      TREADLE_ASSIGN_OR_RETURN(const interpreter::Tensor value,
                               interpreter::Tensor::FromAttribute(expectation.value, type));
      outlined.value_shape = ShapeOf(type);
      outlined.value = value.bytes();
    } else {
      outlined.probe = std::string(kProbeConfig) + expectation.probe;
      outlined.iteration = expectation.iteration;
    }
    outlined_.expectations.push_back(std::move(outlined));
    return OkStatus();
  }

  // The place among the results that holds `value`.
  int ResultFor(mlir::Value value) {
    auto at = llvm::find(results_, value);
    if (at == results_.end()) at = results_.insert(results_.end(), value);
    return static_cast<int>(at - results_.begin());
  }

  FuncOp function_;
  OutlinedFunction outlined_;
  llvm::SmallVector<mlir::Value> results_;
};

// What a probe sees leaves the program.
void FeedOut(interpreter::ProbeOp probe) {
  mlir::OpBuilder builder(probe);
  auto token = stablehlo::AfterAllOp::create(builder, probe.getLoc(), stablehlo::TokenType::get(builder.getContext()),
                                             mlir::ValueRange());
  stablehlo::OutfeedOp::create(builder, probe.getLoc(), token.getType(), probe.getOperand(), token,
                               builder.getStringAttr(std::string(kProbeConfig) + probe.getProbeId().str()));
  probe.getResult().replaceAllUsesWith(probe.getOperand());
  probe.erase();
}

bool IsForTests(mlir::Operation* op) {
  return ExpectationOf(op) || op->getName().getDialectNamespace() == "interpreter";
}

bool RunsGrids(FuncOp function) {
  return function.walk([](interpreter::RunParallelOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

}  // namespace

StatusOr<OutlinedProgram> Outline(std::string_view program, std::string_view name) {
  stablehlo::BorrowedContext context;
  TREADLE_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module, stablehlo::ReadProgram(*context, program, name));
  OutlinedProgram outlined;
  module->walk([](interpreter::ProbeOp probe) { FeedOut(probe); });
  llvm::DenseSet<FuncOp> running;
  for (FuncOp function : interpreter::FunctionsToRun(*module)) {
    running.insert(function);
    if (RunsGrids(function)) {
      outlined.functions.push_back({.name = function.getName().str(), .runs_grids = true});
      continue;
    }
    TREADLE_ASSIGN_OR_RETURN(OutlinedFunction part, Outliner(function).Run());
    outlined.functions.push_back(std::move(part));
  }
  // Programs of grids print as they like; the rest must be gone.
  mlir::Operation* left = nullptr;
  module->walk([&](mlir::Operation* op) {
    if (auto print = llvm::dyn_cast<interpreter::PrintOp>(op)) {
      print.erase();
      return;
    }
    auto function = op->getParentOfType<FuncOp>();
    if (!IsForTests(op) || !function || RunsGrids(function)) return;
    const bool unused = mlir::SymbolTable::symbolKnownUseEmpty(function.getSymNameAttr(), *module);
    if (running.contains(function) || !unused) left = op;
  });
  if (left != nullptr) return At(left, "in a region or a called function of compiled code");
  llvm::raw_string_ostream stream(outlined.text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return outlined;
}

}  // namespace treadle::check
