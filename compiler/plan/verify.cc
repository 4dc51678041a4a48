#include "compiler/plan/verify.h"

#include <string>

namespace treadle::plan {
namespace {

bool Stored(ElementType type) { return type == ElementType::kI1 || IsInteger(type) || IsFloat(type); }

std::string Name(ElementType type) { return std::string(ElementTypeName(type)); }

// Marks what differs between lanes. Carries are followed until nothing changes.
class Uniformity {
 public:
  explicit Uniformity(const Plan& plan) : plan_(plan), varying_(plan.nodes.size(), false) {}

  std::vector<bool> Run() {
    for (const Phase& phase : plan_.phases) Visit(phase.body, /*in_lanes=*/false);
    return std::move(varying_);
  }

 private:
  bool Any(Range range) const {
    for (uint32_t k = 0; k < range.count; ++k) {
      if (varying_[plan_.operands[range.first + k]]) return true;
    }
    return false;
  }

  bool Any(const Access& access) const {
    for (const Term& term : access.terms) {
      if (varying_[term.index]) return true;
    }
    return false;
  }

  Id YieldOf(const Block& block) const { return block.end - 1; }

  void Visit(const Block& block, bool in_lanes) {
    for (Id id = block.first; id < block.end; id = plan_.Next(id)) {
      const Node& node = plan_.nodes[id];
      if (node.op == Op::kLoop) {
        VisitLoop(id, in_lanes);
      } else if (node.op == Op::kLoad) {
        varying_[id] = in_lanes && Any(plan_.accesses[node.imm]);
      } else if (node.op != Op::kBlockArg && node.op != Op::kResult) {
        varying_[id] = Any(node.args);
      }
    }
  }

  // Sets argument or result number k; whether that is new.
  bool Mark(Id id, bool varying) {
    if (!varying || varying_[id]) return false;
    varying_[id] = true;
    return true;
  }

  bool MarkArguments(const Block& block, int skip, Range from) {
    bool changed = false;
    for (uint32_t k = 0; k < from.count; ++k) {
      changed |= Mark(block.first + skip + k, varying_[plan_.operands[from.first + k]]);
    }
    return changed;
  }

  void VisitLoop(Id id, bool in_lanes) {
    const Loop& loop = plan_.loop(id);
    const Node* yield = loop.body.empty() ? nullptr : &plan_.nodes[YieldOf(loop.body)];
    Id result = plan_.Next(id);
    if (loop.kind == LoopKind::kLanes) {
      varying_[loop.body.first] = true;
      return Visit(loop.body,
                   /*in_lanes=*/true);  // results are the same for all: this loop is the outermost of its lanes
    }
    if (loop.kind == LoopKind::kIf) {
      Visit(loop.body, in_lanes);
      Visit(loop.cond, in_lanes);
      const Node& other = plan_.nodes[YieldOf(loop.cond)];
      for (uint32_t k = 0; k < yield->args.count; ++k) {
        Mark(result + k,
             varying_[plan_.operands[yield->args.first + k]] || varying_[plan_.operands[other.args.first + k]]);
      }
      return;
    }
    int skip = loop.kind == LoopKind::kFor ? 1 : 0;
    if (loop.tree != Tree::kNone) {
      Visit(loop.body, in_lanes);
      for (uint32_t k = 0; k < loop.init.count; ++k) {
        bool varying = Any(yield->args) || Any(loop.init);
        Mark(loop.combine.first + k, varying);
        Mark(loop.combine.first + loop.init.count + k, varying);
        Mark(result + k, varying);
      }
      return Visit(loop.combine, in_lanes);
    }
    for (bool changed = true; changed;) {
      changed = MarkArguments(loop.body, skip, loop.init);
      Visit(loop.body, in_lanes);
      changed |= MarkArguments(loop.body, skip, yield->args);
    }
    for (uint32_t k = 0; k < loop.init.count; ++k) Mark(result + k, varying_[loop.body.first + skip + k]);
    if (loop.kind == LoopKind::kWhile) {
      for (uint32_t k = 0; k < loop.init.count; ++k) Mark(loop.cond.first + k, varying_[loop.body.first + k]);
      Visit(loop.cond, in_lanes);
    }
  }

