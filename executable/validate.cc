#include "executable/validate.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace treadle::executable {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 56;

bool InRange(int64_t index, size_t size) { return index >= 0 && static_cast<uint64_t>(index) < size; }

class Validator {
 public:
  explicit Validator(const Executable& executable) : e_(executable) {}

  Status Run() {
    if (e_.num_replicas < 1 || e_.num_partitions < 1 || e_.participants() > kMaxParticipants) {
      return Bad("replicas and partitions are at least 1, and together at most " + std::to_string(kMaxParticipants));
    }
    if (e_.arena_bytes < 0 || e_.arena_bytes > kMaxBytes)
      return Bad("arena of " + std::to_string(e_.arena_bytes) + " bytes");
    for (size_t i = 0; i < e_.parameters.size(); ++i) TREADLE_RETURN_IF_ERROR(CheckParameter(i));
    TREADLE_RETURN_IF_ERROR(MeasureMembers());
    TREADLE_RETURN_IF_ERROR(CheckResults());
    for (size_t i = 0; i < e_.values.size(); ++i) TREADLE_RETURN_IF_ERROR(CheckValue(i));
    for (size_t i = 0; i < e_.kernels.size(); ++i) {
      const Kernel& kernel = e_.kernels[i];
      if (kernel.symbol.empty()) return Bad("kernel " + std::to_string(i) + " has no symbol");
      if (kernel.object != -1 && !InRange(kernel.object, e_.objects.size())) {
        return Bad("kernel " + kernel.symbol + " names object " + std::to_string(kernel.object));
      }
    }
    if (e_.sequences.empty()) return Bad("no program: sequence 0 is missing");
    visit_.assign(e_.sequences.size(), Visit::kNew);
    return CheckSequence(0, 0);
  }

 private:
  enum class Visit : uint8_t { kNew, kOpen, kDone };
  static constexpr int kMaxDepth = 1000;  // of nested control flow
  static constexpr int64_t kMaxParticipants = 1 << 20;

  static Status Bad(const std::string& what) { return InvalidArgument("malformed executable: " + what); }

  static Status CheckShape(const Shape& shape, const std::string& what) {
    if (shape.type == ElementType::kInvalid || shape.type > ElementType::kToken)
      return Bad(what + " has no element type");
    for (int64_t dim : shape.dims) {
      if (dim < 0) return Bad(what + " has a negative dimension: " + shape.ToString());
    }
    if (shape.bytes() > kMaxBytes) return Bad(what + " is too large: " + shape.ToString());
    return OkStatus();
  }

  Status CheckParameter(size_t i) const {
    const Parameter& parameter = e_.parameters[i];
    const std::string what = "parameter " + std::to_string(i);
    TREADLE_RETURN_IF_ERROR(CheckShape(parameter.shape, what));
    if (i < e_.num_arguments()) {
      if (parameter.giver != Giver::kCaller) return Bad(what + " stands before one that the caller gives");
      return CheckHeld(parameter.sharding, parameter.shape, what);
    }
    if (!(parameter.shape == Shape{ElementType::kI32, {}}) || parameter.donated) {
      return Bad(what + " is the number of the participant, and no i32");
    }
    return OkStatus();
  }

  Status CheckHeld(const Sharding& sharding, Shape shape, const std::string& what) const {
    if (e_.view == View::kDevice) {  // `shape` is that of a tile
      for (size_t dim = 0; dim < std::min(sharding.tiles.size(), shape.dims.size()); ++dim) {
        if (__builtin_mul_overflow(shape.dims[dim], sharding.tiles[dim], &shape.dims[dim]))
          return Bad(what + " is huge");
      }
    }
    Status status = CheckSharding(sharding, shape, e_.participants());
    return status.ok() ? status : Bad(what + ": " + status.message());
  }

  // The bytes of what is lent, by the number of the member value. Each number belongs to one exchange.
  Status MeasureMembers() {
    std::vector<std::pair<const ExchangeStep*, const std::string*>> exchanges;
    size_t count = 0;
    for (const Sequence& sequence : e_.sequences) {
      for (const Step& step : sequence.steps) {
        const auto* exchange = std::get_if<ExchangeStep>(&step.what);
        if (exchange == nullptr) continue;
        if (exchange->members < 1 || exchange->members > e_.participants()) {
          return Bad("step '" + step.name + "' has " + std::to_string(exchange->members) + " members");
        }
        count += exchange->operands.size() * exchange->members;
        exchanges.push_back({exchange, &step.name});
      }
    }
    member_bytes_.assign(count, -1);
    for (const auto& [exchange, name] : exchanges) {
      size_t number = exchange->first_member;
      for (const Operand& operand : exchange->operands) {
        TREADLE_RETURN_IF_ERROR(CheckOperand(operand, 0, "step '" + *name + "'"));
        for (int32_t m = 0; m < exchange->members; ++m, ++number) {
          if (number >= count || member_bytes_[number] >= 0)
            return Bad("step '" + *name + "' numbers its members wrong");
          member_bytes_[number] = e_.values[operand.value].bytes - operand.offset;
        }
      }
    }
    return OkStatus();
  }

