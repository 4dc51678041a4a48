#include "stablehlo/interpreter/program.h"

#include "base/large_stack.h"
#include "mlir/IR/TypeUtilities.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/traits.h"
#include "stablehlo/interpreter/evaluate.h"

namespace treadle::interpreter {

namespace {

// Regions in regions and functions in functions; the stack holds as many.
constexpr int64_t kMaxDepth = 1000;
// Threads, which only exist to wait.
constexpr size_t kMaxProcesses = 256;

// Of StableHLO, beside those whose operands all have one shape and the dynamic_ ones.
constexpr llvm::StringLiteral kLookAtSizes[] = {"real_dynamic_slice",
                                                "get_dimension_size",
                                                "set_dimension_size",
                                                "reshape",
                                                "clamp",
                                                "select",
                                                "case",
                                                "if",
                                                "while",
                                                "optimization_barrier",
                                                "tuple",
                                                "get_tuple_element",
                                                "custom_call",
                                                "composite"};

// "file:line:col: error: 'stablehlo.add' op message", as MLIR writes it.
Status At(mlir::Operation* op, const Status& status) {
  const std::string line = stablehlo::SourceLine(op->getLoc());
  const std::string place = line.empty() ? stablehlo::Describe(op) + ": " : line + ": error: ";
  return Status(status.code(), place + "'" + op->getName().getStringRef().str() + "' op " + status.message());
}

bool HasUnknownSize(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

// Verifiers cannot promise that sizes fit where they are not known, so only operations that look for themselves go on.
bool LooksAtSizes(mlir::Operation* op) {
  if (op->getName().getDialectNamespace() != "stablehlo") return true;
  const llvm::StringRef name = op->getName().stripDialect();
  if (op->hasTrait<stablehlo::ElementwiseShape>()) return name != "cholesky" && name != "map";
  return name.starts_with("dynamic_") || llvm::is_contained(kLookAtSizes, name);
}

}  // namespace

// ---- What evaluators see.

std::vector<Tensor> Frame::tensors(int64_t first, int64_t count) const {
  std::vector<Tensor> tensors;
  for (int64_t i = first; i < first + count; ++i) tensors.push_back(tensor(i));
  return tensors;
}

llvm::SmallVector<int64_t> Frame::integers(int64_t i) const {
  llvm::SmallVector<int64_t> values;
  for (int64_t place = 0; place < tensor(i).size(); ++place) values.push_back(tensor(i).Get(place).integer);
  return values;
}

StatusOr<Tensor> Frame::Result(int64_t i, llvm::ArrayRef<int64_t> shape) const {
  const auto type = llvm::cast<mlir::RankedTensorType>(result_types_[i]);
  if (failed(mlir::verifyCompatibleShape(type.getShape(), shape))) {
    return InvalidArgument("gives a result of another shape than its type says");
  }
  for (int64_t size : shape) {
    if (size < 0) return InvalidArgument("gives a result of a negative size");
  }
  return Tensor::Zeros(mlir::RankedTensorType::get(shape, type.getElementType()));
}

StatusOr<Tensor> Frame::Result(int64_t i) const {
  return Tensor::Zeros(llvm::cast<mlir::RankedTensorType>(result_types_[i]));
}

StatusOr<std::vector<Tensor>> Frame::RunOnScalars(mlir::Region& region, const std::vector<Tensor>& arguments) const {
  Values values;
  for (auto [argument, tensor] : llvm::zip(region.getArguments(), arguments)) {
    TREADLE_ASSIGN_OR_RETURN(Tensor converted, ConvertTo(tensor, mlir::getElementTypeOrSelf(argument.getType())));
    values.emplace_back(std::move(converted));
  }
  TREADLE_ASSIGN_OR_RETURN(Values results, Run(region, std::move(values)));
  std::vector<Tensor> tensors;
  for (Value& result : results) tensors.push_back(std::get<Tensor>(std::move(result)));
  return tensors;
}

const Evaluators& Evaluators::All() {
  static const Evaluators* all = [] {
    auto* evaluators = new Evaluators;
    AddArithmetic(*evaluators);
    AddFunctions(*evaluators);
    AddChlo(*evaluators);
    AddConversions(*evaluators);
    AddMovement(*evaluators);
    AddIndexing(*evaluators);
    AddReductions(*evaluators);
    AddContractions(*evaluators);
    AddLinearAlgebra(*evaluators);
    AddRandom(*evaluators);
    AddCollectives(*evaluators);
    AddControlFlow(*evaluators);
    AddChecks(*evaluators);
    return evaluators;
  }();
  return *all;
}

// ---- Operations, regions, functions.

StatusOr<Values> Program::RunOperation(mlir::Operation* op, Values operands, const Scope& scope, Process& process) {
  const Evaluators::Entry* entry = Evaluators::All().Find(op->getName().getStringRef());
  if (entry == nullptr) return Unimplemented("has no meaning to the interpreter");
  const bool unknown =
      llvm::any_of(op->getOperandTypes(), HasUnknownSize) || llvm::any_of(op->getResultTypes(), HasUnknownSize);
  if (unknown && !LooksAtSizes(op)) return Unimplemented("works on sizes that are not known");
  const Frame::RunRegion run = [&](mlir::Region& region, Values arguments) {
    return RunRegion(region, std::move(arguments), &scope, process);
  };
  llvm::SmallVector<mlir::Type> types(op->getResultTypes());
  const bool quantized = !entry->on_storage && (llvm::any_of(op->getOperandTypes(), IsQuantized) ||
                                                llvm::any_of(op->getResultTypes(), IsQuantized));
  if (!quantized) {
    Frame frame(op, std::move(operands), std::move(types), process, run);
    return entry->evaluate(op, frame);
  }
  // dequantize_op_quantize
  for (Value& operand : operands) {
    if (!std::holds_alternative<Tensor>(operand)) continue;
    TREADLE_ASSIGN_OR_RETURN(operand, Dequantize(std::get<Tensor>(operand)));
  }
  for (mlir::Type& type : types) type = ExpressedType(type);
  Frame frame(op, std::move(operands), std::move(types), process, run);
  TREADLE_ASSIGN_OR_RETURN(Values results, entry->evaluate(op, frame));
  for (auto [result, type] : llvm::zip(results, op->getResultTypes())) {
    if (!std::holds_alternative<Tensor>(result)) continue;
    TREADLE_ASSIGN_OR_RETURN(result, Quantize(std::get<Tensor>(result), type));
  }
  return results;
}

StatusOr<Values> Program::RunBlock(mlir::Block& block, Scope& scope, Process& process) {
  auto lookup = [&](mlir::Value value) -> const Value& {
    const Scope* at = &scope;
    for (; at->parent != nullptr; at = at->parent) {
      if (auto it = at->values.find(value); it != at->values.end()) return it->second;
    }
    return at->values.find(value)->second;  // dominance is verified
  };
  for (mlir::Operation& op : block) {
    Values operands;
    operands.reserve(op.getNumOperands());
    for (mlir::Value operand : op.getOperands()) operands.push_back(lookup(operand));
    if (op.hasTrait<mlir::OpTrait::IsTerminator>()) return operands;
    StatusOr<Values> results = RunOperation(&op, std::move(operands), scope, process);
    if (results.ok() && results->size() != op.getNumResults()) {
      results = InvalidArgument("gives " + std::to_string(results->size()) + " results, but its type has " +
                                std::to_string(op.getNumResults()));
    }
    if (!results.ok()) {
      if (std::exchange(process.error_has_place, true)) return results.status();
      return At(&op, results.status());
    }
    for (auto [value, result] : llvm::zip(op.getResults(), *results)) scope.values[value] = std::move(result);
  }
  return Internal("a block has no end");
}

StatusOr<Values> Program::RunRegion(mlir::Region& region, Values arguments, const Scope* parent, Process& process) {
  if (!llvm::hasSingleElement(region)) return Unimplemented("has a region of several blocks");
  if (arguments.size() != region.getNumArguments())
    return InvalidArgument("takes another number of arguments than it is given");
  if (process.depth >= kMaxDepth) return InvalidArgument("calls or regions are nested too deep");
  Scope scope;
  scope.parent = parent;
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments)) scope.values[argument] = std::move(value);
  ++process.depth;
  StatusOr<Values> results = RunBlock(region.front(), scope, process);
  --process.depth;
  return results;
}

