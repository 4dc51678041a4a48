// One phase of a plan to one LLVM function: the walk over the plan's nodes.
//
// *Scopes* are the blocks under way, outermost first: the function's entry, the loop over tiles, the plan's loops. A
// pure value is written in the outermost scope that has its operands, just before the branch into the next scope, so
// loop-invariant code never stands in a loop. A scope's values are forgotten when it closes: each is valid exactly
// where it dominates.
//
// Inside a `lanes` loop, values that vary are `parts` vectors of `width` lanes, written operation by operation so that
// the parts interleave; the others stay scalars. Outside, everything is a scalar.
#ifndef TREADLE_COMPILER_EMIT_FUNCTION_EMITTER_H_
#define TREADLE_COMPILER_EMIT_FUNCTION_EMITTER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/op_emitter.h"
#include "compiler/emit/variance.h"
#include "compiler/plan/cut.h"
#include "compiler/plan/plan.h"
#include "executable/kernel_abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace treadle::emit {

using Parts = llvm::SmallVector<llvm::Value*, 4>;

// A plan value in IR. `wide` is what operations work on: one scalar or one vector a part; narrow floats are f32 there,
// rounded. `bits` is the memory form of narrow floats. Either may be absent and is then made from the other at first
// use.
struct Value {
  ElementType elt = ElementType::kInvalid;
  Variance variance = Variance::kUniform;
  int level = -1;  // the scope it belongs to; -1: not there
  Parts wide, bits;
  llvm::Value* base = nullptr;  // kAffine: of lane 0 of part 0
  llvm::Value* stride = nullptr;
  Parts splat, splat_bits;  // kUniform: the vector, once somebody needed it
};

class FunctionEmitter {
 public:
  FunctionEmitter(llvm::Module& module, const plan::Plan& plan, const EmitOptions& options);

  // Defines the function `symbol`. The first unsupported thing met is the error.
  Status EmitPhase(const plan::Phase& phase, const std::string& symbol);

 private:
  struct Scope {
    llvm::Instruction* before = nullptr;          // the branch into it: code of the scope outside goes before
    std::vector<plan::Id> values;                 // made here
    std::vector<std::vector<uint64_t>> pointers;  // keys of pointers_ made here
  };

  // The vectors that varying values are now. width 0: no lanes loop around.
  struct Lanes {
    int width = 0;
    int parts = 1;
    llvm::Value* count = nullptr;  // i64, at least 1: lanes in use, counted through the parts. Null: all
    Parts masks;                   // with `count`: <width x i1> a part
  };

  using Values = std::vector<Value>;
  using Body = std::function<Parts(llvm::Value* index, const Parts& carries)>;

  // function_emitter.cc: scopes, values, blocks, operations.
  void Fail(Status status);
  void BeginFunction(llvm::FunctionType* type, llvm::GlobalValue::LinkageTypes linkage, const std::string& symbol);
  llvm::Value* Poison(llvm::Type* type) { return llvm::PoisonValue::get(type); }
  int top() const { return static_cast<int>(scopes_.size()) - 1; }
  void PushScope(llvm::Instruction* before);
  void PopScope();
  void AtLevel(int level, const std::function<void()>& emit);
  void Define(plan::Id id, Value value);
  void Forget(const plan::Block& block);
  Values EmitBlock(const plan::Block& block, const Values& arguments);
  void EmitNode(plan::Id id);
  void EmitOperation(plan::Id id);
  bool EmitAffine(plan::Id id, int level);
  Value SelectOf(const plan::Node& node, plan::Id id, bool vector);
  Value BitcastOf(const plan::Node& node, plan::Id id, bool vector);
  Value Literal(ElementType elt, uint64_t bits);
  Value PushConstant(int number);
  llvm::AllocaInst* StackArray(llvm::Type* type, int64_t count);

  // part_emitter.cc: long blocks as several functions.
  class OtherFunction;
  void EmitParts(const plan::Block& block, const plan::Cut& cut);
  llvm::Function* EmitPart(const plan::Part& part, const plan::Cut& cut);
  void StoreState(llvm::Value* state, uint32_t slot, Value& value);
  void DefineFromState(plan::Id id, llvm::Value* state, uint32_t slot);

