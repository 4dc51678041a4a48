// Control flow, calls, tuples, tokens.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/interpreter/evaluate.h"
#include "stablehlo/interpreter/program.h"

namespace treadle::interpreter {

namespace {

StatusOr<Values> EvaluateIf(stablehlo::IfOp op, Frame& frame) {
  return frame.Run(frame.tensor(0).Get(0).integer != 0 ? op.getTrueBranch() : op.getFalseBranch(), {});
}

// An index out of range takes the last branch.
StatusOr<Values> EvaluateCase(stablehlo::CaseOp op, Frame& frame) {
  const auto last = static_cast<int64_t>(op.getBranches().size()) - 1;
  const int64_t index = frame.tensor(0).Get(0).integer;
  return frame.Run(op.getBranches()[index < 0 || index > last ? last : index], {});
}

StatusOr<Values> EvaluateWhile(stablehlo::WhileOp op, Frame& frame) {
  Values carries = frame.operands();
  while (true) {
    TREADLE_ASSIGN_OR_RETURN(const Values goes_on, frame.Run(op.getCond(), carries));
    if (std::get<Tensor>(goes_on[0]).Get(0).integer == 0) return carries;
    TREADLE_ASSIGN_OR_RETURN(carries, frame.Run(op.getBody(), std::move(carries)));
  }
}

StatusOr<Values> EvaluateOptimizationBarrier(stablehlo::OptimizationBarrierOp, Frame& frame) {
  return frame.operands();
}

StatusOr<Values> EvaluateCall(mlir::func::CallOp op, Frame& frame) {
  return frame.process().program.Call(op.getCallee(), frame.operands(), frame.process());
}

StatusOr<Values> EvaluateComposite(stablehlo::CompositeOp op, Frame& frame) {
  return frame.process().program.Call(op.getDecomposition(), frame.operands(), frame.process());
}

// ---- Tuples.

StatusOr<Values> EvaluateTuple(stablehlo::TupleOp, Frame& frame) {
  return Values{std::make_shared<Tuple>(Tuple{frame.operands()})};
}

StatusOr<Values> EvaluateGetTupleElement(stablehlo::GetTupleElementOp op, Frame& frame) {
  return Values{std::get<std::shared_ptr<Tuple>>(frame.operand(0))->elements[op.getIndex()]};
}

// ---- async_start runs its body at once; the future is a tuple of the results.

StatusOr<Values> EvaluateAsyncStart(stablehlo::AsyncStartOp op, Frame& frame) {
  TREADLE_ASSIGN_OR_RETURN(Values results, frame.Run(op.getBody(), frame.operands()));
  return Values{std::make_shared<Tuple>(Tuple{std::move(results)})};
}

StatusOr<Values> EvaluateAsyncDone(stablehlo::AsyncDoneOp, Frame& frame) {
  if (!std::holds_alternative<std::shared_ptr<Tuple>>(frame.operand(0))) return frame.operands();  // of a send
  return std::get<std::shared_ptr<Tuple>>(frame.operand(0))->elements;
}

// ---- Tokens.

StatusOr<Values> EvaluateAfterAll(stablehlo::AfterAllOp, Frame&) { return Values{Token()}; }
StatusOr<Values> EvaluateCreateToken(stablehlo::CreateTokenOp, Frame&) { return Values{Token()}; }

}  // namespace

void AddControlFlow(Evaluators& evaluators) {
  evaluators.Add(&EvaluateIf, /*on_storage=*/true);
  evaluators.Add(&EvaluateCase, true);
  evaluators.Add(&EvaluateWhile, true);
  evaluators.Add(&EvaluateOptimizationBarrier, true);
  evaluators.Add(&EvaluateCall, true);
  evaluators.Add(&EvaluateComposite, true);
  evaluators.Add(&EvaluateTuple, true);
  evaluators.Add(&EvaluateGetTupleElement, true);
  evaluators.Add(&EvaluateAsyncStart, true);
  evaluators.Add(&EvaluateAsyncDone, true);
  evaluators.Add(&EvaluateAfterAll, true);
  evaluators.Add(&EvaluateCreateToken, true);
}

}  // namespace treadle::interpreter
