#include "compiler/emit/variance.h"

#include <algorithm>

namespace treadle::emit {
namespace {

using plan::Block;
using plan::Id;
using plan::Loop;
using plan::LoopKind;
using plan::Node;
using plan::Op;
using plan::Plan;
using plan::Tree;

class Analysis {
 public:
  explicit Analysis(const Plan& plan) : plan_(plan), known_(plan.nodes.size(), Variance::kUniform) {}

  // Every pass can only raise values, so this ends.
  std::vector<Variance> Run(const Block& block) {
    do {
      changed_ = false;
      Visit(block);
    } while (changed_);
    return std::move(known_);
  }

 private:
  void Raise(Id id, Variance variance) {
    if (variance > known_[id]) {
      known_[id] = variance;
      changed_ = true;
    }
  }

  void Visit(const Block& block) {
    for (Id id = block.first; id < block.end; id = plan_.Next(id)) {
      if (plan_.node(id).op == Op::kLoop) {
        VisitLoop(plan_.loop(id));
      } else {
        Raise(id, ResultVariance(plan_, id, known_));
        if (plan_.node(id).op == Op::kResult) RaiseResult(id);
      }
    }
  }

  void VisitLoop(const Loop& loop) {
    if (loop.kind == LoopKind::kLanes) Raise(loop.body.first, Variance::kAffine);
    bool index = loop.kind == LoopKind::kFor || loop.kind == LoopKind::kLanes;
    int carries = static_cast<int>(loop.init.count);
    for (int k = 0; k < carries && loop.kind != LoopKind::kLanes; ++k) {
      // Once one lane of a carry differs, all is a vector: carries are never affine.
      if (CarryUniform(loop, k)) continue;
      if (loop.tree == Tree::kNone) Raise(loop.body.first + (index ? 1 : 0) + k, Variance::kVarying);
      if (loop.kind == LoopKind::kWhile) Raise(loop.cond.first + k, Variance::kVarying);
      if (loop.tree != Tree::kNone) {
        Raise(loop.combine.first + k, Variance::kVarying);
        Raise(loop.combine.first + carries + k, Variance::kVarying);
      }
    }
    Visit(loop.body);
    if (!loop.cond.empty()) Visit(loop.cond);
    if (!loop.combine.empty() && loop.kind != LoopKind::kLanes) Visit(loop.combine);
  }

  bool CarryUniform(const Loop& loop, int k) const {
    if (known_[plan_.operands[loop.init.first + k]] != Variance::kUniform) return false;
    if (known_[YieldOf(loop.body, k)] != Variance::kUniform) return false;
    if (!loop.combine.empty() && known_[YieldOf(loop.combine, k)] != Variance::kUniform) return false;
    // A loop that ends lane by lane makes every carry differ.
    return loop.kind != LoopKind::kWhile || known_[YieldOf(loop.cond, 0)] == Variance::kUniform;
  }

  Id YieldOf(const Block& block, int k) const { return plan_.arg(block.end - 1, k); }

  void RaiseResult(Id id) {
    const Loop& loop = plan_.loop(plan_.arg(id, 0));
    int k = static_cast<int>(plan_.node(id).imm);
    if (loop.kind == LoopKind::kLanes) return;
    if (loop.kind == LoopKind::kIf) {
      if (known_[YieldOf(loop.body, k)] != Variance::kUniform || known_[YieldOf(loop.cond, k)] != Variance::kUniform) {
        Raise(id, Variance::kVarying);
      }
    } else if (!CarryUniform(loop, k)) {
      Raise(id, Variance::kVarying);
    }
  }