  const Plan& plan_;
  std::vector<bool> varying_;
};

class Verifier {
 public:
  explicit Verifier(const Plan& plan) : plan_(plan), visible_(plan.nodes.size(), false) {}

  Status Run() {
    TREADLE_RETURN_IF_ERROR(CheckBuffers());
    Id next = 0;
    for (const Phase& phase : plan_.phases) {
      if (phase.body.first != next) return Fail(next, "is in no phase");
      TREADLE_RETURN_IF_ERROR(CheckBlock(phase.body, {ElementType::kI64}, /*in_lanes=*/false, /*pure=*/false));
      if (!YieldTypes(phase.body).empty()) return Fail(phase.body.end - 1, "a phase yields nothing");
      next = phase.body.end;
    }
    if (next != plan_.nodes.size()) return Fail(next, "is in no phase");
    varying_ = VaryingNodes(plan_);
    return CheckUniformity();
  }

 private:
  using Types = std::vector<ElementType>;

  Status Fail(Id id, std::string what) const {
    std::string where = "plan '" + plan_.name + "', node " + std::to_string(id);
    if (id < plan_.nodes.size()) where += " (" + std::string(OpText(plan_.nodes[id].op)) + ")";
    return Internal(where + ": " + what);
  }

  Status CheckBuffers() {
    for (size_t k = 0; k < plan_.buffers.size(); ++k) {
      const Buffer& buffer = plan_.buffers[k];
      std::string which = "buffer " + std::to_string(k);
      if (!Stored(buffer.elt)) return Fail(0, which + " cannot hold " + Name(buffer.elt));
      if (!SizeExists(buffer.elements)) return Fail(0, which + ": its size is no i64 push constant");
      int share = buffer.may_share;
      bool fits = share < 0 || (share < static_cast<int>(plan_.buffers.size()) && buffer.role == Role::kOut &&
                                plan_.buffers[share].role == Role::kIn);
      if (!fits) return Fail(0, which + " cannot share the memory of buffer " + std::to_string(share));
    }
    return OkStatus();
  }

  bool SizeExists(Size size) const {
    return size.sym < 0 ||
           (size.sym < static_cast<int>(plan_.push.size()) && plan_.push[size.sym] == ElementType::kI64);
  }

  bool Exists(Range range) const { return size_t{range.first} + range.count <= plan_.operands.size(); }
  bool Is(Id id, ElementType type) const {
    return id < plan_.nodes.size() && visible_[id] && plan_.nodes[id].elt == type;
  }

  bool AllVisible(Range range) const {
    for (uint32_t k = 0; k < range.count; ++k) {
      Id id = plan_.operands[range.first + k];
      if (id >= plan_.nodes.size() || !visible_[id] || plan_.nodes[id].elt == ElementType::kInvalid) return false;
    }
    return true;
  }

  Types TypesOf(Range range) const {
    Types types;
    for (uint32_t k = 0; k < range.count; ++k) types.push_back(plan_.nodes[plan_.operands[range.first + k]].elt);
    return types;
  }

  Types YieldTypes(const Block& block) const { return TypesOf(plan_.nodes[block.end - 1].args); }

  // The values defined in a block are visible in it alone.
  Status CheckBlock(const Block& block, const Types& arguments, bool in_lanes, bool pure) {
    if (block.end > plan_.nodes.size() || block.end - block.first < arguments.size() + 1) {
      return Fail(block.first, "its block is too short");
    }
    Id id = block.first;
    for (size_t k = 0; k < arguments.size(); ++k, ++id) {
      const Node& node = plan_.nodes[id];
      if (node.op != Op::kBlockArg || node.imm != k || node.elt != arguments[k]) {
        return Fail(id, "expected block argument " + std::to_string(k) + " of type " + Name(arguments[k]));
      }
      visible_[id] = true;
    }
    for (; id < block.end; id = plan_.Next(id)) {
      if (plan_.nodes[id].op == Op::kYield && id + 1 != block.end) return Fail(id, "stands in the middle of its block");
      TREADLE_RETURN_IF_ERROR(CheckNode(id, block, in_lanes, pure));
      visible_[id] = true;
    }
    if (id != block.end || plan_.nodes[id - 1].op != Op::kYield)
      return Fail(block.end - 1, "its block must end with a yield");
    for (Id k = block.first; k < block.end; ++k) visible_[k] = false;
    return OkStatus();
  }

