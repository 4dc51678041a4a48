#include "compiler/plan/interpret.h"

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/evaluate.h"

namespace treadle::plan {
namespace {

// One value per carry of a reduction.
using Tuple = std::vector<uint64_t>;

class Interpreter {
 public:
  Interpreter(const Plan& plan, const TreadleCallFrame& frame, const InterpretOptions& options)
      : plan_(plan), frame_(frame), options_(options), values_(plan.nodes.size()) {
    PlaceBuffers();
  }

  Status Run(const Phase& phase) {
    std::optional<FlushDenormals> flush;
    if (!options_.keeps_subnormals) flush.emplace();
    for (int64_t tile = frame_.tile_begin; tile < frame_.tile_end && status_.ok(); ++tile) {
      values_[phase.body.first] = static_cast<uint64_t>(tile);
      RunBlock(phase.body);
    }
    return std::move(status_);
  }

 private:
  void PlaceBuffers() {
    int number = 0;
    char* next[2] = {static_cast<char*>(frame_.local), static_cast<char*>(frame_.scratch)};
    for (const Buffer& buffer : plan_.buffers) {
      if (buffer.role != Role::kLocal && buffer.role != Role::kScratch) {
        base_.push_back(static_cast<char*>(frame_.buffers[number++]));
        elements_.push_back(-1);
        continue;
      }
      char*& place = next[buffer.role == Role::kScratch];
      base_.push_back(place);
      elements_.push_back(SizeOf(buffer.elements));
      place += (elements_.back() * ElementBytes(buffer.elt) + 63) / 64 * 64;
    }
  }

  int64_t SizeOf(Size size) const { return size.c + (size.sym >= 0 ? static_cast<int64_t>(frame_.args[size.sym]) : 0); }
  int64_t Integer(Id id) const { return static_cast<int64_t>(values_[id]); }

  Tuple Read(Range range) const {
    Tuple tuple;
    for (uint32_t k = 0; k < range.count; ++k) tuple.push_back(values_[plan_.operands[range.first + k]]);
    return tuple;
  }

  // Sets the values of a block's arguments from number `skip` on.
  void Bind(const Block& block, int skip, const Tuple& tuple) {
    for (size_t k = 0; k < tuple.size(); ++k) values_[block.first + skip + k] = tuple[k];
  }

  char* Address(const Access& access, int64_t more = 0) {
    int64_t element = SizeOf(access.offset) + more;
    for (const Term& term : access.terms) element += Integer(term.index) * SizeOf(term.stride);
    int64_t limit = elements_[access.buffer];
    if (limit >= 0 && (element < 0 || element >= limit)) {
      if (status_.ok()) {
        status_ = OutOfRange("element " + std::to_string(element) + " of buffer " + std::to_string(access.buffer) +
                             ", which has " + std::to_string(limit));
      }
      element = 0;
    }
    return base_[access.buffer] + element * ElementBytes(plan_.buffers[access.buffer].elt);
  }

  // Runs the nodes of a block; what it yields.
  Tuple RunBlock(const Block& block) {
    for (Id id = block.first; id < block.end; id = plan_.Next(id)) {
      if (!status_.ok()) return {};
      if (plan_.nodes[id].op == Op::kYield) return Read(plan_.nodes[id].args);
      RunNode(id);
    }
    return {};
  }

