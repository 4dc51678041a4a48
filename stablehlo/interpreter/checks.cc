// Expectations of test programs, and the dialect `interpreter`.
#include "stablehlo/check/expectation.h"
#include "stablehlo/check/ops.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"
#include "stablehlo/interpreter/ops.h"
#include "stablehlo/interpreter/program.h"

namespace treadle::interpreter {

namespace {

// ---- Expectations.

StatusOr<Tensor> ExpectedOf(const check::Expectation& expectation, const Tensor& actual, const Frame& frame) {
  if (expectation.expected >= 0) return frame.tensor(expectation.expected);
  if (expectation.value) {
    return Tensor::FromAttribute(expectation.value, llvm::cast<mlir::RankedTensorType>(expectation.value.getType()));
  }
  const auto& probes = frame.process().host.probes;
  const auto probe = probes.find(expectation.probe);
  if (probe == probes.end() || expectation.iteration < 0 ||
      expectation.iteration >= static_cast<int64_t>(probe->second.size())) {
    return InvalidArgument("expects what probe \"" + expectation.probe + "\" saw the " +
                           std::to_string(expectation.iteration) + "-th time, which it did not");
  }
  return probe->second[expectation.iteration];
}

// Counts the expectation and remembers a miss; the program goes on.
Status Check(const check::Expectation& expectation, const Frame& frame) {
  const Tensor& actual = frame.tensor(expectation.actual);
  TREADLE_ASSIGN_OR_RETURN(const Tensor expected, ExpectedOf(expectation, actual, frame));
  Host& host = frame.process().host;
  ++host.checks;
  std::optional<std::string> miss = "has another type than is expected";
  if (actual.shape() == expected.shape() && actual.element_type() == expected.element_type()) {
    const Shape shape = {actual.element_type(), {actual.shape().begin(), actual.shape().end()}};
    miss = check::Miss(expectation.rule, shape, actual.bytes(), expected.bytes());
  }
  if (miss) {
    const std::string line = stablehlo::SourceLine(frame.op()->getLoc());
    host.misses.push_back((line.empty() ? "" : line + ": ") + "error: '" + frame.op()->getName().getStringRef().str() +
                          "' op " + *miss);
  }
  return OkStatus();
}

template <typename Op>
StatusOr<Values> EvaluateExpectation(Op op, Frame& frame) {
  TREADLE_RETURN_IF_ERROR(Check(*check::ExpectationOf(op), frame));
  return Values();
}

// Custom calls mean nothing to the specification; those that check do here.
StatusOr<Values> EvaluateCustomCall(stablehlo::CustomCallOp op, Frame& frame) {
  const auto expectation = check::ExpectationOf(op);
  if (!expectation)
    return Unimplemented("calls '" + op.getCallTargetName().str() + "', which the interpreter does not have");
  const size_t misses = frame.process().host.misses.size();
  TREADLE_RETURN_IF_ERROR(Check(*expectation, frame));
  Values results;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {  // check.eq says whether it held
    TREADLE_ASSIGN_OR_RETURN(Tensor held, frame.Result(i));
    for (int64_t place = 0; place < held.size(); ++place) {
      held.Set(place, Element::OfBool(frame.process().host.misses.size() == misses));
    }
    results.emplace_back(std::move(held));
  }
  return results;
}

// ---- The dialect `interpreter`.

void PrintDimension(const Tensor& tensor, int64_t dim, int64_t& place, std::string& text) {
  if (dim == tensor.rank()) {
    text += Print(tensor.Get(place), tensor.element_type());
    ++place;
    return;
  }
  text += "[";
  for (int64_t i = 0; i < tensor.dim(dim); ++i) {
    if (i > 0) text += ", ";
    PrintDimension(tensor, dim + 1, place, text);
  }
  text += "]";
}

// "tensor<2xi32> = [0, 1]"
StatusOr<Values> EvaluatePrint(PrintOp, Frame& frame) {
  if (frame.process().host.out == nullptr) return Values();
  const Tensor& tensor = frame.tensor(0);
  std::string text;
  llvm::raw_string_ostream(text) << mlir::Type(tensor.type()) << " = ";
  int64_t place = 0;
  PrintDimension(tensor, 0, place, text);
  *frame.process().host.out << text << "\n";
  return Values();
}

StatusOr<Tensor> EvaluateProbe(ProbeOp op, Frame& frame) {
  frame.process().host.probes[op.getProbeId().str()].push_back(frame.tensor(0));
  return frame.tensor(0);
}

std::string NameOf(mlir::Attribute symbol) { return llvm::cast<mlir::FlatSymbolRefAttr>(symbol).getValue().str(); }

// The infeed is the results of functions, which this process runs first.
StatusOr<Values> EvaluateRunParallel(RunParallelOp op, Frame& frame) {
  Programs programs;
  for (mlir::Attribute row : op.getPrograms()) {
    programs.emplace_back();
    for (mlir::Attribute name : llvm::cast<mlir::ArrayAttr>(row)) programs.back().push_back(NameOf(name));
  }
  Process& process = frame.process();
  std::deque<Values> infeed;
  for (mlir::Attribute name : op.getInfeed() ? op.getInfeed()->getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    TREADLE_ASSIGN_OR_RETURN(Values values, process.program.Call(NameOf(name), {}, process));
    infeed.push_back(std::move(values));
  }
  if (process.host.run_grid) return process.host.run_grid(programs, frame.operands(), infeed);
  return process.program.RunGrid(programs, frame.operands(), std::move(infeed), process.host);
}

}  // namespace

void AddChecks(Evaluators& evaluators) {
  evaluators.Add(&EvaluateExpectation<check::ExpectEqOp>, /*on_storage=*/true);
  evaluators.Add(&EvaluateExpectation<check::ExpectEqConstOp>, true);
  evaluators.Add(&EvaluateExpectation<check::ExpectAlmostEqOp>, true);
  evaluators.Add(&EvaluateExpectation<check::ExpectAlmostEqConstOp>, true);
  evaluators.Add(&EvaluateExpectation<check::ExpectCloseOp>, true);
  evaluators.Add(&EvaluateExpectation<check::ExpectSerializedEqOp>, true);
  evaluators.Add(&EvaluateCustomCall, true);
  evaluators.Add(&EvaluatePrint, true);
  evaluators.Add(&EvaluateProbe, true);
  evaluators.Add(&EvaluateRunParallel, true);
}

}  // namespace treadle::interpreter