  Status CheckResults() const {
    std::vector<bool> taken(e_.parameters.size());
    for (size_t i = 0; i < e_.results.size(); ++i) {
      const Result& result = e_.results[i];
      const std::string what = "result " + std::to_string(i);
      TREADLE_RETURN_IF_ERROR(CheckShape(result.shape, what));
      TREADLE_RETURN_IF_ERROR(CheckHeld(result.sharding, result.shape, what));
      if (result.donor == -1) continue;
      if (!InRange(result.donor, e_.parameters.size())) return Bad(what + " takes a parameter that does not exist");
      const Parameter& donor = e_.parameters[result.donor];
      if (!donor.donated) return Bad(what + " takes a parameter that is not donated");
      if (donor.shape.bytes() != result.shape.bytes()) return Bad(what + " takes a parameter of another size");
      if (taken[result.donor]) return Bad(what + " takes a parameter that another result takes");
      taken[result.donor] = true;
    }
    return OkStatus();
  }

  Status CheckValue(size_t i) const {
    const Value& value = e_.values[i];
    const std::string what = "value " + std::to_string(i);
    if (value.bytes < 0 || value.offset < 0) return Bad(what + " has a negative size or offset");
    if (value.home != Home::kArena && value.offset != 0) return Bad(what + " has an offset outside the arena");
    int64_t room = 0;
    switch (value.home) {
      case Home::kParameter:
        if (!InRange(value.index, e_.parameters.size())) return Bad(what + " lives in no parameter");
        room = e_.parameters[value.index].shape.bytes();
        break;
      case Home::kConstant:
        if (!InRange(value.index, e_.constants.size())) return Bad(what + " lives in no constant");
        room = static_cast<int64_t>(e_.constants[value.index].bytes.size());
        break;
      case Home::kArena:
        if (value.offset % 64 != 0) return Bad(what + " is not aligned in the arena");
        room = e_.arena_bytes - value.offset;
        break;
      case Home::kResult:
        if (!InRange(value.index, e_.results.size())) return Bad(what + " lives in no result");
        room = e_.results[value.index].shape.bytes();
        break;
      case Home::kMember:
        if (!InRange(value.index, member_bytes_.size())) return Bad(what + " is lent by no exchange");
        room = member_bytes_[value.index];
        break;
      default:
        return Bad(what + " lives nowhere");
    }
    if (value.bytes > room) return Bad(what + " is larger than what it lives in");
    return OkStatus();
  }

  // An operand of at least `bytes`.
  Status CheckOperand(const Operand& operand, int64_t bytes, const std::string& where) const {
    if (!InRange(operand.value, e_.values.size())) return Bad(where + " names value " + std::to_string(operand.value));
    const int64_t room = e_.values[operand.value].bytes;
    if (bytes < 0 || operand.offset < 0 || operand.offset > room || bytes > room - operand.offset) {
      return Bad(where + " reaches beyond value " + std::to_string(operand.value));
    }
    return OkStatus();
  }

  Status CheckWritable(const Operand& operand, const std::string& where) const {
    const Home home = e_.values[operand.value].home;
    if (home == Home::kConstant || home == Home::kParameter || home == Home::kMember) {
      return Bad(where + " writes a constant, a parameter or what is lent");
    }
    return OkStatus();
  }

  Status CheckSequence(int32_t index, int depth) {
    if (!InRange(index, e_.sequences.size())) return Bad("sequence " + std::to_string(index) + " does not exist");
    if (visit_[index] == Visit::kDone) return OkStatus();
    if (visit_[index] == Visit::kOpen) return Bad("sequence " + std::to_string(index) + " contains itself");
    if (depth > kMaxDepth) return Bad("control flow is nested too deeply");
    visit_[index] = Visit::kOpen;
    for (const Step& step : e_.sequences[index].steps) {
      const std::string where = "step '" + step.name + "'";
      for (const auto* values : {&step.reads, &step.writes}) {
        for (ValueId value : *values) {
          if (!InRange(value, e_.values.size())) return Bad(where + " declares value " + std::to_string(value));
        }
      }
      TREADLE_RETURN_IF_ERROR(std::visit([&](const auto& what) { return CheckStep(what, where, depth); }, step.what));
    }
    visit_[index] = Visit::kDone;
    return OkStatus();
  }

