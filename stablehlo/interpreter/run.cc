#include "stablehlo/interpreter/run.h"

#include <sstream>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/functions_to_run.h"
#include "stablehlo/interpreter/program.h"
#include "stablehlo/read.h"
#include "stablehlo/settle_shapes.h"

namespace treadle::interpreter {

namespace {

using mlir::func::FuncOp;

// Tokens carry nothing: for the host they are arrays without elements, as for compiled code.
const Shape kToken = {ElementType::kI1, {0}};

StatusOr<Shape> ShapeOf(mlir::Type type) {
  if (llvm::isa<stablehlo::TokenType>(type)) return kToken;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  const ElementType element = tensor ? StorageOf(tensor.getElementType()) : ElementType::kInvalid;
  if (element == ElementType::kInvalid || !tensor.hasStaticShape()) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return Unimplemented("an argument of type " + text);
  }
  return Shape{element, {tensor.getShape().begin(), tensor.getShape().end()}};
}

StatusOr<std::vector<Shape>> ParametersOf(FuncOp function) {
  std::vector<Shape> shapes;
  for (mlir::Type type : function.getArgumentTypes()) {
    StatusOr<Shape> shape = ShapeOf(type);
    if (!shape.ok()) return shape.status().WithContext("@" + function.getName().str());
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

StatusOr<Value> FromHost(const HostTensor& tensor, mlir::Type type) {
  TREADLE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(type));
  if (shape != tensor.shape || static_cast<int64_t>(tensor.bytes.size()) != shape.bytes()) {
    return InvalidArgument("an argument is " + tensor.shape.ToString() + ", but the program takes " + shape.ToString());
  }
  if (llvm::isa<stablehlo::TokenType>(type)) return Value(Token());
  TREADLE_ASSIGN_OR_RETURN(Tensor value, Tensor::Zeros(llvm::cast<mlir::RankedTensorType>(type)));
  value.set_bytes(tensor.bytes);
  return Value(std::move(value));
}

StatusOr<std::vector<HostTensor>> ToHost(const Values& values) {
  std::vector<HostTensor> tensors;
  for (const Value& value : values) {
    if (std::holds_alternative<Token>(value)) {
      tensors.push_back({kToken, ""});
      continue;
    }
    const auto* tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr) return Unimplemented("tuples as arguments or results");
    tensors.push_back({{tensor->element_type(), {tensor->shape().begin(), tensor->shape().end()}}, tensor->bytes()});
  }
  return tensors;
}

// Arguments of main that nobody gives: zeros of every kind.
StatusOr<Value> ZerosOf(mlir::Type type) {
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    TREADLE_ASSIGN_OR_RETURN(Tensor zeros, Tensor::Zeros(tensor));
    return Value(std::move(zeros));
  }
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type)) {
    Values elements;
    for (mlir::Type element : tuple.getTypes()) {
      TREADLE_ASSIGN_OR_RETURN(Value zeros, ZerosOf(element));
      elements.push_back(std::move(zeros));
    }
    return Value(std::make_shared<Tuple>(Tuple{std::move(elements)}));
  }
  return Value(Token());
}

// A program that is read, in its context.
class Loaded {
 public:
  static StatusOr<std::unique_ptr<Loaded>> Read(std::string_view program, std::string_view name) {
    auto loaded = std::make_unique<Loaded>();
    TREADLE_ASSIGN_OR_RETURN(loaded->module_, stablehlo::ReadProgram(*loaded->context_, program, name));
    return loaded;
  }
  mlir::ModuleOp module() { return *module_; }

 private:
  stablehlo::BorrowedContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

// Arguments whose types leave sizes open take those of `shapes`; what follows from them is settled.
Status GiveShapes(mlir::ModuleOp module, std::string_view name,
                  const std::vector<std::optional<std::vector<int64_t>>>& shapes) {
  const llvm::StringRef function(name.data(), name.size());
  auto found = module.lookupSymbol<FuncOp>(function);
  const auto is_open = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  if (!found || llvm::none_of(found.getArgumentTypes(), is_open)) return OkStatus();
  stablehlo::DiagnosticCollector errors(module.getContext());
  if (succeeded(stablehlo::SettleArguments(module, function, shapes)) && succeeded(stablehlo::SettleShapes(module)))
    return OkStatus();
  return errors.TakeStatus("arguments that do not fit");
}

}  // namespace