  void RunNode(Id id) {
    const Node& node = plan_.nodes[id];
    switch (node.op) {
      case Op::kBlockArg:
      case Op::kResult:
        return;  // set by their block or loop
      case Op::kConst:
        values_[id] = node.imm;
        return;
      case Op::kPush:
        values_[id] = Normalize(node.elt, frame_.args[node.imm]);
        return;
      case Op::kLoop: {
        Tuple results = RunLoop(plan_.loops[node.imm]);
        for (size_t k = 0; k < results.size(); ++k) values_[plan_.Next(id) + k] = results[k];
        return;
      }
      case Op::kLoad: {
        const Access& access = plan_.accesses[node.imm];
        char* from = Address(access);
        if (status_.ok()) values_[id] = LoadElement(node.elt, from);
        return;
      }
      case Op::kStore: {
        const Access& access = plan_.accesses[node.imm];
        char* to = Address(access);
        if (status_.ok()) StoreElement(plan_.buffers[access.buffer].elt, to, values_[plan_.arg(id, 0)]);
        return;
      }
      case Op::kMove:
        return RunMove(plan_.moves[node.imm]);
      case Op::kCall:
        return RunCall(plan_.calls[node.imm], Read(node.args));
      default: {
        uint64_t args[3] = {};
        for (uint32_t k = 0; k < node.args.count; ++k) args[k] = values_[plan_.arg(id, static_cast<int>(k))];
        ElementType arg_elt = plan_.nodes[plan_.arg(id, static_cast<int>(node.args.count) - 1)].elt;
        values_[id] = Evaluate(node.op, node.elt, arg_elt, args, node.imm, options_.fma);
      }
    }
  }

  void RunMove(const Move& move) {
    int bytes = ElementBytes(plan_.buffers[move.from.buffer].elt);
    for (int64_t r = 0; r < Integer(move.extent[0]); ++r) {
      for (int64_t c = 0; c < Integer(move.extent[1]); ++c) {
        const char* from = Address(move.from, r * SizeOf(move.from_stride[0]) + c * SizeOf(move.from_stride[1]));
        char* to = Address(move.to, r * SizeOf(move.to_stride[0]) + c * SizeOf(move.to_stride[1]));
        if (!status_.ok()) return;
        std::copy(from, from + bytes, to);
      }
    }
  }

  void RunCall(const Call& call, const Tuple& args) {
    TreadleKernel kernel = options_.resolve ? options_.resolve(call.symbol) : nullptr;
    if (kernel == nullptr) {
      status_ = NotFound("kernel " + call.symbol);
      return;
    }
    std::vector<void*> buffers;
    for (const Access& access : call.buffers) buffers.push_back(Address(access));
    TreadleCallFrame frame = {.buffers = buffers.data(), .args = args.data(), .tile_begin = 0, .tile_end = 1};
    if (int code = kernel(&frame); code != 0) status_ = Status(static_cast<StatusCode>(code), "kernel " + call.symbol);
  }

  Tuple RunLoop(const Loop& loop) {
    Tuple carries = Read(loop.init);
    switch (loop.kind) {
      case LoopKind::kIf:
        return RunBlock(values_[loop.lo] ? loop.body : loop.cond);
      case LoopKind::kWhile:
        for (;;) {
          Bind(loop.cond, 0, carries);
          Tuple go_on = RunBlock(loop.cond);
          if (!status_.ok() || !go_on[0]) return carries;
          Bind(loop.body, 0, carries);
          carries = RunBlock(loop.body);
        }
      case LoopKind::kFor:
      case LoopKind::kLanes:
        break;
    }
    if (loop.tree != Tree::kNone) return Reduce(loop, std::move(carries));
    int64_t step = loop.step == kNone ? 1 : Integer(loop.step);
    for (int64_t i = Integer(loop.lo); i < Integer(loop.hi) && status_.ok(); i += step) {
      values_[loop.body.first] = static_cast<uint64_t>(i);
      Bind(loop.body, 1, carries);
      carries = RunBlock(loop.body);
    }
    return carries;
  }

  Tuple Combine(const Loop& loop, const Tuple& a, const Tuple& b) {
    Bind(loop.combine, 0, a);
    Bind(loop.combine, static_cast<int>(a.size()), b);
    Tuple result = RunBlock(loop.combine);
    result.resize(a.size());  // after an error
    return result;
  }

  // Balanced combination of values that come one after the other.
  class Counter {
   public:
    Counter(Interpreter& interpreter, const Loop& loop) : interpreter_(interpreter), loop_(loop) {}

