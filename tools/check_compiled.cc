#include "tools/check_compiled.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
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

// How long programs that wait for each other may.
constexpr std::chrono::seconds kPatience{10};

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

// What probes saw, by outfeed_config, in order.
using Probes = std::map<std::string, std::vector<HostTensor>>;

Probes TakeProbes(Channels& channels, int device) {
  Probes probes;
  while (std::optional<Message> message = channels.TryTake(Channels::Outfeed(device))) {
    if (message->config.starts_with(check::kProbeConfig)) {
      probes[message->config].push_back({message->arrays[0].shape, std::move(message->arrays[0].bytes)});
    }
  }
  return probes;
}

std::optional<std::string> MissOf(const check::OutlinedExpectation& expectation, const std::vector<HostTensor>& results,
                                  const Probes& probes) {
  const HostTensor& actual = results[expectation.actual];
  HostTensor constant = {expectation.value_shape, expectation.value};
  const HostTensor* expected = expectation.expected < 0 ? &constant : &results[expectation.expected];
  if (!expectation.probe.empty()) {
    const auto seen = probes.find(expectation.probe);
    const int64_t times = seen == probes.end() ? 0 : static_cast<int64_t>(seen->second.size());
    if (expectation.iteration < 0 || expectation.iteration >= times) {
      return "expects time " + std::to_string(expectation.iteration) + " of " + expectation.probe + ", which came " +
             std::to_string(times) + " times";
    }
    expected = &seen->second[expectation.iteration];
  }
  if (actual.shape != expected->shape) {
    return "is " + actual.shape.ToString() + ", expected " + expected->shape.ToString();
  }
  return check::Miss(expectation.rule, expected->shape, actual.bytes, expected->bytes);
}

}  // namespace

StatusOr<std::unique_ptr<CompiledChecker>> CompiledChecker::Create(bool keep_subnormals) {
  auto checker = std::make_unique<CompiledChecker>();
  TREADLE_ASSIGN_OR_RETURN(checker->client_,
                           Client::Create({.num_devices = kDevices, .keep_subnormals = keep_subnormals}));
  return checker;
}

// A program on its way, with all that it uses.
struct CompiledChecker::Running {
  std::unique_ptr<LoadedExecutable> program;
  Buffers inputs;
  Buffers outputs;
  Event done;
};

StatusOr<CompiledChecker::Running> CompiledChecker::Start(const std::string& program, const std::string& function,
                                                          const std::string& name, Device* device,
                                                          std::span<const HostTensor> arguments, Channels& channels) {
  compiler::CompileOptions options;
  options.target = client_->target();
  options.function = function;
  options.name = name;
  Running running;
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, options));
  TREADLE_ASSIGN_OR_RETURN(running.program, LoadedExecutable::Load(std::move(exe), device));
  TREADLE_ASSIGN_OR_RETURN(running.inputs, ToDevice(device, arguments));
  running.outputs.resize(running.program->num_results());
  TREADLE_RETURN_IF_ERROR(
      running.program->Execute(Pointers(running.inputs), {.channels = &channels}, running.outputs, &running.done));
  return running;
}

StatusOr<std::vector<HostTensor>> CompiledChecker::Run(const std::string& program, const std::string& function,
                                                       const std::string& name,
                                                       const std::vector<HostTensor>& arguments, Channels& channels) {
  TREADLE_ASSIGN_OR_RETURN(const Running running,
                           Start(program, function, name, client_->devices().front().get(), arguments, channels));
  TREADLE_RETURN_IF_ERROR(running.done.Await());
  std::vector<HostTensor> results;
  TREADLE_RETURN_IF_ERROR(AppendFromDevice(running.outputs, results));
  return results;
}