StatusOr<std::vector<Shape>> ParametersOf(std::string_view program, std::string_view name, std::string_view function,
                                          const std::vector<std::optional<std::vector<int64_t>>>& shapes) {
  TREADLE_ASSIGN_OR_RETURN(const std::unique_ptr<Loaded> loaded, Loaded::Read(program, name));
  TREADLE_RETURN_IF_ERROR(GiveShapes(loaded->module(), function, shapes));
  TREADLE_ASSIGN_OR_RETURN(FuncOp found, Program(loaded->module()).Find({function.data(), function.size()}));
  return ParametersOf(found);
}

StatusOr<std::vector<HostTensor>> Run(std::string_view program, std::string_view name, std::string_view function,
                                      const std::vector<HostTensor>& arguments) {
  TREADLE_ASSIGN_OR_RETURN(const std::unique_ptr<Loaded> loaded, Loaded::Read(program, name));
  std::vector<std::optional<std::vector<int64_t>>> shapes;
  for (const HostTensor& argument : arguments)
    shapes.emplace_back(std::in_place, argument.shape.dims.begin(), argument.shape.dims.end());
  TREADLE_RETURN_IF_ERROR(GiveShapes(loaded->module(), function, shapes));
  const stablehlo::DiagnosticCollector quiet(loaded->module().getContext());
  Program runner(loaded->module());
  const llvm::StringRef callee(function.data(), function.size());
  TREADLE_ASSIGN_OR_RETURN(FuncOp found, runner.Find(callee));
  if (arguments.size() != found.getNumArguments()) {
    return InvalidArgument("@" + callee.str() + " takes " + std::to_string(found.getNumArguments()) + " arguments, " +
                           std::to_string(arguments.size()) + " given");
  }
  Values values;
  for (auto [argument, type] : llvm::zip(arguments, found.getArgumentTypes())) {
    TREADLE_ASSIGN_OR_RETURN(Value value, FromHost(argument, type));
    values.push_back(std::move(value));
  }
  Host host;
  TREADLE_ASSIGN_OR_RETURN(const Values results, runner.Run(callee, std::move(values), host));
  return ToHost(results);
}

StatusOr<CheckReport> Check(std::string_view program, std::string_view name, const RunGrid& run_grid) {
  TREADLE_ASSIGN_OR_RETURN(const std::unique_ptr<Loaded> loaded, Loaded::Read(program, name));
  const stablehlo::DiagnosticCollector quiet(loaded->module().getContext());
  Program runner(loaded->module());
  CheckReport report;
  std::ostringstream printed;
  for (FuncOp function : FunctionsToRun(loaded->module())) {
    Host host;
    host.out = &printed;
    if (run_grid) {
      host.run_grid = [&](const Programs& functions, const Values& inputs,
                          const std::deque<Values>& fed) -> StatusOr<Values> {
        TREADLE_ASSIGN_OR_RETURN(const std::vector<HostTensor> tensors, ToHost(inputs));
        std::vector<std::vector<HostTensor>> infeed;
        for (const Values& each : fed) {
          TREADLE_ASSIGN_OR_RETURN(infeed.emplace_back(), ToHost(each));
        }
        TREADLE_ASSIGN_OR_RETURN(const std::vector<HostTensor> results, run_grid(functions, tensors, infeed));
        Values values;
        size_t next = 0;
        for (const auto& row : functions) {
          for (const std::string& callee : row) {
            TREADLE_ASSIGN_OR_RETURN(FuncOp found, runner.Find(callee));
            for (mlir::Type type : found.getResultTypes()) {
              if (next == results.size()) return Internal("a grid gave too few results");
              TREADLE_ASSIGN_OR_RETURN(Value value, FromHost(results[next++], type));
              values.push_back(std::move(value));
            }
          }
        }
        return values;
      };
    }
    Values arguments;
    for (mlir::Type type : function.getArgumentTypes()) {
      TREADLE_ASSIGN_OR_RETURN(Value zeros, ZerosOf(type));
      arguments.push_back(std::move(zeros));
    }
    StatusOr<Values> results = runner.Run(function.getName(), std::move(arguments), host);
    report.checks += host.checks;
    report.misses.insert(report.misses.end(), host.misses.begin(), host.misses.end());
    TREADLE_RETURN_IF_ERROR(results.status());
  }
  report.printed = printed.str();
  return report;
}

}  // namespace treadle::interpreter
