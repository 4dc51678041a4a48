// Single operations of ops.def as LLVM IR. Values are scalars or vectors alike; all instructions are straight-line code
// (what needs a loop is a function of its own in the module), so any of them may be hoisted.
#ifndef TREADLE_COMPILER_EMIT_OP_EMITTER_H_
#define TREADLE_COMPILER_EMIT_OP_EMITTER_H_

#include "compiler/plan/plan.h"
#include "executable/target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace treadle::emit {

class OpEmitter {
 public:
  // The builder's insertion point is where code goes.
  OpEmitter(llvm::Module& module, llvm::IRBuilderBase& builder, const executable::Target& target)
      : module_(module), b_(builder), target_(target) {}

  // The value of `node` for arguments of element type `from`. Narrow floats come and go as f32 that hold values of
  // their type, integers below 8 bits as i8, extended. Null: not supported for these types.
  llvm::Value* Emit(const plan::Node& node, ElementType from, llvm::ArrayRef<llvm::Value*> args);

  // A mathematical function of vectors or scalars of `type`, without and with its body.
  llvm::Function* DeclareMath(plan::Op op, llvm::Type* type, const std::string& name);
  void DefineMath(plan::Op op, llvm::Function& function);

  // Whether short mathematical functions stand in the code that uses them, or are called.
  void set_inline_math(bool inlined) { inline_math_ = inlined; }

  // An f32 rounded to the nearest value of a narrow float, as f32; other types: unchanged.
  llvm::Value* RoundNarrow(llvm::Value* value, ElementType elt);
  // From f32 to the bits of a narrow float (i8 or i16), rounded; and back.
  llvm::Value* NarrowBits(llvm::Value* value, ElementType elt);
  llvm::Value* WidenNarrow(llvm::Value* bits, ElementType elt);
  // Types below 8 bits: the low bits, extended to 8. Others: unchanged.
  llvm::Value* Normalize(llvm::Value* value, ElementType elt);

  // x or y, every bit of it.
  llvm::Value* Select(llvm::Value* holds, llvm::Value* x, llvm::Value* y);

  // Constants of the type of `like`, splatted where that is a vector.
  llvm::Constant* Int(llvm::Value* like, int64_t value);
  llvm::Constant* Fp(llvm::Value* like, double value);

 private:
  llvm::Value* Integer(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* Boolean(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* Float(const plan::Node& node, llvm::ArrayRef<llvm::Value*> args);
  llvm::Value* Compare(plan::Predicate predicate, ElementType elt, llvm::Value* a, llvm::Value* b);
  llvm::Value* TotalOrder(llvm::Value* value);
  llvm::Value* LowBits(llvm::Value* value, ElementType elt);

  // integer_emitter.cc
  llvm::Value* Divide(llvm::Value* a, llvm::Value* b, bool is_signed, bool remainder);
  llvm::Value* DivideByFloat(llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* DivideByReciprocal(llvm::Value* a, int64_t divisor);
  llvm::Value* Shift(plan::Op op, llvm::Value* a, llvm::Value* amount, ElementType elt);
  llvm::Value* IntegerPower(llvm::Value* base, llvm::Value* exponent, bool is_signed);

  // float_emitter.cc
  llvm::Value* Canonical(llvm::Value* x);
  llvm::Value* Extreme(bool max, llvm::Value* a, llvm::Value* b);
  llvm::Value* Sign(llvm::Value* x);
  llvm::Value* Remainder(llvm::Value* a, llvm::Value* b);
  llvm::Function* RemainderFunction(llvm::Type* type);
  llvm::Value* ReducePrecision(llvm::Value* x, int exponent_bits, int mantissa_bits);

  // math_emitter.cc
  llvm::Value* Math(plan::Op op, llvm::ArrayRef<llvm::Value*> args);

  // convert_emitter.cc
  llvm::Value* Convert(ElementType to, ElementType from, llvm::Value* x);
  llvm::Value* FloatToInteger(ElementType to, llvm::Value* x);
  llvm::Value* ScaleBits(llvm::Value* bits);

  llvm::Type* Like(llvm::Value* value, llvm::Type* scalar);  // scalar, or a vector of it as wide as value's
  llvm::Value* AsInt(llvm::Value* value);                    // the bits of a float
  llvm::Value* Intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> args);
  // Applies a scalar function lane by lane.
  llvm::Value* PerLane(llvm::ArrayRef<llvm::Value*> args, llvm::Function* scalar);

  llvm::Module& module_;
  llvm::IRBuilderBase& b_;
  const executable::Target& target_;
  bool inline_math_ = true;
};

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_OP_EMITTER_H_