StatusOr<std::vector<HostTensor>> CompiledChecker::RunGrid(const std::string& program, const std::string& name,
                                                           const Functions& functions,
                                                           const std::vector<HostTensor>& inputs,
                                                           const std::vector<std::vector<HostTensor>>& infeed) {
  const size_t count = functions.size() * functions[0].size();
  if (count > kDevices) return Unimplemented("grids of more than " + std::to_string(kDevices) + " compiled programs");
  if (count == 1) {
    Channels channels;
    for (const std::vector<HostTensor>& tensors : infeed) {
      Message message;
      for (const HostTensor& tensor : tensors) message.arrays.push_back({tensor.shape, tensor.bytes});
      TREADLE_RETURN_IF_ERROR(channels.Put(Channels::Infeed(0), std::move(message)).status());
    }
    channels.StopWaiting("the host feeds no more values in");
    return Run(program, functions[0][0], name, inputs, channels);
  }
  if (!infeed.empty()) return Unimplemented("values that the host feeds in to several compiled programs");
  const bool same = std::ranges::all_of(functions, [&](const std::vector<std::string>& row) {
    return std::ranges::all_of(row, [&](const std::string& function) { return function == functions[0][0]; });
  });
  return same ? RunSame(program, name, functions, inputs) : RunDifferent(program, name, functions, inputs);
}

StatusOr<std::vector<HostTensor>> CompiledChecker::RunDifferent(const std::string& program, const std::string& name,
                                                                const Functions& functions,
                                                                const std::vector<HostTensor>& inputs) {
  Channels channels;
  std::vector<Running> all;
  std::vector<Event> done;
  size_t next = 0;
  for (const std::vector<std::string>& row : functions) {
    for (const std::string& function : row) {
      TREADLE_ASSIGN_OR_RETURN(const std::vector<Shape> takes, interpreter::ParametersOf(program, name, function));
      if (inputs.size() - next < takes.size()) return InvalidArgument("has fewer operands than its programs take");
      Device* device = client_->devices()[all.size()].get();
      TREADLE_ASSIGN_OR_RETURN(all.emplace_back(), Start(program, function, name, device,
                                                         std::span(inputs).subspan(next, takes.size()), channels));
      done.push_back(all.back().done);
      next += takes.size();
    }
  }
  std::promise<void> ended;
  const Event all_done = Event::All(done);
  all_done.OnReady([&ended](const Status&) { ended.set_value(); });
  const std::future<void> end = ended.get_future();
  if (end.wait_for(kPatience) == std::future_status::timeout) {
    channels.StopWaiting("nothing has come for " + std::to_string(kPatience.count()) + " s");
  }
  end.wait();
  TREADLE_RETURN_IF_ERROR(all_done.status());
  std::vector<HostTensor> results;
  for (const Running& running : all) TREADLE_RETURN_IF_ERROR(AppendFromDevice(running.outputs, results));
  return results;
}

StatusOr<std::vector<HostTensor>> CompiledChecker::RunSame(const std::string& program, const std::string& name,
                                                           const Functions& functions,
                                                           const std::vector<HostTensor>& inputs) {
  const size_t partitions = functions[0].size();
  const size_t count = functions.size() * partitions;
  compiler::CompileOptions options;
  options.target = client_->target();
  options.function = functions[0][0];
  options.name = name;
  options.num_replicas = static_cast<int32_t>(functions.size());
  options.num_partitions = static_cast<int32_t>(partitions);
  options.spmd = false;  // each process has arguments of its own
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, options));
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
  Channels channels;
  TREADLE_RETURN_IF_ERROR(loaded->Execute(argument_spans, {.channels = &channels}, result_spans, done));
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
  Channels channels;
  channels.StopWaiting("the host feeds no values in");
  TREADLE_ASSIGN_OR_RETURN(const std::vector<HostTensor> results,
                           Run(program.text, function.name, name, zeros, channels));
  const Probes probes = TakeProbes(channels, client_->devices().front()->id());
  for (const check::OutlinedExpectation& expectation : function.expectations) {
    ++report.checks;
    if (auto miss = MissOf(expectation, results, probes)) report.misses.push_back(expectation.place + *miss);
  }
  return OkStatus();
}

StatusOr<CheckReport> CompiledChecker::Check(std::string_view program, const std::string& name) {
  TREADLE_ASSIGN_OR_RETURN(const check::OutlinedProgram outlined, check::Outline(program, name));
  const bool grids = std::ranges::any_of(outlined.functions, [](const auto& function) { return function.runs_grids; });
  if (grids) {
    return interpreter::Check(program, name, [&](const auto& functions, const auto& inputs, const auto& infeed) {
      return RunGrid(outlined.text, name, functions, inputs, infeed);
    });
  }
  CheckReport report;
  for (const check::OutlinedFunction& function : outlined.functions) {
    TREADLE_RETURN_IF_ERROR(CheckFunction(outlined, function, name, report));
  }
  return report;
}

}  // namespace treadle::tools