  Status CheckAccess(Id id, const Access& access) const {
    if (access.buffer >= plan_.buffers.size()) return Fail(id, "there is no buffer " + std::to_string(access.buffer));
    if (!SizeExists(access.offset)) return Fail(id, "its offset is no i64 push constant");
    for (const Term& term : access.terms) {
      if (!Is(term.index, ElementType::kI64)) return Fail(id, "an index must be an i64 in scope");
      if (!SizeExists(term.stride)) return Fail(id, "a stride is no i64 push constant");
    }
    return OkStatus();
  }

  Status CheckNode(Id id, const Block& block, bool in_lanes, bool pure) {
    const Node& node = plan_.nodes[id];
    if (!Exists(node.args)) return Fail(id, "its operands do not exist");
    if (node.op != Op::kResult && !AllVisible(node.args)) return Fail(id, "an operand is not in scope");
    int arity = OpArity(node.op);
    if (arity >= 0 && node.args.count != static_cast<uint32_t>(arity)) return Fail(id, "wrong number of operands");
    if (pure && !OpIsPure(node.op) && node.op != Op::kYield) return Fail(id, "a combiner has only pure operations");
    switch (node.op) {
      case Op::kBlockArg:
        return Fail(id, "stands behind the arguments of its block");
      case Op::kConst:
        return Stored(node.elt) ? OkStatus() : Fail(id, "a constant cannot be " + Name(node.elt));
      case Op::kPush:
        if (node.imm >= plan_.push.size() || plan_.push[node.imm] != node.elt) return Fail(id, "no such push constant");
        return OkStatus();
      case Op::kYield:
        return OkStatus();
      case Op::kResult: {
        Id loop = plan_.operands[node.args.first];
        if (loop >= id || plan_.nodes[loop].op != Op::kLoop || plan_.Next(loop) + node.imm != id) {
          return Fail(id, "must stand directly behind its loop");
        }
        return OkStatus();
      }
      case Op::kLoop:
        return CheckLoop(id, block, in_lanes);
      case Op::kLoad:
      case Op::kStore: {
        if (node.imm >= plan_.accesses.size()) return Fail(id, "has no access");
        const Access& access = plan_.accesses[node.imm];
        TREADLE_RETURN_IF_ERROR(CheckAccess(id, access));
        const Buffer& buffer = plan_.buffers[access.buffer];
        ElementType type = node.op == Op::kLoad ? node.elt : plan_.nodes[plan_.arg(id, 0)].elt;
        if (type != buffer.elt) return Fail(id, Name(type) + " in a buffer of " + Name(buffer.elt));
        if (node.op == Op::kStore && buffer.role == Role::kIn) return Fail(id, "writes to an input");
        return OkStatus();
      }
      case Op::kMove:
        if (in_lanes) return Fail(id, "stands in a lanes loop");
        return node.imm < plan_.moves.size() ? CheckMove(id, plan_.moves[node.imm]) : Fail(id, "has no move");
      case Op::kCall:
        if (in_lanes) return Fail(id, "stands in a lanes loop");
        if (node.imm >= plan_.calls.size()) return Fail(id, "has no call");
        for (const Access& access : plan_.calls[node.imm].buffers) TREADLE_RETURN_IF_ERROR(CheckAccess(id, access));
        return OkStatus();
      default:
        return CheckTypes(id);
    }
  }

  Status CheckMove(Id id, const Move& move) const {
    TREADLE_RETURN_IF_ERROR(CheckAccess(id, move.from));
    TREADLE_RETURN_IF_ERROR(CheckAccess(id, move.to));
    if (plan_.buffers[move.from.buffer].elt != plan_.buffers[move.to.buffer].elt)
      return Fail(id, "between different types");
    if (plan_.buffers[move.to.buffer].role == Role::kIn) return Fail(id, "writes to an input");
    for (int k : {0, 1}) {
      if (!Is(move.extent[k], ElementType::kI64)) return Fail(id, "its extents must be i64 in scope");
      if (!SizeExists(move.from_stride[k]) || !SizeExists(move.to_stride[k]))
        return Fail(id, "a stride does not exist");
    }
    return OkStatus();
  }