StatusOr<mlir::func::FuncOp> Program::Find(llvm::StringRef function) const {
  auto found = symbols_.lookup<mlir::func::FuncOp>(function);
  if (!found || found.isExternal()) return NotFound("there is no function @" + function.str() + " with a body");
  return found;
}

StatusOr<Values> Program::Call(llvm::StringRef function, Values arguments, Process& process) {
  TREADLE_ASSIGN_OR_RETURN(mlir::func::FuncOp callee, Find(function));
  return RunRegion(callee.getBody(), std::move(arguments), nullptr, process);
}

StatusOr<Values> Program::Run(llvm::StringRef function, Values arguments, Host& host) {
  return RunGrid({{function.str()}}, arguments, {}, host);
}

// ---- Grids.

StatusOr<Values> Program::RunGrid(const Programs& programs, const Values& inputs, std::deque<Values> infeed,
                                  Host& host) {
  const size_t partitions = programs[0].size();
  const size_t count = programs.size() * partitions;
  if (count > kMaxProcesses) return ResourceExhausted("more than " + std::to_string(kMaxProcesses) + " processes");
  std::vector<Values> arguments(count);
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    TREADLE_ASSIGN_OR_RETURN(mlir::func::FuncOp function, Find(programs[i / partitions][i % partitions]));
    for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
      if (next == inputs.size()) return InvalidArgument("has fewer operands than its programs take");
      arguments[i].push_back(inputs[next++]);
    }
  }
  if (next != inputs.size()) return InvalidArgument("has more operands than its programs take");

  Grid grid(static_cast<int64_t>(programs.size()), static_cast<int64_t>(partitions), std::move(infeed));
  std::vector<StatusOr<Values>> results(count, StatusOr<Values>(Internal("did not run")));
  std::vector<std::function<void()>> processes;
  for (size_t i = 0; i < count; ++i) {
    processes.emplace_back([&, i] {
      std::unique_lock baton(grid.baton());
      Process process = {.host = host,
                         .grid = grid,
                         .program = *this,
                         .replica = static_cast<int64_t>(i / partitions),
                         .partition = static_cast<int64_t>(i % partitions),
                         .baton = baton};
      results[i] = Call(programs[i / partitions][i % partitions], std::move(arguments[i]), process);
      grid.Leave();
    });
  }
  if (count == 1) {
    RunOnLargeStack(kDeepStack, processes[0]);
  } else {
    RunSideBySide(kCodegenStack, processes);
  }
  Values all;
  for (StatusOr<Values>& part : results) {
    TREADLE_RETURN_IF_ERROR(part.status());
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

}  // namespace treadle::interpreter
