#include "executable/validate.h"

#include <limits>
#include <string>

namespace treadle::executable {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 56;

bool InRange(int64_t index, size_t size) { return index >= 0 && static_cast<uint64_t>(index) < size; }

class Validator {
 public:
  explicit Validator(const Executable& executable) : e_(executable) {}

  Status Run() {
    if (e_.num_replicas < 1 || e_.num_partitions < 1) return Bad("replicas and partitions are at least 1");
    if (e_.arena_bytes < 0 || e_.arena_bytes > kMaxBytes)
      return Bad("arena of " + std::to_string(e_.arena_bytes) + " bytes");
    for (size_t i = 0; i < e_.parameters.size(); ++i) {
      TREADLE_RETURN_IF_ERROR(CheckShape(e_.parameters[i].shape, "parameter " + std::to_string(i)));
    }
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
  static constexpr int kMaxDepth = 1000;  // of nested control flow: the executor recurses

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

  Status CheckResults() const {
    std::vector<bool> taken(e_.parameters.size());
    for (size_t i = 0; i < e_.results.size(); ++i) {
      const Result& result = e_.results[i];
      const std::string what = "result " + std::to_string(i);
      TREADLE_RETURN_IF_ERROR(CheckShape(result.shape, what));
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
    if (home == Home::kConstant || home == Home::kParameter) return Bad(where + " writes a constant or a parameter");
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
    if (!InRange(step.kernel, e_.kernels.size())) return Bad(where + " names kernel " + std::to_string(step.kernel));
    for (int32_t callback : step.callbacks) {
      if (!InRange(callback, e_.kernels.size())) return Bad(where + " names callback " + std::to_string(callback));
    }
    if (step.local_bytes < 0 || step.local_bytes > kMaxBytes || step.cost_ns < 0)
      return Bad(where + " has negative sizes");
    if (step.scratch != kNoValue) {
      TREADLE_RETURN_IF_ERROR(CheckOperand({step.scratch, 0}, 0, where));
      if (e_.values[step.scratch].home != Home::kArena) return Bad(where + " has scratch outside the arena");
    }
    int64_t tiles = 0;
    for (const Frame& frame : step.frames) {
      if (frame.tiles < 0 || __builtin_add_overflow(tiles, frame.tiles, &tiles))
        return Bad(where + " has no count of tiles");
      for (const Operand& operand : frame.buffers) TREADLE_RETURN_IF_ERROR(CheckOperand(operand, 0, where));
    }
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

  const Executable& e_;
  std::vector<Visit> visit_;
};

}  // namespace

Status Validate(const Executable& executable) { return Validator(executable).Run(); }

}  // namespace treadle::executable
