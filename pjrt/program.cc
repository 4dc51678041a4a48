#include "pjrt/program.h"

#include <algorithm>
#include <utility>

#include "compiler/compile.h"
#include "executable/serialize.h"
#include "pjrt/element_type.h"
#include "pjrt/extensions/layouts.h"
#include "pjrt/hash.h"
#include "pjrt/memory.h"
#include "pjrt/named_value.h"
#include "pjrt/topology.h"
#include "pjrt/wire.h"

namespace treadle::pjrt {

void Program::Kinds::Add(std::string_view kind) {
  indices.push_back(MemoryKindIndex(kind));
  names.push_back(MemoryKinds()[indices.back()].kind.data());
  sizes.push_back(MemoryKinds()[indices.back()].kind.size());
}

// XLA's OpSharding: 1 type (0 replicated, 3 by tiles), 3 tile_assignment_dimensions, 4 tile_assignment_devices
// (partitions, in the order of the tiles), 6 replicate_on_last_tile_dim: the last of these dimensions counts copies.
void Program::Shardings::Add(const Sharding& sharding) {
  std::string& bytes = *serialized.emplace_back(std::make_unique<std::string>());
  protozero::pbf_writer writer(bytes);
  writer.add_enum(1, sharding.whole() ? 0 : 3);
  if (!sharding.whole()) {
    std::vector<int64_t> dims = sharding.tiles;
    if (sharding.copies() > 1) dims.push_back(sharding.copies());
    writer.add_packed_int64(3, dims.begin(), dims.end());
    writer.add_packed_int64(4, sharding.holders.begin(), sharding.holders.end());
    if (sharding.copies() > 1) writer.add_bool(6, true);
  }
  data.push_back(bytes.data());
  sizes.push_back(bytes.size());
}

Program::Program(executable::Executable executable, CompileOptions options, std::string serialized_options,
                 std::string source, std::shared_ptr<const BetterCode> better)
    : executable(std::move(executable)),
      options(std::move(options)),
      serialized_options(std::move(serialized_options)),
      better(std::move(better)),
      source_(std::move(source)) {
  const auto participants = static_cast<size_t>(this->executable.participants());
  for (const executable::Result& result : this->executable.results) {
    const Shape shape = this->executable.HeldShape(result);
    result_types.push_back(ToBufferType(shape.type));
    result_dims.insert(result_dims.end(), shape.dims.begin(), shape.dims.end());
    result_ranks.push_back(shape.dims.size());
    result_layouts.push_back(LayoutOfRank(shape.dims.size()));
    result_kinds.Add(result.memory_kind);
    if (participants > 1) result_shardings.Add(result.sharding);
  }
  for (size_t i = 0; i < this->executable.num_arguments(); ++i) {
    const executable::Parameter& parameter = this->executable.parameters[i];
    if (participants > 1) parameter_shardings.Add(parameter.sharding);
    parameter_layouts.push_back(LayoutOfRank(parameter.shape.dims.size()));
    parameter_kinds.Add(parameter.memory_kind);
  }
  costs = {Named("flops", static_cast<float>(this->executable.flops)),
           Named("bytes accessed", static_cast<float>(this->executable.bytes_accessed))};
}

int64_t Program::code_bytes() const {
  int64_t bytes = 0;
  for (const executable::Object& object : executable.objects) bytes += static_cast<int64_t>(object.bytes.size());
  return bytes;
}

// XLA's ExecutableAndOptionsProto: 1 executable, 2 options, 3 platform.
const std::string& Program::Serialized() const {
  std::call_once(serialize_once_, [&] {
    protozero::pbf_writer writer(serialized_);
    writer.add_bytes(1, executable::Serialize(better == nullptr ? executable : better->Apply(executable)));
    writer.add_bytes(2, serialized_options);
    writer.add_string(3, kPlatformName.data(), kPlatformName.size());
  });
  return serialized_;
}

// Not of the program's text: locations in it change from run to run. Nor of the machine code, which gets better; the
// symbols of kernels stand for it.
const std::string& Program::Fingerprint() const {
  std::call_once(fingerprint_once_, [&] {
    executable::Executable bare = executable;
    bare.objects.clear();
    for (executable::Kernel& kernel : bare.kernels) kernel.object = std::min(kernel.object, 0);
    fingerprint_ = Hash128Hex(executable::Serialize(bare));
  });
  return fingerprint_;
}

// Made anew from the source: nearly nobody asks, and those who do can wait.
const StatusOr<std::string>& Program::OptimizedText() const {
  std::call_once(text_once_, [&] {
    if (!executable.program.empty()) {
      text_ = executable.program;
    } else if (!source_.empty()) {
      compiler::CompileOptions compiler_options;
      compiler_options.target = executable.target;
      // What becomes of a program for several devices, exchanges, is no StableHLO.
      const bool one = executable.participants() == 1;
      const compiler::Stage stage = one ? compiler::Stage::kOptimized : compiler::Stage::kExported;
      text_ = compiler::CompileTo(stage, source_, compiler_options);
    } else {
      text_ = Unimplemented("the text of the program '" + executable.name + "' was not kept");
    }
  });
  return *text_;
}

StatusOr<std::shared_ptr<const Program>> DeserializeProgram(std::string_view bytes,
                                                            std::string_view overriding_options) {
  std::string executable_bytes, serialized_options, platform;
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      const protozero::pbf_tag_type tag = message.tag();  // reading the value forgets it
      if (tag > 3) {
        message.skip();
      } else {
        (tag == 1 ? executable_bytes : tag == 2 ? serialized_options : platform) = message.get_string();
      }
    }
  } catch (const protozero::exception&) {
    platform.clear();
  }
  if (platform != kPlatformName) return InvalidArgument("these bytes are no serialised executable of treadle");
  if (!overriding_options.empty()) serialized_options = overriding_options;
  TREADLE_ASSIGN_OR_RETURN(CompileOptions options, ParseCompileOptions(serialized_options));
  TREADLE_ASSIGN_OR_RETURN(executable::Executable executable, executable::Deserialize(executable_bytes));
  if (!executable::HostRuns(executable.target)) {
    return FailedPrecondition("the executable is for " + executable.target.Key() + ", which this machine cannot run");
  }
  return std::make_shared<const Program>(std::move(executable), std::move(options), std::move(serialized_options));
}

}  // namespace treadle::pjrt
