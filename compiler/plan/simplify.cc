#include "compiler/plan/simplify.h"

#include <algorithm>

#include "compiler/plan/evaluate.h"
#include "compiler/plan/math.h"

namespace treadle::plan {
namespace {

class Simplifier {
 public:
  Simplifier(const Plan& plan, Op op, ElementType elt, std::span<const Id> args, uint64_t imm)
      : plan_(plan), op_(op), elt_(elt), args_(args), imm_(imm) {}

  std::optional<Simpler> Run() const {
    if (args_.empty() || !OpIsPure(op_) || op_ == Op::kResult) return std::nullopt;
    bool by_target = op_ == Op::kFma || (IsMathOp(op_) && op_ != Op::kSqrt && IsFloat(elt_));
    bool all = std::all_of(args_.begin(), args_.end(), [&](Id id) { return IsConst(id); });
    if (all && !by_target) return Fold();
    if (op_ == Op::kSelect) return Select();
    if (args_.size() != 2 || IsFloat(plan_.nodes[args_[0]].elt)) return std::nullopt;
    // A constant on the left of what commutes is looked at as if it stood on the right.
    if (std::optional<Simpler> simpler = Identity(args_[0], args_[1])) return simpler;
    return Commutes() ? Identity(args_[1], args_[0]) : std::nullopt;
  }

 private:
  bool IsConst(Id id) const { return plan_.nodes[id].op == Op::kConst; }
  bool IsConst(Id id, uint64_t bits) const { return IsConst(id) && plan_.nodes[id].imm == bits; }
  uint64_t AllOnes() const { return Normalize(elt_, ~uint64_t{0}); }

  bool Commutes() const {
    switch (op_) {
      case Op::kAdd:
      case Op::kMul:
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kMax:
      case Op::kMin:
        return true;
      case Op::kCmp:
        return imm_ <= static_cast<uint64_t>(Predicate::kNe);
      default:
        return false;
    }
  }

  Simpler Fold() const {
    FlushDenormals flush;
    uint64_t values[3] = {};
    for (size_t k = 0; k < args_.size(); ++k) values[k] = plan_.nodes[args_[k]].imm;
    return {.bits = Evaluate(op_, elt_, plan_.nodes[args_.back()].elt, values, imm_)};
  }

  std::optional<Simpler> Select() const {
    if (IsConst(args_[0])) return Simpler{.value = plan_.nodes[args_[0]].imm ? args_[1] : args_[2]};
    if (args_[1] == args_[2]) return Simpler{.value = args_[1]};
    return std::nullopt;
  }

  // Of integers and i1; `b` is what may be constant.
  std::optional<Simpler> Identity(Id a, Id b) const {
    bool truth = elt_ == ElementType::kI1;
    switch (op_) {
      case Op::kCmp: {
        if (plan_.nodes[a].elt != ElementType::kI1) return std::nullopt;
        bool not_false = imm_ == static_cast<uint64_t>(Predicate::kNe) && IsConst(b, 0);
        bool is_true = imm_ == static_cast<uint64_t>(Predicate::kEq) && IsConst(b, 1);
        return not_false || is_true ? std::optional(Simpler{.value = a}) : std::nullopt;
      }
      case Op::kAnd:
        if (a == b || Implies(a, b)) return Simpler{.value = a};
        if (IsConst(b, 0)) return Simpler{.bits = 0};
        return IsConst(b, AllOnes()) ? std::optional(Simpler{.value = a}) : std::nullopt;
      case Op::kOr:
        if (a == b || IsConst(b, 0)) return Simpler{.value = a};
        return IsConst(b, AllOnes()) ? std::optional(Simpler{.bits = AllOnes()}) : std::nullopt;
      case Op::kMul:
        if (IsConst(b, 0)) return Simpler{.bits = 0};
        return IsConst(b, 1) ? std::optional(Simpler{.value = a}) : std::nullopt;
      case Op::kAdd:
        return IsConst(b, 0) ? std::optional(Simpler{.value = a}) : std::nullopt;
      case Op::kSub:
      case Op::kXor:
      case Op::kShl:
      case Op::kShrL:
      case Op::kShrA:
        return IsConst(b, 0) && !truth ? std::optional(Simpler{.value = a}) : std::nullopt;
      case Op::kMax:
      case Op::kMin:
        return a == b ? std::optional(Simpler{.value = a}) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // x < 0 implies x != 0: what is left of floor division by a positive constant.
  bool Implies(Id a, Id b) const {
    const Node &x = plan_.nodes[a], &y = plan_.nodes[b];
    if (x.op != Op::kCmp || y.op != Op::kCmp || y.imm != static_cast<uint64_t>(Predicate::kNe)) return false;
    bool strict = x.imm == static_cast<uint64_t>(Predicate::kLt) || x.imm == static_cast<uint64_t>(Predicate::kGt);
    return strict && plan_.arg(a, 0) == plan_.arg(b, 0) && plan_.arg(a, 1) == plan_.arg(b, 1) &&
           !IsFloat(plan_.nodes[plan_.arg(a, 0)].elt);
  }

  const Plan& plan_;
  Op op_;
  ElementType elt_;
  std::span<const Id> args_;
  uint64_t imm_;
};

}  // namespace

std::optional<Simpler> Simplify(const Plan& plan, Op op, ElementType elt, std::span<const Id> args, uint64_t imm) {
  return Simplifier(plan, op, elt, args, imm).Run();
}

}  // namespace treadle::plan
