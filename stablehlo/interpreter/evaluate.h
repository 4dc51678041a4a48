// How the interpreter evaluates one operation: what an evaluator sees, and the table of all of them.
#ifndef TREADLE_STABLEHLO_INTERPRETER_EVALUATE_H_
#define TREADLE_STABLEHLO_INTERPRETER_EVALUATE_H_

#include <functional>
#include <utility>

#include "llvm/ADT/StringMap.h"
#include "stablehlo/interpreter/process.h"
#include "stablehlo/interpreter/tensor.h"

namespace treadle::interpreter {

// One evaluation of an operation: its operands, the types of its results, its regions.
class Frame {
 public:
  using RunRegion = std::function<StatusOr<Values>(mlir::Region&, Values)>;

  Frame(mlir::Operation* op, Values operands, llvm::SmallVector<mlir::Type> result_types, Process& process,
        const RunRegion& run_region)
      : op_(op),
        operands_(std::move(operands)),
        result_types_(std::move(result_types)),
        process_(process),
        run_region_(run_region) {}

  int64_t num_operands() const { return static_cast<int64_t>(operands_.size()); }
  const Value& operand(int64_t i) const { return operands_[i]; }
  const Values& operands() const { return operands_; }
  // Operand `i`, which the operation's definition makes a tensor.
  const Tensor& tensor(int64_t i) const { return std::get<Tensor>(operands_[i]); }
  std::vector<Tensor> tensors(int64_t first, int64_t count) const;
  // All elements of operand `i`, a list of integers.
  llvm::SmallVector<int64_t> integers(int64_t i) const;

  mlir::Type result_type(int64_t i) const { return result_types_[i]; }
  // Zeros of result `i`'s type; where that does not know its sizes, of `shape`, which must fit what it knows.
  StatusOr<Tensor> Result(int64_t i, llvm::ArrayRef<int64_t> shape) const;
  // For results of known shape.
  StatusOr<Tensor> Result(int64_t i = 0) const;

  // The values that a region of the operation returns for these arguments.
  StatusOr<Values> Run(mlir::Region& region, Values arguments) const {
    return run_region_(region, std::move(arguments));
  }
  // The same for tensors of rank 0, which are converted to the element types that the region takes (promotion).
  StatusOr<std::vector<Tensor>> RunOnScalars(mlir::Region& region, const std::vector<Tensor>& arguments) const;

  Process& process() const { return process_; }
  mlir::Operation* op() const { return op_; }

 private:
  mlir::Operation* op_;
  Values operands_;
  llvm::SmallVector<mlir::Type> result_types_;
  Process& process_;
  const RunRegion& run_region_;
};

// Evaluators by operation. Errors that they return get the operation's name and place in front by whoever calls them.
class Evaluators {
 public:
  using Evaluator = std::function<StatusOr<Values>(mlir::Operation*, Frame&)>;

  struct Entry {
    Evaluator evaluate;
    // Of quantized operands it wants the stored integers. Without, it works on the real numbers that they stand for,
    // and its result is quantized again: dequantize_op_quantize of the specification.
    bool on_storage = false;
  };

  // All operations; made once.
  static const Evaluators& All();

  const Entry* Find(llvm::StringRef name) const {
    auto it = table_.find(name);
    return it == table_.end() ? nullptr : &it->second;
  }

  template <typename Op>
  void Add(StatusOr<Tensor> (*evaluate)(Op, Frame&), bool on_storage = false) {
    AddEntry<Op>(
        [evaluate](mlir::Operation* op, Frame& frame) -> StatusOr<Values> {
          StatusOr<Tensor> result = evaluate(llvm::cast<Op>(op), frame);
          if (!result.ok()) return result.status();
          Values values;
          values.emplace_back(*std::move(result));
          return values;
        },
        on_storage);
  }
  template <typename Op>
  void Add(StatusOr<Values> (*evaluate)(Op, Frame&), bool on_storage = false) {
    AddEntry<Op>([evaluate](mlir::Operation* op, Frame& frame) { return evaluate(llvm::cast<Op>(op), frame); },
                 on_storage);
  }
  template <typename Op>
  void AddEntry(Evaluator evaluate, bool on_storage) {
    table_[Op::getOperationName()] = {std::move(evaluate), on_storage};
  }

 private:
  llvm::StringMap<Entry> table_;
};

// One a family of operations, each in the source file of that name.
void AddArithmetic(Evaluators& evaluators);     // elementwise, StableHLO
void AddFunctions(Evaluators& evaluators);      // transcendental functions
void AddChlo(Evaluators& evaluators);           // functions of CHLO
void AddConversions(Evaluators& evaluators);    // convert, bitcast_convert, reduce_precision, quantization
void AddMovement(Evaluators& evaluators);       // shapes, slices, pads, dynamic shapes
void AddIndexing(Evaluators& evaluators);       // gather, scatter, dynamic_slice
void AddReductions(Evaluators& evaluators);     // reduce, windows, sort, scan, map, batch normalization
void AddContractions(Evaluators& evaluators);   // dot_general, ragged_dot, convolution
void AddLinearAlgebra(Evaluators& evaluators);  // fft, cholesky, triangular_solve
void AddRandom(Evaluators& evaluators);         // rng, rng_bit_generator
void AddCollectives(Evaluators& evaluators);    // between processes
void AddControlFlow(Evaluators& evaluators);    // case, while, calls, tuples, tokens
void AddChecks(Evaluators& evaluators);         // expectations, and the dialect of test programs

// Elements converted to `element` as stablehlo.convert does; the tensor itself where they are of that type.
StatusOr<Tensor> ConvertTo(const Tensor& tensor, mlir::Type element);

// The real numbers that quantized ones stand for, and back (sections "Quantized types", uniform_quantize). Other
// tensors and types pass as they are.
StatusOr<Tensor> Dequantize(const Tensor& tensor);
StatusOr<Tensor> Quantize(const Tensor& tensor, mlir::Type type);
bool IsQuantized(mlir::Type type);
// f32 of tensors of quantized numbers, otherwise the type itself.
mlir::Type ExpressedType(mlir::Type type);

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_EVALUATE_H_
