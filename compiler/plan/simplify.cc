#include "compiler/plan/simplify.h"

#include <algorithm>
#include <bit>

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

  // Unless it takes or gives subnormal numbers: whether those are zeros is the target's to say.
  std::optional<Simpler> Fold() const {
    const uint64_t kept = Value(), flushed = FlushedValue();
    return kept == flushed ? std::optional(Simpler{.bits = kept}) : std::nullopt;
  }

  uint64_t FlushedValue() const {
    FlushDenormals flush;
    return Value();
  }

  uint64_t Value() const {
    uint64_t values[3] = {};
    for (size_t k = 0; k < args_.size(); ++k) values[k] = plan_.nodes[args_[k]].imm;
    return Evaluate(op_, elt_, plan_.nodes[args_.back()].elt, values, imm_);
  }

  std::optional<Simpler> Select() const {
    if (IsConst(args_[0])) return Simpler{.value = plan_.nodes[args_[0]].imm ? args_[1] : args_[2]};
    if (args_[1] == args_[2]) return Simpler{.value = args_[1]};
    if (!IsSigned(elt_)) return std::nullopt;
    if (std::optional<Simpler> simpler = FloorRemainder()) return simpler;
    return FloorQuotient();
  }

  const Node& NodeOf(Id id) const { return plan_.nodes[id]; }
  bool Is(Id id, Op op) const { return NodeOf(id).op == op; }
  bool IsComparison(Id id, Predicate predicate, uint64_t with) const {
    return Is(id, Op::kCmp) && NodeOf(id).imm == static_cast<uint64_t>(predicate) && IsConst(plan_.arg(id, 1), with);
  }
  // x op 2^k with a constant k; k or -1.
  int PowerOf(Id id, Op op) const {
    if (!Is(id, op) || !IsConst(plan_.arg(id, 1))) return -1;
    int64_t by = static_cast<int64_t>(NodeOf(plan_.arg(id, 1)).imm);
    return by > 0 && std::has_single_bit(static_cast<uint64_t>(by)) ? std::countr_zero(static_cast<uint64_t>(by)) : -1;
  }

  // r = x rem 2^k; r < 0 ? r + 2^k : r. As programs write x mod 2^k.
  std::optional<Simpler> FloorRemainder() const {
    Id rest = args_[2];
    int power = PowerOf(rest, Op::kRem);
    if (power < 0 || !IsComparison(args_[0], Predicate::kLt, 0) || plan_.arg(args_[0], 0) != rest) return std::nullopt;
    uint64_t by = uint64_t{1} << power;
    bool adds = Is(args_[1], Op::kAdd) && ((plan_.arg(args_[1], 0) == rest && IsConst(plan_.arg(args_[1], 1), by)) ||
                                           (plan_.arg(args_[1], 1) == rest && IsConst(plan_.arg(args_[1], 0), by)));
    if (!adds) return std::nullopt;
    return Simpler{.value = plan_.arg(rest, 0), .bits = by - 1, .op = Op::kAnd};
  }

  // q = x div 2^k; sign(x) != 1 and x rem 2^k != 0 ? q - 1 : q. As programs write floor(x / 2^k).
  std::optional<Simpler> FloorQuotient() const {
    Id quotient = args_[2];
    int power = PowerOf(quotient, Op::kDiv);
    if (power < 0 || !Is(args_[0], Op::kAnd) || !Is(args_[1], Op::kSub)) return std::nullopt;
    if (plan_.arg(args_[1], 0) != quotient || !IsConst(plan_.arg(args_[1], 1), 1)) return std::nullopt;
    Id x = plan_.arg(quotient, 0), by = plan_.arg(quotient, 1);
    auto is_sign = [&](Id id) {
      return IsComparison(id, Predicate::kNe, 1) && Is(plan_.arg(id, 0), Op::kSign) &&
             plan_.arg(plan_.arg(id, 0), 0) == x;
    };
    auto is_rest = [&](Id id) {
      if (!IsComparison(id, Predicate::kNe, 0) || !Is(plan_.arg(id, 0), Op::kRem)) return false;
      Id rest = plan_.arg(id, 0);
      return plan_.arg(rest, 0) == x && IsConst(plan_.arg(rest, 1), NodeOf(by).imm);
    };
    Id a = plan_.arg(args_[0], 0), b = plan_.arg(args_[0], 1);
    if (!(is_sign(a) && is_rest(b)) && !(is_sign(b) && is_rest(a))) return std::nullopt;
    return Simpler{.value = x, .bits = static_cast<uint64_t>(power), .op = Op::kShrA};
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