  // value_emitter.cc: forms of values.
  llvm::Type* WideType(ElementType elt);  // scalar
  llvm::Type* MemoryType(ElementType elt);
  llvm::Type* Widen(llvm::Type* scalar);  // to the lanes' width
  const Parts& Wide(plan::Id id, bool vector) { return Wide(values_[id], vector); }
  const Parts& Wide(Value& value, bool vector);
  const Parts& Bits(Value& value, bool vector);
  void MakeBits(Value& value);
  llvm::Value* Scalar(plan::Id id) { return Wide(values_[id], false)[0]; }
  llvm::Value* Iota(llvm::Type* scalar, int first);
  Parts ToMemory(Value& value, bool vector);  // what a store writes, of MemoryType
  Value FromMemory(ElementType elt, Variance variance, Parts parts);
  Parts ToCarry(Value& value, bool vector);
  Value FromCarry(ElementType elt, bool vector, llvm::ArrayRef<llvm::Value*> parts);
  int CarryParts(bool vector) const { return vector ? lanes_.parts : 1; }
  Parts SelectParts(llvm::ArrayRef<llvm::Value*> masks, const Parts& a, const Parts& b);

  // loop_emitter.cc: control flow.
  Parts For(llvm::Value* lo, llvm::Value* hi, llvm::Value* step, Parts init, const Body& body);
  Parts While(Parts init, const std::function<llvm::Value*(const Parts&)>& cond,
              const std::function<Parts(const Parts&)>& body);
  Parts If(llvm::Value* condition, const std::function<Parts()>& then, const std::function<Parts()>& otherwise);
  void EmitLoop(plan::Id id);
  void EmitFor(plan::Id id, const plan::Loop& loop);
  void EmitUnrolledFor(plan::Id id, const plan::Loop& loop, int64_t lo, int64_t hi, int64_t step);
  void EmitWhile(plan::Id id, const plan::Loop& loop);
  void EmitIf(plan::Id id, const plan::Loop& loop);
  void EmitLanes(const plan::Loop& loop);
  bool MayOverlap(const plan::Loop& loop);
  llvm::Value* WholeVectors(const plan::Loop& loop, llvm::Value* lo, llvm::Value* hi, int width, int parts);
  void MaskedVectors(const plan::Loop& loop, llvm::Value* lo, llvm::Value* hi, int width);
  void SetLanes(int width, int parts, llvm::Value* count);
  int LaneWidth(const plan::Loop& loop);
  int MapUnroll(const plan::Loop& loop);
  bool ReadsPastLane(const plan::Loop& loop);
  Value LaneIndex(llvm::Value* first);
  Values Inits(const plan::Loop& loop);
  std::vector<ElementType> CarryTypes(const plan::Loop& loop);
  Parts Pack(Values& values, const std::vector<bool>& vary);
  Values Unpack(const std::vector<ElementType>& types, const std::vector<bool>& vary,
                llvm::ArrayRef<llvm::Value*> parts);
  std::vector<bool> CarriesVary(plan::Id id, const plan::Loop& loop);

  // reduce_emitter.cc: trees.
  struct Slots {
    int count = 0;
    int width = 0;
    Parts arrays;  // one a carry: count + width elements of memory type
    std::vector<llvm::Type*> types;
    Values identity;  // empty: the combiner is not a known one
  };
  void EmitTree(plan::Id id, const plan::Loop& loop);
  Values Combine(const plan::Loop& loop, Values old_values, Values new_values);
  Values Counter(const plan::Loop& loop, llvm::Value* count, const std::vector<bool>& vary,
                 const std::function<Values(llvm::Value* number)>& item);
  Values LeafOfLanes(const plan::Loop& loop, llvm::Value* lo, llvm::Value* hi);
  Values VectorInOrder(const plan::Loop& loop, llvm::Value* lo, llvm::Value* count, int width);
  Values Identity(const plan::Loop& loop);
  Slots MakeSlots(const plan::Loop& loop);
  Values LoadSlots(const plan::Loop& loop, const Slots& slots, llvm::Value* at);
  void StoreSlots(const Slots& slots, llvm::Value* at, Values& values);
  bool InRegisters(const plan::Loop& loop, const Slots& slots);
  llvm::Value* SumInRegisters(const plan::Loop& loop, const Slots& slots, llvm::Value* lo, llvm::Value* hi);
  void SumInSlots(const plan::Loop& loop, const Slots& slots, llvm::Value* start, llvm::Value* lo, llvm::Value* end,
                  llvm::Value* hi, int parts);
  Values FoldSlots(const plan::Loop& loop, const Slots& slots, llvm::Value* count);