  Status CheckTypes(Id id) const {
    const Node& node = plan_.nodes[id];
    Types args = TypesOf(node.args);
    ElementType type = node.elt;
    auto all = [&](size_t from, ElementType want) {
      for (size_t k = from; k < args.size(); ++k) {
        if (args[k] != want) return false;
      }
      return true;
    };
    bool fits = Stored(type);
    switch (node.op) {
      case Op::kCmp:
        fits = type == ElementType::kI1 && args[0] == args[1] &&
               node.imm <= static_cast<uint64_t>(Predicate::kTotalLt) &&
               (node.imm < static_cast<uint64_t>(Predicate::kTotalGe) || IsFloat(args[0]));
        break;
      case Op::kSelect:
        fits = fits && args[0] == ElementType::kI1 && all(1, type);
        break;
      case Op::kConvert:
        break;
      case Op::kBitcast:
        fits = fits && ElementBits(type) == ElementBits(args[0]);
        break;
      case Op::kIsFinite:
        fits = type == ElementType::kI1 && IsFloat(args[0]);
        break;
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kNot:
        fits = (type == ElementType::kI1 || IsInteger(type)) && all(0, type);
        break;
      case Op::kShl:
      case Op::kShrL:
      case Op::kShrA:
      case Op::kPopcnt:
      case Op::kClz:
        fits = IsInteger(type) && all(0, type);
        break;
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kMax:
      case Op::kMin:
        fits = fits && all(0, type);
        break;
      case Op::kDiv:
      case Op::kRem:
      case Op::kAbs:
      case Op::kNeg:
      case Op::kSign:
      case Op::kPow:
        fits = (IsInteger(type) || IsFloat(type)) && all(0, type);
        break;
      default:  // rounding, fma, mathematics
        fits = IsFloat(type) && all(0, type);
        break;
    }
    if (fits) return OkStatus();
    std::string what = "cannot be " + Name(type) + " of";
    for (ElementType arg : args) what += " " + Name(arg);
    return Fail(id, what);
  }

  Status CheckLoop(Id id, const Block& block, bool in_lanes) {
    if (plan_.nodes[id].imm >= plan_.loops.size()) return Fail(id, "has no loop");
    const Loop& loop = plan_.loop(id);
    TREADLE_RETURN_IF_ERROR(CheckLoopOperands(id, loop, in_lanes));
    Types carries = TypesOf(loop.init);
    bool indexed = loop.kind == LoopKind::kFor || loop.kind == LoopKind::kLanes;
    bool reduces = loop.tree != Tree::kNone;
    // Where the blocks stand.
    Block first = loop.body,
          second = loop.kind == LoopKind::kWhile || loop.kind == LoopKind::kIf ? loop.cond : loop.combine;
    if (loop.kind == LoopKind::kWhile) std::swap(first, second);
    bool needs_second = !indexed || reduces;
    if (first.first != id + 1 || first.empty() ||
        (needs_second ? second.first != first.end || second.empty() : !second.empty())) {
      return Fail(id, "its blocks must follow it in order");
    }
    if (plan_.Next(id) >= block.end) return Fail(id, "its blocks leave the block around it");
    Types arguments;
    if (indexed) arguments.push_back(ElementType::kI64);
    if (!reduces) arguments.insert(arguments.end(), carries.begin(), carries.end());
    if (loop.kind == LoopKind::kWhile) {
      TREADLE_RETURN_IF_ERROR(CheckBlock(loop.cond, arguments, in_lanes, false));
      if (YieldTypes(loop.cond) != Types{ElementType::kI1}) return Fail(loop.cond.end - 1, "a condition yields one i1");
    }
    TREADLE_RETURN_IF_ERROR(CheckBlock(loop.body, arguments, in_lanes || loop.kind == LoopKind::kLanes, false));
    Types results = loop.kind == LoopKind::kIf ? YieldTypes(loop.body) : carries;
    if (YieldTypes(loop.body) != results) return Fail(loop.body.end - 1, "does not yield its loop's carries");
    if (loop.kind == LoopKind::kIf) {
      TREADLE_RETURN_IF_ERROR(CheckBlock(loop.cond, {}, in_lanes, false));
      if (YieldTypes(loop.cond) != results)
        return Fail(loop.cond.end - 1, "does not yield what the other branch yields");
    }
    if (reduces) {
      Types both = carries;
      both.insert(both.end(), carries.begin(), carries.end());
      TREADLE_RETURN_IF_ERROR(CheckBlock(loop.combine, both, in_lanes, /*pure=*/true));
      if (YieldTypes(loop.combine) != carries) return Fail(loop.combine.end - 1, "does not yield its loop's carries");
    }
    for (size_t k = 0; k < results.size(); ++k) {
      Id result = plan_.Next(id) + static_cast<Id>(k);
      bool fits = result < block.end && plan_.nodes[result].op == Op::kResult && plan_.nodes[result].imm == k &&
                  plan_.nodes[result].elt == results[k] && plan_.arg(result, 0) == id;
      if (!fits) return Fail(result, "expected result " + std::to_string(k) + " of node " + std::to_string(id));
    }
    return OkStatus();
  }