  Status CheckStep(const KernelStep& step, const std::string& where, int) const {
    if (step.local_bytes < 0 || step.local_bytes > kMaxBytes) return Bad(where + " has negative sizes");
    int64_t tiles = 0, cost = 0;
    for (const Frame& frame : step.frames) {
      TREADLE_RETURN_IF_ERROR(CheckFrame(frame, where));
      if (__builtin_add_overflow(tiles, frame.tiles, &tiles)) return Bad(where + " has no count of tiles");
      if (__builtin_add_overflow(cost, frame.cost_ns, &cost)) return Bad(where + " has no cost");
    }
    return OkStatus();
  }

  Status CheckFrame(const Frame& frame, const std::string& where) const {
    if (!InRange(frame.kernel, e_.kernels.size())) return Bad(where + " names kernel " + std::to_string(frame.kernel));
    for (int32_t callback : frame.callbacks) {
      if (!InRange(callback, e_.kernels.size())) return Bad(where + " names callback " + std::to_string(callback));
    }
    if (frame.tiles < 0) return Bad(where + " has no count of tiles");
    if (frame.cost_ns < 0) return Bad(where + " has negative sizes");
    if (frame.scratch != kNoValue) {
      TREADLE_RETURN_IF_ERROR(CheckOperand({frame.scratch, 0}, 0, where));
      if (e_.values[frame.scratch].home != Home::kArena) return Bad(where + " has scratch outside the arena");
    }
    for (const Operand& operand : frame.buffers) TREADLE_RETURN_IF_ERROR(CheckOperand(operand, 0, where));
    return OkStatus();
  }

  Status CheckStep(const CopyStep& step, const std::string& where, int) const {
    TREADLE_RETURN_IF_ERROR(CheckOperand(step.src, step.bytes, where));
    TREADLE_RETURN_IF_ERROR(CheckOperand(step.dst, step.bytes, where));
    return CheckWritable(step.dst, where);
  }

  Status CheckStep(const WhileStep& step, const std::string& where, int depth) {
    TREADLE_RETURN_IF_ERROR(CheckOperand(step.predicate, 1, where));
    TREADLE_RETURN_IF_ERROR(CheckSequence(step.cond, depth + 1));
    return CheckSequence(step.body, depth + 1);
  }

  Status CheckStep(const CaseStep& step, const std::string& where, int depth) {
    TREADLE_RETURN_IF_ERROR(CheckOperand(step.index, step.predicate ? 1 : 4, where));
    if (step.branches.empty() || (step.predicate && step.branches.size() != 2)) return Bad(where + " lacks branches");
    for (int32_t branch : step.branches) TREADLE_RETURN_IF_ERROR(CheckSequence(branch, depth + 1));
    return OkStatus();
  }

  // Operands and members have been looked at by MeasureMembers.
  Status CheckStep(const ExchangeStep& step, const std::string& where, int depth) {
    if (e_.view == View::kGlobal) return Bad(where + " is in a program that runs once");
    std::vector<int32_t> group_of(e_.participants(), -1);
    for (size_t g = 0; g < step.groups.size(); ++g) {
      for (int32_t participant : step.groups[g]) {
        if (!InRange(participant, group_of.size()) || group_of[participant] >= 0) {
          return Bad(where + " groups participant " + std::to_string(participant));
        }
        group_of[participant] = static_cast<int32_t>(g);
      }
    }
    if (step.sources.size() != group_of.size()) return Bad(where + " lacks sources");
    for (size_t participant = 0; participant < group_of.size(); ++participant) {
      if (group_of[participant] < 0) return Bad(where + " leaves participant " + std::to_string(participant) + " out");
      if (step.sources[participant].size() != static_cast<size_t>(step.members)) return Bad(where + " lacks sources");
      for (int32_t source : step.sources[participant]) {
        if (!InRange(source, group_of.size()) || group_of[source] != group_of[participant]) {
          return Bad(where + " reads from outside its group");
        }
      }
    }
    return CheckSequence(step.body, depth + 1);
  }

  Status CheckStep(const TransferStep& step, const std::string& where, int) const {
    const auto participants = static_cast<size_t>(e_.participants());
    const bool once = e_.view == View::kGlobal;
    if (once && step.channels.size() != 1) return Bad(where + " has several channels in a program that runs once");
    if (step.channels.size() != 1 && step.channels.size() != participants) return Bad(where + " lacks channels");
    if (step.shapes.size() != step.arrays.size()) return Bad(where + " lacks shapes");
    for (size_t i = 0; i < step.arrays.size(); ++i) {
      TREADLE_RETURN_IF_ERROR(CheckShape(step.shapes[i], where));
      TREADLE_RETURN_IF_ERROR(CheckOperand(step.arrays[i], step.shapes[i].bytes(), where));
      if (!step.puts) TREADLE_RETURN_IF_ERROR(CheckWritable(step.arrays[i], where));
    }
    return OkStatus();
  }

  const Executable& e_;
  std::vector<int64_t> member_bytes_;
  std::vector<Visit> visit_;
};

}  // namespace

Status Validate(const Executable& executable) { return Validator(executable).Run(); }

}  // namespace treadle::executable