    void Add(Tuple value) {
      int level = 0;
      for (; !stack_.empty() && stack_.back().first == level; ++level) {
        value = interpreter_.Combine(loop_, stack_.back().second, value);
        stack_.pop_back();
      }
      stack_.emplace_back(level, std::move(value));
    }

    Tuple Finish(Tuple init) {
      if (stack_.empty()) return init;
      Tuple value = std::move(stack_.back().second);
      for (stack_.pop_back(); !stack_.empty(); stack_.pop_back()) {
        value = interpreter_.Combine(loop_, stack_.back().second, value);
      }
      return interpreter_.Combine(loop_, init, value);
    }

   private:
    Interpreter& interpreter_;
    const Loop& loop_;
    std::vector<std::pair<int, Tuple>> stack_;
  };

  int64_t Slots(const Loop& loop) const {
    int64_t bytes = 0;
    for (uint32_t k = 0; k < loop.init.count; ++k)
      bytes += ElementBytes(plan_.nodes[plan_.operands[loop.init.first + k]].elt);
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, kSlotBytes / bytes))));
  }

  // One leaf's values to one.
  Tuple FoldSlots(const Loop& loop, const std::vector<Tuple>& values) {
    int64_t slots = Slots(loop), count = static_cast<int64_t>(values.size());
    std::vector<Tuple> slot(values.begin(), values.begin() + std::min(slots, count));
    for (int64_t i = slots; i < count; ++i) slot[i % slots] = Combine(loop, slot[i % slots], values[i]);
    for (int64_t half = slots / 2; half > 0; half /= 2) {
      for (int64_t s = 0; s < half && s + half < static_cast<int64_t>(slot.size()); ++s) {
        slot[s] = Combine(loop, slot[s], slot[s + half]);
      }
      slot.resize(std::min<size_t>(slot.size(), half));
    }
    return slot[0];
  }

  Tuple FoldAdjacent(const Loop& loop, std::vector<Tuple> values) {
    while (values.size() > 1) {
      std::vector<Tuple> next;
      for (size_t k = 0; k + 1 < values.size(); k += 2) next.push_back(Combine(loop, values[k], values[k + 1]));
      if (values.size() % 2 == 1) next.push_back(values.back());
      values = std::move(next);
    }
    return values[0];
  }

  Tuple Reduce(const Loop& loop, Tuple init) {
    Counter counter(*this, loop);
    int64_t step = loop.step == kNone ? 1 : Integer(loop.step);
    std::vector<Tuple> leaf;
    auto finish_leaf = [&] {
      counter.Add(loop.tree == Tree::kLanes ? FoldSlots(loop, leaf) : FoldAdjacent(loop, std::move(leaf)));
      leaf.clear();
    };
    for (int64_t i = Integer(loop.lo); i < Integer(loop.hi); i += step) {
      values_[loop.body.first] = static_cast<uint64_t>(i);
      Tuple value = RunBlock(loop.body);
      if (!status_.ok()) return init;
      if (loop.tree == Tree::kPairwise) {
        counter.Add(std::move(value));
        continue;
      }
      leaf.push_back(std::move(value));
      if (static_cast<int64_t>(leaf.size()) == kLeafElements) finish_leaf();
    }
    if (!leaf.empty()) finish_leaf();
    return counter.Finish(std::move(init));
  }

  const Plan& plan_;
  const TreadleCallFrame& frame_;
  const InterpretOptions& options_;
  std::vector<uint64_t> values_;   // per node
  std::vector<char*> base_;        // per buffer
  std::vector<int64_t> elements_;  // per buffer; -1: not known
  Status status_;
};

}  // namespace

Status Interpret(const Plan& plan, int phase, const TreadleCallFrame& frame, const InterpretOptions& options) {
  return Interpreter(plan, frame, options).Run(plan.phases[phase]);
}

}  // namespace treadle::plan