  const Plan& plan_;
  std::vector<Variance> known_;
  bool changed_ = false;
};

bool KeepsAffine(const Plan& plan, Id id, const std::vector<Variance>& known) {
  const Node& node = plan.node(id);
  if (!IsInteger(node.elt)) return false;
  switch (node.op) {
    case Op::kAdd:
    case Op::kSub:
      return true;
    case Op::kMul:
      return known[plan.arg(id, 0)] == Variance::kUniform || known[plan.arg(id, 1)] == Variance::kUniform;
    case Op::kConvert:  // wraps or extends; extending is only affine where nothing wrapped, so only narrowing is
      return ElementBytes(node.elt) <= ElementBytes(plan.node(plan.arg(id, 0)).elt);
    default:
      return false;
  }
}

int OperationCost(const Node& node) {
  switch (node.op) {
    case Op::kExp:
    case Op::kLog:
    case Op::kTanh:
    case Op::kLogistic:
    case Op::kExpm1:
    case Op::kLog1p:
    case Op::kErf:
    case Op::kErfc:
      return 20;
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kPow:
    case Op::kAtan2:
    case Op::kCbrt:
      return 50;
    case Op::kDiv:
    case Op::kRem:
      return IsInteger(node.elt) ? 20 : 2;
    case Op::kRsqrt:
    case Op::kSqrt:
      return 3;
    case Op::kConst:
    case Op::kPush:
    case Op::kBlockArg:
    case Op::kYield:
    case Op::kResult:
    case Op::kLoop:
      return 0;
    case Op::kMax:
    case Op::kMin:
      return IsFloat(node.elt) ? 6 : 1;
    default:
      return IsNarrowFloat(node.elt) ? 5 : 1;
  }
}

}  // namespace

std::vector<Variance> AnalyzeVariance(const Plan& plan, const Block& block) { return Analysis(plan).Run(block); }

bool IsNarrowFloat(ElementType type) { return IsFloat(type) && ElementBytes(type) <= 2; }

int ComputeBytes(ElementType type) {
  if (type == ElementType::kInvalid || type == ElementType::kI1) return 0;
  return IsNarrowFloat(type) ? 4 : ElementBytes(type);
}

Variance ResultVariance(const Plan& plan, Id id, const std::vector<Variance>& known) {
  const Node& node = plan.node(id);
  if (node.op == Op::kLoad) {
    for (const plan::Term& term : plan.accesses[node.imm].terms) {
      if (known[term.index] != Variance::kUniform) return Variance::kVarying;
    }
    return Variance::kUniform;
  }
  if (node.op == Op::kResult || node.op == Op::kBlockArg) return known[id];
  Variance most = Variance::kUniform;
  for (uint32_t k = 0; k < node.args.count; ++k) most = std::max(most, known[plan.arg(id, k)]);
  return most == Variance::kAffine && !KeepsAffine(plan, id, known) ? Variance::kVarying : most;
}

namespace {

std::optional<int64_t> AffineStride(const Plan& plan, Id id, const std::vector<Variance>& variance) {
  if (variance[id] == Variance::kUniform) return 0;
  if (variance[id] == Variance::kVarying) return std::nullopt;
  const Node& node = plan.node(id);
  if (node.op == Op::kBlockArg) return 1;
  std::optional<int64_t> a = AffineStride(plan, plan.arg(id, 0), variance);
  if (!a || node.op == Op::kConvert) return a;
  if (node.op == Op::kMul) {
    Id factor = plan.arg(id, 1);
    if (variance[plan.arg(id, 0)] == Variance::kUniform) {
      factor = plan.arg(id, 0);
      a = AffineStride(plan, plan.arg(id, 1), variance);
    }
    if (!a || plan.node(factor).op != Op::kConst) return std::nullopt;
    return *a * static_cast<int64_t>(plan.node(factor).imm);
  }
  std::optional<int64_t> b = AffineStride(plan, plan.arg(id, 1), variance);
  if (!b) return b;
  return node.op == Op::kAdd ? *a + *b : *a - *b;
}

}  // namespace

std::optional<int64_t> LaneStride(const Plan& plan, const plan::Access& access, const std::vector<Variance>& variance) {
  int64_t stride = 0;
  for (const plan::Term& term : access.terms) {
    std::optional<int64_t> index = AffineStride(plan, term.index, variance);
    if (!index || (*index != 0 && term.stride.sym >= 0)) return std::nullopt;
    stride += *index * term.stride.c;
  }
  return stride;
}

// 64-bit integers that only stand between loads and stores, gather indices mostly, count half: better they take two
// registers than that all else takes half of one.
int WidestVaryingBytes(const Plan& plan, const Loop& loop, const std::vector<Variance>& variance) {
  auto bytes_in = [&](const Node& user, ElementType type) {
    bool memory = user.op == Op::kLoad || user.op == Op::kStore;
    return IsInteger(type) && !memory ? std::min(ComputeBytes(type), 4) : ComputeBytes(type);
  };
  int widest = 1;
  Id end = std::max({loop.body.end, loop.cond.end, loop.combine.end});
  for (Id id = loop.body.first; id < end; ++id) {
    const Node& node = plan.node(id);
    if (variance[id] == Variance::kVarying) widest = std::max(widest, bytes_in(node, node.elt));
    if (variance[id] == Variance::kAffine && (node.op != Op::kBlockArg || node.elt == ElementType::kI64)) continue;
    for (uint32_t k = 0; k < node.args.count; ++k) {  // users of affine values that need them as vectors
      Id arg = plan.arg(id, k);
      if (variance[arg] != Variance::kUniform) widest = std::max(widest, bytes_in(node, plan.node(arg).elt));
    }
  }
  for (uint32_t k = 0; k < loop.init.count; ++k) {
    widest = std::max(widest, ComputeBytes(plan.node(plan.operands[loop.init.first + k]).elt));
  }
  return widest;
}

int BodyCost(const Plan& plan, const Block& block, const std::vector<Variance>& variance) {
  int cost = 0;
  for (Id id = block.first; id < block.end; ++id) {
    if (variance[id] == Variance::kVarying || plan.node(id).op == Op::kStore) cost += OperationCost(plan.node(id));
  }
  return cost;
}

}  // namespace treadle::emit
