#include "compiler/plan/print.h"

#include <charconv>
#include <iterator>

#include "compiler/plan/uses.h"

namespace treadle::plan {
namespace {

constexpr std::string_view kPredicates[] = {"eq", "ne",       "ge",       "gt",       "le",
                                            "lt", "total_ge", "total_gt", "total_le", "total_lt"};
constexpr std::string_view kRoles[] = {"in", "out", "inout", "local", "scratch"};
constexpr std::string_view kTrees[] = {"none", "lanes", "inorder", "pairwise"};

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan), live_(LiveNodes(plan)), number_(plan.nodes.size(), kNone) {}

  std::string Run() {
    if (!plan_.push.empty()) {
      out_ += "push";
      for (ElementType type : plan_.push) Word(ElementTypeName(type));
      out_ += '\n';
    }
    for (const Buffer& buffer : plan_.buffers) PrintBuffer(buffer);
    for (const Phase& phase : plan_.phases) {
      out_ += "phase";
      PrintBlock(phase.body, /*indent=*/0);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  void Word(std::string_view word) {
    out_ += ' ';
    out_ += word;
  }

  void Integer(int64_t value) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  void Define(Id id) {
    number_[id] = next_++;
    out_ += '%';
    Integer(number_[id]);
  }

  void Value(Id id) {
    const Node& node = plan_.nodes[id];
    if (node.op == Op::kConst) {
      if (node.elt == ElementType::kI64) return Integer(static_cast<int64_t>(node.imm));
      char digits[24];
      out_ += ElementTypeName(node.elt);
      out_ += '#';
      out_.append(digits, std::to_chars(digits, digits + sizeof digits, node.imm, 16).ptr);
    } else if (node.op == Op::kPush) {
      out_ += '$';
      Integer(static_cast<int64_t>(node.imm));
    } else {
      out_ += '%';
      Integer(number_[id]);
    }
  }

  void Values(Range range) {
    for (uint32_t k = 0; k < range.count; ++k) {
      out_ += ' ';
      Value(plan_.operands[range.first + k]);
    }
  }

  void PrintSize(Size size) {
    if (size.sym < 0) return Integer(size.c);
    out_ += '$';
    Integer(size.sym);
    if (size.c > 0) out_ += '+';
    if (size.c != 0) Integer(size.c);
  }

  void PrintAccess(const Access& access) {
    out_ += '@';
    Integer(access.buffer);
    out_ += '[';
    bool first = access.offset == Size{} && !access.terms.empty();
    if (!first) PrintSize(access.offset);
    for (const Term& term : access.terms) {
      if (!first) out_ += " + ";
      first = false;
      Value(term.index);
      bool named = plan_.nodes[term.index].op != Op::kConst && plan_.nodes[term.index].op != Op::kPush;
      if (named && term.stride == Size{-1, 1}) continue;
      out_ += '*';
      PrintSize(term.stride);
    }
    out_ += ']';
  }

  void PrintBuffer(const Buffer& buffer) {
    out_ += "buffer";
    Word(RoleText(buffer.role));
    Word(ElementTypeName(buffer.elt));
    if (buffer.role == Role::kLocal || buffer.role == Role::kScratch) {
      out_ += ' ';
      PrintSize(buffer.elements);
    }
    if (buffer.may_share >= 0) {
      out_ += " share ";
      Integer(buffer.may_share);
    }
    out_ += '\n';
  }

  void NewLine(int indent) {
    out_ += '\n';
    out_.append(2 * indent, ' ');
  }

  // " %arg %arg {", the nodes, "}". The line of the yield is left out where it has no values.
  void PrintBlock(const Block& block, int indent, uint32_t skip_args = 0) {
    Id id = block.first;
    for (; id < block.end && plan_.nodes[id].op == Op::kBlockArg; ++id) {
      if (plan_.nodes[id].imm < skip_args) continue;
      out_ += ' ';
      Define(id);
    }
    out_ += " {";
    for (; id < block.end; id = plan_.Next(id)) PrintNode(id, indent + 1);
    NewLine(indent);
    out_ += '}';
  }

  void PrintNode(Id id, int indent) {
    const Node& node = plan_.nodes[id];
    if (!live_[id]) return;
    switch (node.op) {
      case Op::kConst:
      case Op::kPush:
      case Op::kResult:
        return;  // shown where used, or in front of the loop
      case Op::kYield:
        if (node.args.count == 0) return;
        NewLine(indent);
        out_ += "yield";
        return Values(node.args);
      case Op::kLoop:
        NewLine(indent);
        return PrintLoop(id, indent);
      case Op::kMove:
        NewLine(indent);
        return PrintMove(plan_.moves[node.imm]);
      case Op::kCall:
        NewLine(indent);
        PrintCall(plan_.calls[node.imm]);
        return Values(node.args);
      case Op::kStore:
        NewLine(indent);
        out_ += "store ";
        PrintAccess(plan_.accesses[node.imm]);
        return Values(node.args);
      default:
        break;
    }
    NewLine(indent);
    Define(id);
    out_ += " =";
    Word(OpText(node.op));
    if (node.op == Op::kCmp) {
      out_ += '.';
      out_ += PredicateText(static_cast<Predicate>(node.imm));
    } else if (node.op == Op::kReducePrecision) {
      out_ += ".e";
      Integer(node.imm >> 8);
      out_ += 'm';
      Integer(node.imm & 0xff);
    }
    Word(ElementTypeName(node.elt));
    Values(node.args);
    if (node.op == Op::kLoad) {
      out_ += ' ';
      PrintAccess(plan_.accesses[node.imm]);
    }
  }

  void PrintLoop(Id id, int indent) {
    const Loop& loop = plan_.loop(id);
    std::string types;  // of the results, for an `if`
    bool any = false;
    for (Id result = plan_.Next(id); result < plan_.nodes.size() && plan_.nodes[result].op == Op::kResult; ++result) {
      Define(result);
      out_ += ' ';
      types += types.empty() ? "" : " ";
      types += ElementTypeName(plan_.nodes[result].elt);
      any = true;
    }
    if (any) out_ += "= ";
    switch (loop.kind) {
      case LoopKind::kIf:
        out_ += "if ";
        Value(loop.lo);
        out_ += " (" + types + ")";
        PrintBlock(loop.body, indent);
        out_ += " else";
        return PrintBlock(loop.cond, indent);
      case LoopKind::kWhile:
        out_ += "while";
        PrintInit(loop);
        out_ += " cond";
        PrintBlock(loop.cond, indent);
        out_ += " do";
        return PrintBlock(loop.body, indent);
      case LoopKind::kFor:
      case LoopKind::kLanes:
        break;
    }
    out_ += loop.kind == LoopKind::kFor ? "for " : "lanes ";
    Define(loop.body.first);  // the index
    out_ += " in ";
    Value(loop.lo);
    out_ += "..";
    Value(loop.hi);
    if (loop.step != kNone) {
      out_ += " step ";
      Value(loop.step);
    }
    if (loop.unroll != 1) {
      out_ += " u";
      Integer(loop.unroll);
    }
    if (loop.tree != Tree::kNone) {
      out_ += " tree";
      Word(TreeText(loop.tree));
    }
    PrintInit(loop);
    PrintBlock(loop.body, indent, /*skip_args=*/1);
    if (loop.tree == Tree::kNone) return;
    out_ += " combine";
    PrintBlock(loop.combine, indent);
  }

  void PrintInit(const Loop& loop) {
    if (loop.init.count == 0) return;
    out_ += " (";
    for (uint32_t k = 0; k < loop.init.count; ++k) {
      if (k > 0) out_ += ' ';
      Value(plan_.operands[loop.init.first + k]);
    }
    out_ += ')';
  }

  void PrintMove(const Move& move) {
    out_ += "move ";
    for (const bool to : {false, true}) {
      const Size* stride = to ? move.to_stride : move.from_stride;
      PrintAccess(to ? move.to : move.from);
      out_ += " by ";
      PrintSize(stride[0]);
      out_ += ' ';
      PrintSize(stride[1]);
      out_ += to ? "" : " to ";
    }
    out_ += " extent ";
    Value(move.extent[0]);
    out_ += ' ';
    Value(move.extent[1]);
    if (move.stream) out_ += " stream";
  }

  void PrintCall(const Call& call) {
    out_ += "call \"" + call.symbol + "\"";
    for (const Access& access : call.buffers) {
      out_ += ' ';
      PrintAccess(access);
    }
  }

  const Plan& plan_;
  std::vector<bool> live_;
  std::vector<uint32_t> number_;
  uint32_t next_ = 0;
  std::string out_;
};

}  // namespace

std::vector<bool> LiveNodes(const Plan& plan) {
  std::vector<bool> live(plan.nodes.size(), false);
  // Operands stand in front of what uses them.
  for (Id id = static_cast<Id>(plan.nodes.size()); id-- > 0;) {
    const Node& node = plan.nodes[id];
    if (!OpIsPure(node.op) || node.op == Op::kResult || node.op == Op::kBlockArg) live[id] = true;
    if (live[id]) ForEachUse(plan, id, [&](Id used) { live[used] = true; });
  }
  return live;
}

std::string_view PredicateText(Predicate predicate) { return kPredicates[static_cast<size_t>(predicate)]; }
std::string_view RoleText(Role role) { return kRoles[static_cast<size_t>(role)]; }
std::string_view TreeText(Tree tree) { return kTrees[static_cast<size_t>(tree)]; }

std::string PrintWithoutName(const Plan& plan) { return Printer(plan).Run(); }

std::string Print(const Plan& plan) { return "plan \"" + plan.name + "\"\n" + PrintWithoutName(plan); }

}  // namespace treadle::plan
