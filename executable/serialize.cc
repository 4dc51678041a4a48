#include "executable/serialize.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "executable/executable_generated.h"

namespace treadle::executable {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kChecksumBytes = sizeof(uint64_t);
// Executables may be large; FlatBuffers themselves end at 2 GiB.
constexpr size_t kMaxBytes = FLATBUFFERS_MAX_BUFFER_SIZE;

// --- Writing -----------------------------------------------------------------------------------------------------

class Writer {
 public:
  std::string Write(const Executable& e) {
    auto name = builder_.CreateString(e.name);
    auto target = WriteTarget(e.target);
    auto parameters = List<fb::Parameter>(e.parameters, [&](const Parameter& p) {
      return fb::CreateParameter(builder_, WriteShape(p.shape), p.donated, builder_.CreateString(p.memory_kind),
                                 WriteSharding(p.sharding), static_cast<uint8_t>(p.giver));
    });
    auto results = List<fb::Result>(e.results, [&](const Result& r) {
      return fb::CreateResult(builder_, WriteShape(r.shape), r.donor, builder_.CreateString(r.memory_kind),
                              WriteSharding(r.sharding));
    });
    auto constants = List<fb::Bytes>(e.constants, [&](const Constant& c) { return WriteBytes(c.bytes); });
    std::vector<fb::Value> value_list;
    for (const Value& v : e.values) {
      value_list.emplace_back(static_cast<uint8_t>(v.home), v.index, v.offset, v.bytes);
    }
    auto values = builder_.CreateVectorOfStructs(value_list);
    auto objects = List<fb::Object>(
        e.objects, [&](const Object& o) { return fb::CreateObject(builder_, WriteVector(o.bytes), o.quick); });
    auto kernels = List<fb::Kernel>(e.kernels, [&](const Kernel& k) {
      return fb::CreateKernel(builder_, builder_.CreateString(k.symbol), k.object);
    });
    auto sequences = List<fb::Sequence>(e.sequences, [&](const Sequence& s) {
      return fb::CreateSequence(builder_, List<fb::Step>(s.steps, [&](const Step& step) { return WriteStep(step); }));
    });
    auto program = builder_.CreateString(e.program);
    fb::FinishExecutableBuffer(
        builder_, fb::CreateExecutable(builder_, kFormatVersion, name, target, e.num_replicas, e.num_partitions,
                                       static_cast<uint8_t>(e.view), parameters, results, constants, values, objects,
                                       kernels, sequences, e.arena_bytes, e.flops, e.bytes_accessed, program));
    std::string bytes(reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize());
    uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
    bytes.append(reinterpret_cast<const char*>(&checksum), kChecksumBytes);
    return bytes;
  }

 private:
  template <typename Table, typename T, typename F>
  Offset<flatbuffers::Vector<Offset<Table>>> List(const std::vector<T>& list, F write) {
    std::vector<Offset<Table>> offsets;
    offsets.reserve(list.size());
    for (const T& item : list) offsets.push_back(write(item));
    return builder_.CreateVector(offsets);
  }

  Offset<fb::Bytes> WriteBytes(const std::string& bytes) { return fb::CreateBytes(builder_, WriteVector(bytes)); }

  Offset<flatbuffers::Vector<uint8_t>> WriteVector(const std::string& bytes) {
    return builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }

  Offset<fb::Target> WriteTarget(const Target& t) {
    return fb::CreateTarget(builder_, static_cast<uint8_t>(t.isa), t.avx512_bf16, t.avx512_vnni,
                            builder_.CreateString(t.cpu), t.l1_bytes, t.l2_bytes, t.l3_bytes, t.keeps_subnormals);
  }

  Offset<fb::Shape> WriteShape(const Shape& shape) {
    return fb::CreateShape(builder_, builder_.CreateString(ElementTypeName(shape.type)),
                           builder_.CreateVector(shape.dims));
  }

  Offset<fb::Sharding> WriteSharding(const Sharding& sharding) {
    return fb::CreateSharding(builder_, builder_.CreateVector(sharding.tiles), builder_.CreateVector(sharding.holders));
  }

  Offset<flatbuffers::Vector<Offset<fb::Participants>>> WriteParticipants(
      const std::vector<std::vector<int32_t>>& lists) {
    return List<fb::Participants>(lists, [&](const std::vector<int32_t>& numbers) {
      return fb::CreateParticipants(builder_, builder_.CreateVector(numbers));
    });
  }

