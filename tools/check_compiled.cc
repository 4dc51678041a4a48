#include "tools/check_compiled.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/loaded_executable.h"
#include "runtime/spmd_executable.h"

namespace treadle::tools {
namespace {

using interpreter::CheckReport;
using interpreter::HostTensor;

// Devices of the checker: the largest grid that it can run. They cost nothing until they are used.
constexpr int kDevices = 8;

using Buffers = std::vector<std::unique_ptr<Buffer>>;

StatusOr<Buffers> ToDevice(Device* device, std::span<const HostTensor> tensors) {
  Buffers buffers;
  for (const HostTensor& tensor : tensors) {
    TREADLE_ASSIGN_OR_RETURN(auto buffer, Buffer::CopyFromHost(device, tensor.shape, tensor.bytes.data()));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

Status AppendFromDevice(const Buffers& buffers, std::vector<HostTensor>& tensors) {
  for (const auto& buffer : buffers) {
    HostTensor tensor = {buffer->shape(), std::string(buffer->bytes(), '\0')};
    Event copied = buffer->CopyToHost(tensor.bytes.data());
    copied.Await();
    TREADLE_RETURN_IF_ERROR(copied.status());
    tensors.push_back(std::move(tensor));
  }
  return OkStatus();
}

std::vector<Buffer*> Pointers(const Buffers& buffers) {
  std::vector<Buffer*> pointers;
  for (const auto& buffer : buffers) pointers.push_back(buffer.get());
  return pointers;
}

std::optional<std::string> MissOf(const check::OutlinedExpectation& expectation,
                                  const std::vector<HostTensor>& results) {
  const HostTensor& actual = results[expectation.actual];
  const bool constant = expectation.expected < 0;
  const Shape& shape = constant ? expectation.value_shape : results[expectation.expected].shape;
  if (actual.shape != shape) return "is " + actual.shape.ToString() + ", expected " + shape.ToString();
  return check::Miss(expectation.rule, shape, actual.bytes,
                     constant ? expectation.value : results[expectation.expected].bytes);
}

}  // namespace

StatusOr<std::unique_ptr<CompiledChecker>> CompiledChecker::Create(bool keep_subnormals) {
  auto checker = std::make_unique<CompiledChecker>();
  TREADLE_ASSIGN_OR_RETURN(checker->client_,
                           Client::Create({.num_devices = kDevices, .keep_subnormals = keep_subnormals}));
  return checker;
}

StatusOr<std::vector<HostTensor>> CompiledChecker::Run(const std::string& program, const std::string& function,
                                                       const std::string& name,
                                                       const std::vector<HostTensor>& arguments) {
  Device* device = client_->devices().front().get();
  compiler::CompileOptions options;
  options.target = client_->target();
  options.function = function;
  options.name = name;
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, options));
  TREADLE_ASSIGN_OR_RETURN(auto loaded, LoadedExecutable::Load(std::move(exe), device));
  TREADLE_ASSIGN_OR_RETURN(const Buffers inputs, ToDevice(device, arguments));
  Buffers outputs(loaded->num_results());
  Event done;
  TREADLE_RETURN_IF_ERROR(loaded->Execute(Pointers(inputs), {}, outputs, &done));
  done.Await();
  TREADLE_RETURN_IF_ERROR(done.status());
  std::vector<HostTensor> results;
  TREADLE_RETURN_IF_ERROR(AppendFromDevice(outputs, results));
  return results;
}

StatusOr<std::vector<HostTensor>> CompiledChecker::RunGrid(std::string_view program, const std::string& name,
                                                           const std::vector<std::vector<std::string>>& functions,
                                                           const std::vector<HostTensor>& inputs) {
  const size_t partitions = functions[0].size();
  const size_t count = functions.size() * partitions;
  for (const auto& row : functions) {
    if (std::ranges::any_of(row, [&](const std::string& other) { return other != functions[0][0]; })) {
      return Unimplemented("different programs in one grid of compiled code");
    }
  }
  if (count > kDevices) return Unimplemented("grids of more than " + std::to_string(kDevices) + " compiled programs");
  compiler::CompileOptions options;
  options.target = client_->target();
  options.function = functions[0][0];
  options.name = name;
  options.num_replicas = static_cast<int32_t>(functions.size());
  options.num_partitions = static_cast<int32_t>(partitions);
  options.spmd = false;  // each process has arguments of its own
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, options));
  if (count == 1) return Run(std::string(program), options.function, name, inputs);

  std::vector<Device*> devices;
  for (size_t i = 0; i < count; ++i) devices.push_back(client_->devices()[i].get());
  auto shared = std::make_shared<const executable::Executable>(std::move(exe));
  TREADLE_ASSIGN_OR_RETURN(auto loaded, SpmdExecutable::Load(shared, client_.get(), devices));
  std::vector<Buffers> arguments(count);
  std::vector<Buffers> results(count);
  std::vector<std::vector<Buffer*>> pointers(count);
  std::vector<std::span<Buffer* const>> argument_spans(count);
  std::vector<std::span<std::unique_ptr<Buffer>>> result_spans(count);
  const size_t each = inputs.size() / count;
  for (size_t i = 0; i < count; ++i) {
    TREADLE_ASSIGN_OR_RETURN(arguments[i], ToDevice(devices[i], std::span(inputs).subspan(i * each, each)));
    pointers[i] = Pointers(arguments[i]);
    results[i].resize(shared->results.size());
    argument_spans[i] = pointers[i];
    result_spans[i] = results[i];
  }
  std::vector<Event> done(count);
  TREADLE_RETURN_IF_ERROR(loaded->Execute(argument_spans, {}, result_spans, done));
  std::vector<HostTensor> all;
  for (size_t i = 0; i < count; ++i) {
    done[i].Await();
    TREADLE_RETURN_IF_ERROR(done[i].status());
    TREADLE_RETURN_IF_ERROR(AppendFromDevice(results[i], all));
  }
  return all;
}

Status CompiledChecker::CheckFunction(const check::OutlinedProgram& program, const check::OutlinedFunction& function,
                                      const std::string& name, CheckReport& report) {
  std::vector<HostTensor> zeros;
  for (const Shape& shape : function.parameters) zeros.push_back({shape, std::string(shape.bytes(), '\0')});
  TREADLE_ASSIGN_OR_RETURN(const std::vector<HostTensor> results, Run(program.text, function.name, name, zeros));
  for (const check::OutlinedExpectation& expectation : function.expectations) {
    ++report.checks;
    if (auto miss = MissOf(expectation, results)) report.misses.push_back(expectation.place + *miss);
  }
  return OkStatus();
}

StatusOr<CheckReport> CompiledChecker::Check(std::string_view program, const std::string& name) {
  TREADLE_ASSIGN_OR_RETURN(const check::OutlinedProgram outlined, check::Outline(program, name));
  const bool grids = std::ranges::any_of(outlined.functions, [](const auto& function) { return function.runs_grids; });
  if (grids) {
    return interpreter::Check(program, name, [&](const auto& functions, const std::vector<HostTensor>& inputs) {
      return RunGrid(outlined.text, name, functions, inputs);
    });
  }
  CheckReport report;
  for (const check::OutlinedFunction& function : outlined.functions) {
    TREADLE_RETURN_IF_ERROR(CheckFunction(outlined, function, name, report));
  }
  return report;
}

}  // namespace treadle::tools