  // access_emitter.cc: loads and stores.
  struct Place {
    llvm::Value* pointer = nullptr;  // of lane 0 of part 0, or the whole address where nothing varies
    llvm::Value* stride = nullptr;   // elements a lane, i64; null: no affine term
    Parts index;                     // varying terms, elements from `pointer`, a part; empty: none
    llvm::Type* type = nullptr;      // of memory, scalar
    int bytes = 0;
    bool invariant = false;  // nothing writes there while the kernel runs
  };
  struct DeferredStore {
    Place place;
    llvm::Value* value = nullptr;
  };
  Place Locate(const plan::Access& access);
  llvm::Value* BufferPointer(int buffer);
  llvm::Value* SizeOf(plan::Size size);
  int SizeLevel(plan::Size size) const { return 0; }
  void EmitLoad(plan::Id id);
  void EmitStore(plan::Id id);
  llvm::Value* LoadAt(const Place& place, llvm::Type* type, llvm::Value* pointer);
  llvm::Value* ElementPointer(const Place& place, llvm::Value* index);
  llvm::Value* LoadDense(const Place& place, int part);
  llvm::Value* LoadStrided(const Place& place, int part, int64_t stride, int first = 0);
  // Accesses of two elements that lie side by side, in one block: complex numbers, mostly.
  plan::Id Neighbour(plan::Id id, int64_t offset);
  void StorePairs(plan::Id first, plan::Id second);
  void StoreSome(const Place& place, llvm::Value* pointer, llvm::Value* value, llvm::Value* count);
  Parts Gather(const Place& place);
  llvm::Value* LaneIndices(const Place& place, int part);
  void StoreDense(const Place& place, int part, llvm::Value* value);
  void Scatter(const Place& place, const Parts& parts);
  bool HasMaskedAccess(int bytes, bool store) const;
  llvm::Value* ActiveBytes(int part, int bytes);
  llvm::Function* TailLoad(int bytes);
  llvm::Function* TailStore(int bytes);

  // move_emitter.cc: moves and calls.
  struct MoveEnds {
    Place from, to;
    llvm::Value* stride[2][2];  // source and destination, rows and columns; elements
    llvm::Value* rows = nullptr;
    llvm::Value* columns = nullptr;
  };
  void MoveElements(const MoveEnds& ends, llvm::Value* first_row, llvm::Value* first_column);
  llvm::Value* MovePointer(const MoveEnds& ends, int side, llvm::Value* row, llvm::Value* column);
  void MoveRows(const MoveEnds& ends, bool stream);
  void MoveRowsOrStream(const MoveEnds& ends, bool stream);
  void MoveTransposed(const MoveEnds& ends, bool rows_dense_in_source);
  void EmitMove(plan::Id id);
  void EmitCall(plan::Id id);

  bool quick() const { return options_.tier == Tier::kQuick; }
  bool v4() const { return options_.target.isa == executable::IsaLevel::kV4; }
  bool v3() const { return options_.target.isa >= executable::IsaLevel::kV3; }
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  llvm::Module& module_;
  const plan::Plan& plan_;
  const EmitOptions& options_;
  llvm::IRBuilder<> b_;
  OpEmitter ops_;
  Status status_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::Value* buffers_ = nullptr;  // fields of the call frame
  llvm::Value* args_ = nullptr;
  llvm::Value* local_ = nullptr;
  llvm::Value* scratch_ = nullptr;
  std::vector<Variance> variance_;
  Values values_;  // by node
  Values push_values_;
  std::vector<llvm::Value*> buffer_pointers_;
  std::vector<bool> written_;  // buffers that the plan stores to, or that share memory with such
  std::map<std::vector<uint64_t>, llvm::Value*> pointers_;
  std::map<plan::Id, Values> results_;
  std::vector<Scope> scopes_;
  Lanes lanes_;
  plan::Id stored_ = plan::kNone;                   // a store that its neighbour has done
  std::vector<DeferredStore>* deferred_ = nullptr;  // where dense stores of one vector go instead of memory
};

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_FUNCTION_EMITTER_H_