  static fb::Operand ToStruct(const Operand& operand) { return fb::Operand(operand.value, operand.offset); }

  Offset<flatbuffers::Vector<const fb::Operand*>> WriteOperands(const std::vector<Operand>& list) {
    std::vector<fb::Operand> operands;
    for (const Operand& operand : list) operands.push_back(ToStruct(operand));
    return builder_.CreateVectorOfStructs(operands);
  }

  Offset<fb::Frame> WriteFrame(const Frame& frame) {
    return fb::CreateFrame(builder_, frame.kernel, WriteOperands(frame.buffers), builder_.CreateVector(frame.args),
                           frame.tiles, builder_.CreateVector(frame.callbacks), frame.scratch, frame.cost_ns);
  }

  std::pair<fb::What, Offset<void>> WriteWhat(const KernelStep& s) {
    return {fb::What_KernelStep,
            fb::CreateKernelStep(builder_, List<fb::Frame>(s.frames, [&](const Frame& f) { return WriteFrame(f); }),
                                 s.local_bytes)
                .Union()};
  }
  std::pair<fb::What, Offset<void>> WriteWhat(const CopyStep& s) {
    fb::Operand src = ToStruct(s.src), dst = ToStruct(s.dst);
    return {fb::What_CopyStep, fb::CreateCopyStep(builder_, &src, &dst, s.bytes).Union()};
  }
  std::pair<fb::What, Offset<void>> WriteWhat(const WhileStep& s) {
    fb::Operand predicate = ToStruct(s.predicate);
    return {fb::What_WhileStep, fb::CreateWhileStep(builder_, s.cond, s.body, &predicate).Union()};
  }
  std::pair<fb::What, Offset<void>> WriteWhat(const CaseStep& s) {
    fb::Operand index = ToStruct(s.index);
    return {fb::What_CaseStep,
            fb::CreateCaseStep(builder_, s.predicate, &index, builder_.CreateVector(s.branches)).Union()};
  }

  std::pair<fb::What, Offset<void>> WriteWhat(const ExchangeStep& s) {
    return {fb::What_ExchangeStep,
            fb::CreateExchangeStep(builder_, WriteOperands(s.operands), WriteParticipants(s.groups),
                                   WriteParticipants(s.sources), s.members, s.first_member, s.body)
                .Union()};
  }

  std::pair<fb::What, Offset<void>> WriteWhat(const TransferStep& s) {
    return {fb::What_TransferStep,
            fb::CreateTransferStep(builder_, s.puts, builder_.CreateVectorOfStrings(s.channels), s.of_device,
                                   builder_.CreateString(s.config), WriteOperands(s.arrays),
                                   List<fb::Shape>(s.shapes, [&](const Shape& shape) { return WriteShape(shape); }))
                .Union()};
  }

  Offset<fb::Step> WriteStep(const Step& step) {
    auto [type, what] = std::visit([&](const auto& s) { return WriteWhat(s); }, step.what);
    return fb::CreateStep(builder_, type, what, builder_.CreateString(step.name), builder_.CreateVector(step.reads),
                          builder_.CreateVector(step.writes));
  }

