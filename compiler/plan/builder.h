// Writes a plan front to back. Pure operations with equal operands in scope are made once, those of constants are
// folded (simplify.h). Not thread-safe.
//
//   Builder b("map add");
//   int n = b.AddPush(ElementType::kI64);
//   uint16_t x = b.AddBuffer(ElementType::kF32, Role::kIn), y = b.AddBuffer(ElementType::kF32, Role::kOut);
//   Id tile = b.BeginPhase();
//   Id lo = b.Mul(tile, b.ConstI64(8192)), hi = b.Min(b.Add(lo, b.ConstI64(8192)), b.Push(n));
//   Id i = b.BeginLanes(lo, hi, /*unroll=*/4);
//   b.Store({y, {}, {{i, {-1, 1}}}}, b.Add(b.Load({x, {}, {{i, {-1, 1}}}}), b.Const(ElementType::kF32, 0x3f800000)));
//   b.EndLoop();
//   b.EndPhase();
//   Plan plan = b.Finish();
#ifndef TREADLE_COMPILER_PLAN_BUILDER_H_
#define TREADLE_COMPILER_PLAN_BUILDER_H_

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/plan/plan.h"

namespace treadle::plan {

class Builder {
 public:
  explicit Builder(std::string name);

  // Buffers and push constants may be added at any time. Both return their number.
  uint16_t AddBuffer(ElementType elt, Role role, Size elements = {}, int16_t may_share = -1);
  int AddPush(ElementType type);
  ElementType buffer_elt(uint16_t buffer) const { return plan_.buffers[buffer].elt; }
  ElementType elt(Id value) const { return plan_.nodes[value].elt; }

  Id BeginPhase();  // the tile number
  void EndPhase();

  Id Emit(Op op, ElementType elt, std::span<const Id> args, uint64_t imm = 0);
  Id Emit(Op op, ElementType elt, std::initializer_list<Id> args, uint64_t imm = 0) {
    return Emit(op, elt, std::span<const Id>(args.begin(), args.size()), imm);
  }
  Id Const(ElementType elt, uint64_t bits) { return Emit(Op::kConst, elt, {}, bits); }
  Id ConstI64(int64_t value) { return Const(ElementType::kI64, static_cast<uint64_t>(value)); }
  Id Push(int number) { return Emit(Op::kPush, plan_.push[number], {}, number); }
  Id SizeValue(Size size);  // as an i64
  Id Unary(Op op, Id a) { return Emit(op, elt(a), {a}); }
  Id Binary(Op op, Id a, Id b) { return Emit(op, elt(a), {a, b}); }
  Id Add(Id a, Id b) { return Binary(Op::kAdd, a, b); }
  Id Sub(Id a, Id b) { return Binary(Op::kSub, a, b); }
  Id Mul(Id a, Id b) { return Binary(Op::kMul, a, b); }
  Id Div(Id a, Id b) { return Binary(Op::kDiv, a, b); }
  Id Rem(Id a, Id b) { return Binary(Op::kRem, a, b); }
  Id Min(Id a, Id b) { return Binary(Op::kMin, a, b); }
  Id Max(Id a, Id b) { return Binary(Op::kMax, a, b); }
  Id Compare(Predicate predicate, Id a, Id b) {
    return Emit(Op::kCmp, ElementType::kI1, {a, b}, static_cast<uint64_t>(predicate));
  }
  Id Select(Id pred, Id a, Id b) { return Emit(Op::kSelect, elt(a), {pred, a, b}); }
  Id Convert(ElementType to, Id a) { return elt(a) == to ? a : Emit(Op::kConvert, to, {a}); }

  Id Load(Access access);
  void Store(Access access, Id value);
  void AddMove(Move move);
  void AddCall(Call call, std::span<const Id> args);

  // Loops. Begin..., then the blocks (each: its arguments, nodes, Yield), then EndLoop, which returns the results.
  // kFor and kLanes: the body is open on return.
  Id BeginLanes(Id lo, Id hi, int unroll = 1);  // returns the index
  Id BeginFor(Id lo, Id hi, Id step = kNone, std::span<const Id> init = {},
              int unroll = 1);  // Carry(k) are its carries
  Id BeginReduce(LoopKind kind, Tree tree, Id lo, Id hi, std::span<const Id> init,
                 int unroll = 1);                                    // then BeginCombine
  void BeginWhile(std::span<const Id> init);                         // then BeginCond, BeginBody
  void BeginIf(Id condition, std::span<const ElementType> results);  // the body is open; then BeginElse
  void BeginCond();                                                  // kWhile: closes nothing; opens the condition
  void BeginBody();                                                  // kWhile, after the condition
  void BeginCombine();                                               // after the body of BeginReduce
  void BeginElse();                                                  // after the body of BeginIf
  Id Carry(int k) const;                   // the k-th carry in the open block; in combine: the accumulated value
  Id NewValue(int k) const;                // combine: the value to add in
  void Yield(std::span<const Id> values);  // closes the open block
  void Yield(std::initializer_list<Id> values) { Yield(std::span<const Id>(values.begin(), values.size())); }
  std::vector<Id> EndLoop();  // closes an open body without results by itself

  Plan Finish();  // REQUIRES: everything closed. The builder is empty afterwards

 private:
  // A pure operation: none has more than three operands.
  struct Key {
    Op op;
    ElementType elt;
    std::array<Id, 3> args;
    uint64_t imm;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Scope {
    std::unordered_map<Key, Id, KeyHash> made;
  };
  struct OpenLoop {
    Id node;
    uint32_t loop;
    std::vector<ElementType> carries;
    std::vector<Id> block_args;
    bool open = false;  // a block is open
    int block = 0;      // 0 body, 1 cond or else, 2 combine
  };

  Id Append(Op op, ElementType elt, std::span<const Id> args, uint64_t imm);
  Range Operands(std::span<const Id> ids);
  Id StartLoop(Loop loop, std::span<const Id> init, std::vector<ElementType> carries);
  void OpenBlock(int which, bool index, int copies);
  Block& BlockOf(const OpenLoop& open);

  Plan plan_;
  std::vector<Scope> scopes_;
  std::vector<OpenLoop> open_;
  Id phase_start_ = kNone;
};

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_BUILDER_H_