  Status CheckLoopOperands(Id id, const Loop& loop, bool in_lanes) const {
    if (!Exists(loop.init) || !AllVisible(loop.init)) return Fail(id, "a carry's first value is not in scope");
    if (loop.unroll == 0) return Fail(id, "unroll 0");
    bool counted = loop.kind == LoopKind::kFor || loop.kind == LoopKind::kLanes;
    if (counted && (!Is(loop.lo, ElementType::kI64) || !Is(loop.hi, ElementType::kI64))) {
      return Fail(id, "its bounds must be i64 in scope");
    }
    if (loop.kind == LoopKind::kIf && !Is(loop.lo, ElementType::kI1))
      return Fail(id, "its condition must be an i1 in scope");
    if (loop.step != kNone && (loop.kind != LoopKind::kFor || !Is(loop.step, ElementType::kI64))) {
      return Fail(id, "a step is an i64 in scope, of a for loop");
    }
    if (loop.kind == LoopKind::kLanes && in_lanes) return Fail(id, "a lanes loop inside another");
    bool tree_fits = loop.tree == Tree::kNone || (loop.tree == Tree::kPairwise) == (loop.kind == LoopKind::kFor);
    if (!tree_fits || (loop.tree != Tree::kNone && !counted)) return Fail(id, "this kind of loop has no such tree");
    if (loop.tree != Tree::kNone && loop.init.count == 0) return Fail(id, "reduces nothing");
    if (loop.kind == LoopKind::kLanes && loop.tree == Tree::kNone && loop.init.count > 0) {
      return Fail(id, "a lanes loop has carries only with a tree");
    }
    if (loop.kind == LoopKind::kIf && loop.init.count > 0) return Fail(id, "an if has no carries");
    return OkStatus();
  }

  Status CheckUniformity() const {
    for (Id id = 0; id < plan_.nodes.size(); ++id) {
      const Node& node = plan_.nodes[id];
      if (node.op == Op::kStore && varying_[plan_.arg(id, 0)]) {
        bool one_place = true;
        for (const Term& term : plan_.accesses[node.imm].terms) one_place = one_place && !varying_[term.index];
        if (one_place) return Fail(id, "stores the values of all lanes to one place");
      }
      if (node.op != Op::kLoop) continue;
      const Loop& loop = plan_.loop(id);
      for (Id bound : {loop.lo, loop.hi, loop.step}) {
        if (bound != kNone && varying_[bound]) return Fail(id, "differs between lanes in its bounds or condition");
      }
      if (loop.kind == LoopKind::kWhile && varying_[plan_.arg(loop.cond.end - 1, 0)]) {
        return Fail(id, "differs between lanes in its condition");
      }
    }
    return OkStatus();
  }

  const Plan& plan_;
  std::vector<bool> visible_;
  std::vector<bool> varying_;
};

}  // namespace

std::vector<bool> VaryingNodes(const Plan& plan) { return Uniformity(plan).Run(); }

Status Verify(const Plan& plan) { return Verifier(plan).Run(); }

}  // namespace treadle::plan