  FlatBufferBuilder builder_{1 << 14};
};

// --- Reading: of verified bytes, in which any table, list or text may still be absent. ----------------------------

std::string Text(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

// Verification does not look at the alignment of structs and of numbers in lists: they are copied out as bytes.
template <typename T>
std::vector<T> Numbers(const flatbuffers::Vector<T>* list) {
  std::vector<T> numbers;
  if (list == nullptr) return numbers;
  numbers.resize(list->size());
  if (!numbers.empty()) std::memcpy(numbers.data(), list->Data(), numbers.size() * sizeof(T));
  return numbers;
}

template <typename T>
T Aligned(const T* from) {
  T copy;
  std::memcpy(&copy, static_cast<const void*>(from), sizeof(T));
  return copy;
}

std::string ToBytes(const flatbuffers::Vector<uint8_t>* bytes) {
  return bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

template <typename List, typename F>
Status ForEach(const List* list, F read) {
  if (list == nullptr) return OkStatus();
  for (const auto* item : *list) TREADLE_RETURN_IF_ERROR(read(*item));
  return OkStatus();
}

Status Malformed(std::string_view what) {
  return InvalidArgument("a serialised executable is malformed: " + std::string(what));
}

Operand ToOperand(const fb::Operand* operand) {
  if (operand == nullptr) return {};
  const fb::Operand aligned = Aligned(operand);
  return {aligned.value(), aligned.offset()};
}

std::vector<Operand> ToOperands(const flatbuffers::Vector<const fb::Operand*>* list) {
  std::vector<Operand> operands;
  if (list == nullptr) return operands;
  for (const fb::Operand* operand : *list) operands.push_back(ToOperand(operand));
  return operands;
}

Sharding ToSharding(const fb::Sharding* sharding) {
  if (sharding == nullptr) return {};
  return {Numbers(sharding->tiles()), Numbers(sharding->holders())};
}

std::vector<std::vector<int32_t>> ToParticipants(
    const flatbuffers::Vector<flatbuffers::Offset<fb::Participants>>* lists) {
  std::vector<std::vector<int32_t>> participants;
  if (lists == nullptr) return participants;
  for (const fb::Participants* list : *lists) participants.push_back(Numbers(list->numbers()));
  return participants;
}

StatusOr<Shape> ToShape(const fb::Shape* shape) {
  if (shape == nullptr) return Malformed("no shape");
  std::optional<ElementType> type = ParseElementType(Text(shape->type()));
  if (!type) return Malformed("element type '" + Text(shape->type()) + "'");
  return Shape{*type, Numbers(shape->dims())};
}

StatusOr<Target> ToTarget(const fb::Target* t) {
  if (t == nullptr || t->isa() < 2 || t->isa() > 4) return Malformed("target");
  return Target{.isa = static_cast<IsaLevel>(t->isa()),
                .avx512_bf16 = t->avx512_bf16(),
                .avx512_vnni = t->avx512_vnni(),
                .cpu = Text(t->cpu()),
                .l1_bytes = t->l1_bytes(),
                .l2_bytes = t->l2_bytes(),
                .l3_bytes = t->l3_bytes(),
                .keeps_subnormals = t->keeps_subnormals()};
}

StatusOr<TransferStep> ToTransfer(const fb::TransferStep& from) {
  TransferStep transfer{.puts = from.puts(),
                        .channels = {},
                        .of_device = from.of_device(),
                        .config = Text(from.config()),
                        .arrays = ToOperands(from.arrays()),
                        .shapes = {}};
  TREADLE_RETURN_IF_ERROR(ForEach(from.channels(), [&](const flatbuffers::String& name) {
    transfer.channels.push_back(name.str());
    return OkStatus();
  }));
  TREADLE_RETURN_IF_ERROR(ForEach(from.shapes(), [&](const fb::Shape& shape) -> Status {
    TREADLE_ASSIGN_OR_RETURN(transfer.shapes.emplace_back(), ToShape(&shape));
    return OkStatus();
  }));
  return transfer;
}

StatusOr<Step> ToStep(const fb::Step& from) {
  Step step;
  step.name = Text(from.name());
  step.reads = Numbers(from.reads());
  step.writes = Numbers(from.writes());
  if (const fb::KernelStep* s = from.what_as_KernelStep()) {
    KernelStep kernel{{}, s->local_bytes()};
    TREADLE_RETURN_IF_ERROR(ForEach(s->frames(), [&](const fb::Frame& f) {
      kernel.frames.push_back({.kernel = f.kernel(),
                               .buffers = ToOperands(f.buffers()),
                               .args = Numbers(f.args()),
                               .tiles = f.tiles(),
                               .callbacks = Numbers(f.callbacks()),
                               .scratch = f.scratch(),
                               .cost_ns = f.cost_ns()});
      return OkStatus();
    }));
    step.what = std::move(kernel);
  } else if (const fb::CopyStep* s = from.what_as_CopyStep()) {
    step.what = CopyStep{ToOperand(s->src()), ToOperand(s->dst()), s->bytes()};
  } else if (const fb::WhileStep* s = from.what_as_WhileStep()) {
    step.what = WhileStep{s->cond(), s->body(), ToOperand(s->predicate())};
  } else if (const fb::CaseStep* s = from.what_as_CaseStep()) {
    step.what = CaseStep{s->predicate(), ToOperand(s->index()), Numbers(s->branches())};
  } else if (const fb::ExchangeStep* s = from.what_as_ExchangeStep()) {
    step.what = ExchangeStep{ToOperands(s->operands()),
                             ToParticipants(s->groups()),
                             ToParticipants(s->sources()),
                             s->members(),
                             s->first_member(),
                             s->body()};
  } else if (const fb::TransferStep* s = from.what_as_TransferStep()) {
    TREADLE_ASSIGN_OR_RETURN(step.what, ToTransfer(*s));
  } else {
    return Malformed("a step of an unknown kind");
  }
  return step;
}

StatusOr<Executable> ToExecutable(const fb::Executable& from) {
  Executable e;
  e.name = Text(from.name());
  TREADLE_ASSIGN_OR_RETURN(e.target, ToTarget(from.target()));
  e.num_replicas = from.num_replicas();
  e.num_partitions = from.num_partitions();
  if (from.view() > static_cast<uint8_t>(View::kGlobal)) return Malformed("view");
  e.view = static_cast<View>(from.view());
  TREADLE_RETURN_IF_ERROR(ForEach(from.parameters(), [&](const fb::Parameter& p) -> Status {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(p.shape()));
    if (p.giver() > static_cast<uint8_t>(Giver::kRuntime)) return Malformed("giver of a parameter");
    e.parameters.push_back({std::move(shape), p.donated(), Text(p.memory_kind()), ToSharding(p.sharding()),
                            static_cast<Giver>(p.giver())});
    return OkStatus();
  }));
  TREADLE_RETURN_IF_ERROR(ForEach(from.results(), [&](const fb::Result& r) -> Status {
    TREADLE_ASSIGN_OR_RETURN(Shape shape, ToShape(r.shape()));
    e.results.push_back({std::move(shape), r.donor(), Text(r.memory_kind()), ToSharding(r.sharding())});
    return OkStatus();
  }));
  TREADLE_RETURN_IF_ERROR(ForEach(from.constants(), [&](const fb::Bytes& bytes) {
    e.constants.push_back({ToBytes(bytes.bytes())});
    return OkStatus();
  }));
  if (from.values() != nullptr) {
    for (const fb::Value* unaligned : *from.values()) {
      const fb::Value v = Aligned(unaligned);
      if (v.home() > static_cast<uint8_t>(Home::kMember)) return Malformed("home of a value");
      e.values.push_back({static_cast<Home>(v.home()), v.index(), v.offset(), v.bytes()});
    }
  }
  TREADLE_RETURN_IF_ERROR(ForEach(from.objects(), [&](const fb::Object& object) {
    e.objects.push_back({ToBytes(object.bytes()), object.quick()});
    return OkStatus();
  }));
  TREADLE_RETURN_IF_ERROR(ForEach(from.kernels(), [&](const fb::Kernel& k) {
    e.kernels.push_back({Text(k.symbol()), k.object()});
    return OkStatus();
  }));
  TREADLE_RETURN_IF_ERROR(ForEach(from.sequences(), [&](const fb::Sequence& s) -> Status {
    Sequence& sequence = e.sequences.emplace_back();
    return ForEach(s.steps(), [&](const fb::Step& step) -> Status {
      TREADLE_ASSIGN_OR_RETURN(Step read, ToStep(step));
      sequence.steps.push_back(std::move(read));
      return OkStatus();
    });
  }));
  e.arena_bytes = from.arena_bytes();
  e.flops = from.flops();
  e.bytes_accessed = from.bytes_accessed();
  e.program = Text(from.program());
  return e;
}

}  // namespace

std::string Serialize(const Executable& executable) { return Writer().Write(executable); }

StatusOr<Executable> Deserialize(std::string_view bytes) {
  if (bytes.size() <= kChecksumBytes || bytes.size() > kMaxBytes) return Malformed("its size");
  std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  uint64_t checksum;
  std::memcpy(&checksum, body.data() + body.size(), kChecksumBytes);
  if (checksum != XXH3_64bits(body.data(), body.size())) return Malformed("its checksum is wrong");
  const std::vector<uint64_t> aligned = [&] {
    std::vector<uint64_t> words((body.size() + 7) / 8);
    std::memcpy(words.data(), body.data(), body.size());
    return words;
  }();
  const auto* data = reinterpret_cast<const uint8_t*>(aligned.data());
  flatbuffers::Verifier::Options options;
  options.max_tables = 100'000'000;
  flatbuffers::Verifier verifier(data, body.size(), options);
  if (!fb::ExecutableBufferHasIdentifier(data) || !fb::VerifyExecutableBuffer(verifier)) {
    return Malformed("no such file");
  }
  const fb::Executable& executable = *fb::GetExecutable(data);
  if (executable.format_version() != kFormatVersion) {
    return FailedPrecondition("the executable has format version " + std::to_string(executable.format_version()) +
                              ", this Treadle reads " + std::to_string(kFormatVersion) + ": compile it again");
  }
  return ToExecutable(executable);
}

}  // namespace treadle::executable
