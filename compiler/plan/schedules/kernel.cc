#include "compiler/plan/schedules/kernel.h"

#include <algorithm>
#include <utility>

#include "compiler/plan/schedules/elementwise.h"

namespace treadle::plan {

using graph::OpCode;

Kernel::Kernel(std::string schedule, const graph::Graph& graph, const Group& group, const executable::Target& target)
    : graph_(graph), group_(group), target_(target), builder_(std::move(schedule)) {
  std::set<int32_t> started(group.starts_from.begin(), group.starts_from.end());
  for (size_t k = 0; k < group.inputs.size(); ++k) {
    if (started.contains(static_cast<int32_t>(k))) continue;
    inputs_.emplace(group.inputs[k], builder_.AddBuffer(graph.shape(group.inputs[k]).type, Role::kIn));
  }
  for (size_t k = 0; k < group.outputs.size(); ++k) {
    int32_t from = k < group.starts_from.size() ? group.starts_from[k] : -1;
    outputs_.push_back(builder_.AddBuffer(graph.shape(group.outputs[k]).type, from >= 0 ? Role::kInOut : Role::kOut));
    if (from >= 0) started_.emplace(group.inputs[from], outputs_.back());
  }
  for (graph::OpId number : group.ops) {
    const graph::Op& op = graph.ops[number];
    bool second_shapes_code = op.code == OpCode::kDivide || op.code == OpCode::kRemainder ||
                              op.code == OpCode::kPower || op.code == OpCode::kShiftLeft ||
                              op.code == OpCode::kShiftRightLogical || op.code == OpCode::kShiftRightArithmetic;
    if (!second_shapes_code) continue;
    graph::ValueId value = op.operands[1];
    if (IsFloat(graph.shape(value).type) && op.code != OpCode::kPower) continue;
    for (graph::OpId def; (def = graph.values[value].def) >= 0;) {
      OpCode code = graph.ops[def].code;
      if (code == OpCode::kConstant) baked_.insert(value);
      if (code != OpCode::kBroadcastInDim && code != OpCode::kReshape) break;
      value = graph.ops[def].operands[0];
    }
  }
}

int Kernel::BufferOf(graph::ValueId value) const {
  auto found = started_.find(value);
  return found == started_.end() ? InputBuffer(value) : found->second;
}

int Kernel::InputBuffer(graph::ValueId value) const {
  auto found = inputs_.find(value);
  return found == inputs_.end() ? -1 : found->second;
}

Size Kernel::AddSize(int64_t value) {
  instance_.args.push_back(static_cast<uint64_t>(value));
  return {static_cast<int16_t>(builder_.AddPush(ElementType::kI64)), 0};
}

Id Kernel::Literal(graph::ValueId constant) {
  ElementType type = graph_.shape(constant).type;
  uint64_t bits = LiteralBits(graph_.ops[graph_.values[constant].def], type, 0);
  bool shapes_code = type == ElementType::kI1 || bits == 0 || bits == OneBits(type) || baked_.contains(constant);
  if (IsFloat(type)) {
    uint64_t sign = uint64_t{1} << (8 * ElementBytes(type) - 1);
    shapes_code |= (bits & ~sign) == OneBits(type) || (bits & ~sign) == HighestBits(type) || bits == sign;
  } else {
    shapes_code |= bits == ~uint64_t{0};
  }
  if (shapes_code) return builder_.Const(type, bits);
  auto [found, added] = literals_.try_emplace(constant, 0);
  if (added) {
    found->second = builder_.AddPush(type);
    instance_.args.push_back(bits);
  }
  return builder_.Push(found->second);
}

std::pair<Id, Id> Kernel::DivRem(Id number, Id by) {
  Builder& b = builder_;
  Id quotient =
      b.Convert(ElementType::kI64, b.Div(b.Convert(ElementType::kU64, number), b.Convert(ElementType::kU64, by)));
  return {quotient, b.Sub(number, b.Mul(quotient, by))};
}

void Kernel::EndPhase(int64_t tiles, Cost cost) {
  builder_.EndPhase();
  instance_.tiles.push_back(tiles);
  instance_.costs.push_back(cost);
}

Instance Kernel::Finish() {
  instance_.plan = builder_.Finish();
  return std::move(instance_);
}

namespace {

// The input that holds the argument whose memory the caller wants `output` in, or -1.
int16_t WantedInput(const Kernel& kernel, graph::ValueId output) {
  const graph::Graph& graph = kernel.graph();
  const graph::Region& main = graph.regions[0];
  if (graph.values[output].region != 0) return -1;
  for (graph::ValueId input : kernel.group().inputs) {
    // Arguments are the graph's first values, in order.
    const auto argument = static_cast<size_t>(input);
    if (argument >= graph.aliased_result.size() || main.arguments[argument] != input) continue;
    const int32_t result = graph.aliased_result[argument];
    if (result >= 0 && main.results[result] == output) return static_cast<int16_t>(kernel.InputBuffer(input));
  }
  return -1;
}

}  // namespace

std::vector<std::pair<uint16_t, int16_t>> ChooseShares(const Kernel& kernel,
                                                       const std::vector<std::vector<int16_t>>& fitting,
                                                       const std::vector<int16_t>& preferred) {
  std::vector<std::pair<uint16_t, int16_t>> shares;
  std::set<int16_t> taken;
  std::vector<bool> done(fitting.size());
  auto take = [&](size_t k, int16_t input) {
    const bool fits = std::find(fitting[k].begin(), fitting[k].end(), input) != fitting[k].end();
    if (done[k] || !fits || !taken.insert(input).second) return;
    shares.push_back({kernel.OutputBuffer(static_cast<int>(k)), input});
    done[k] = true;
  };
  for (size_t k = 0; k < fitting.size(); ++k) take(k, WantedInput(kernel, kernel.group().outputs[k]));
  for (size_t k = 0; k < preferred.size(); ++k) take(k, preferred[k]);
  for (size_t k = 0; k < fitting.size(); ++k) {
    for (int16_t input : fitting[k]) take(k, input);
  }
  return shares;
}

void SetShares(const std::vector<std::pair<uint16_t, int16_t>>& shares, Plan& plan) {
  std::vector<bool> taken(plan.buffers.size());
  for (auto [output, input] : shares) {
    if (plan.buffers[output].role != Role::kOut || input < 0 || taken[input]) continue;
    taken[input] = true;
    plan.buffers[output].may_share = input;
  }
}

Cost Estimate(const executable::Target& target, double bytes, double set_bytes, double uops) {
  // Bytes a nanosecond of one thread, by where the data lives; two vector operations a nanosecond at about 3 GHz and an
  // average of half the machine's issue width.
  double bandwidth = set_bytes <= target.l1_bytes   ? 60
                     : set_bytes <= target.l2_bytes ? 40
                     : set_bytes <= target.l3_bytes ? 20
                                                    : 9;
  // Code that was compiled fast keeps values in memory rather than registers and does not unroll: about twice the
  // operations, which data that comes from far away hides.
  const double transfer = bytes / bandwidth, work = uops / 4;
  return {static_cast<int64_t>(20 + std::max(transfer, work)), static_cast<int64_t>(20 + std::max(transfer, 2 * work))};
}

int64_t TileElements(double bytes_per_element, double uops_per_element) {
  double by_bytes = (64 << 10) / std::max(bytes_per_element, 1.0);
  double by_time = 12'000 * 4 / std::max(uops_per_element, 0.001);
  int64_t elements = static_cast<int64_t>(std::min({by_bytes, by_time, 32768.0}));
  int64_t tile = 512;
  while (tile * 2 <= elements) tile *= 2;
  return tile;
}

int UnrollFor(int uops) { return uops <= 12 ? 4 : uops <= 100 ? 2 : 1; }

int UnrollForRounds(int uops) { return uops <= 14 ? 8 : uops <= 100 ? 4 : uops <= 250 ? 2 : 1; }

}  // namespace treadle::plan
