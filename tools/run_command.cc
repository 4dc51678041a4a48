// treadle run FILE [--function NAME] [--input ...] [--reference], treadle run --check FILE...
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/compile.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"
#include "stablehlo/interpreter/run.h"
#include "tools/check_programs.h"
#include "tools/commands.h"
#include "tools/npy.h"
#include "tools/tensor.h"

namespace treadle::tools {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string function = "main";
  std::vector<std::string> inputs, outputs;
  int64_t edge = 8;
  bool check = false, reference = false, json = false, flush_subnormals = false;
};

StatusOr<std::vector<Input>> ReadInputs(const Options& options) {
  std::vector<Input> inputs;
  for (const std::string& text : options.inputs) {
    auto input = Input::Read(text);
    if (!input.ok()) return input.status().WithContext("argument " + std::to_string(inputs.size()));
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

// What the inputs say of the shapes of arguments.
std::vector<std::optional<std::vector<int64_t>>> ArgumentShapes(const std::vector<Input>& inputs) {
  std::vector<std::optional<std::vector<int64_t>>> shapes;
  for (const Input& input : inputs) {
    auto& dims = shapes.emplace_back();
    if (input.shape()) dims.emplace(input.shape()->dims.begin(), input.shape()->dims.end());
  }
  return shapes;
}

StatusOr<std::vector<Tensor>> Arguments(const Options& options, std::vector<Input> inputs,
                                        const std::vector<Shape>& parameters) {
  if (inputs.size() != parameters.size()) {
    std::string expected;
    for (const Shape& shape : parameters) expected += " --input " + shape.ToString() + "=...";
    return InvalidArgument("@" + options.function + " takes " + std::to_string(parameters.size()) + " arguments, " +
                           std::to_string(inputs.size()) +
                           " given. It takes:" + (expected.empty() ? " none" : expected));
  }
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto tensor = std::move(inputs[i]).ToTensor(parameters[i]);
    if (!tensor.ok()) return tensor.status().WithContext("argument " + std::to_string(i));
    arguments.push_back(*std::move(tensor));
  }
  return arguments;
}

Status PrintResults(const Options& options, const std::vector<Tensor>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (i < options.outputs.size()) {
      TREADLE_RETURN_IF_ERROR(WriteNpy(options.outputs[i], results[i]));
    } else {
      std::cout << PrintTensor(results[i], options.edge) << "\n";
    }
  }
  return OkStatus();
}

StatusOr<std::vector<Tensor>> RunCompiled(const Options& options, const std::string& program,
                                          std::vector<Input> inputs) {
  TREADLE_RETURN_IF_ERROR(compiler::UseDiskCache());
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Client> client,
                           Client::Create({.keep_subnormals = !options.flush_subnormals}));
  Device* device = client->devices().front().get();
  compiler::CompileOptions compile;
  compile.target = client->target();
  compile.function = options.function;
  compile.name = options.files[0];
  compile.argument_shapes = ArgumentShapes(inputs);
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, compile));
  std::vector<Shape> parameters;
  for (const auto& parameter : exe.parameters) parameters.push_back(parameter.shape);
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Tensor> arguments, Arguments(options, std::move(inputs), parameters));
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<LoadedExecutable> loaded, LoadedExecutable::Load(std::move(exe), device));
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<Buffer*> pointers;
  for (const Tensor& argument : arguments) {
    TREADLE_ASSIGN_OR_RETURN(auto buffer, Buffer::CopyFromHost(device, argument.shape, argument.bytes.data()));
    pointers.push_back(buffer.get());
    buffers.push_back(std::move(buffer));
  }
  std::vector<std::unique_ptr<Buffer>> outputs(loaded->num_results());
  Event done;
  TREADLE_RETURN_IF_ERROR(loaded->Execute(pointers, {}, outputs, &done));
  done.Await();
  TREADLE_RETURN_IF_ERROR(done.status());
  std::vector<Tensor> results;
  for (const auto& output : outputs) {
    Tensor tensor{output->shape(), std::string(output->bytes(), '\0')};
    Event copied = output->CopyToHost(tensor.bytes.data());
    copied.Await();
    TREADLE_RETURN_IF_ERROR(copied.status());
    results.push_back(std::move(tensor));
  }
  return results;
}

StatusOr<std::vector<Tensor>> RunReference(const Options& options, const std::string& program,
                                           std::vector<Input> inputs) {
  TREADLE_ASSIGN_OR_RETURN(
      const std::vector<Shape> parameters,
      interpreter::ParametersOf(program, options.files[0], options.function, ArgumentShapes(inputs)));
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Tensor> arguments, Arguments(options, std::move(inputs), parameters));
  std::vector<interpreter::HostTensor> host;
  for (const Tensor& argument : arguments) host.push_back({argument.shape, argument.bytes});
  TREADLE_ASSIGN_OR_RETURN(std::vector<interpreter::HostTensor> results,
                           interpreter::Run(program, options.files[0], options.function, host));
  std::vector<Tensor> tensors;
  for (interpreter::HostTensor& result : results) tensors.push_back({std::move(result.shape), std::move(result.bytes)});
  return tensors;
}

Status Run(const Options& options) {
  if (options.check) {
    if (!options.inputs.empty() || !options.outputs.empty()) {
      return InvalidArgument("--check gives programs zeros and looks at what they expect: no --input, no --output");
    }
    return CheckPrograms(options.files, options.reference, options.json, options.flush_subnormals);
  }
  if (options.files.size() != 1) return InvalidArgument("several files are for --check");
  if (options.json) return InvalidArgument("--json is for --check");
  TREADLE_ASSIGN_OR_RETURN(const std::string program, ReadFile(options.files[0]));
  TREADLE_ASSIGN_OR_RETURN(std::vector<Input> inputs, ReadInputs(options));
  TREADLE_ASSIGN_OR_RETURN(const std::vector<Tensor> results, options.reference
                                                                  ? RunReference(options, program, std::move(inputs))
                                                                  : RunCompiled(options, program, std::move(inputs)));
  return PrintResults(options, results);
}

}  // namespace

Command AddRun(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Compile a program, run it, print its results");
  command->add_option("file", options->files, "StableHLO text or a portable artifact; - is standard input")->required();
  command->add_flag("--check", options->check,
                    "programs between lines '// -----' that say what they expect (check.*); print what does not hold");
  command->add_flag("--reference", options->reference, "on the reference interpreter instead of compiled code");
  command->add_flag("--json", options->json, "with --check: a line of JSON for each file");
  command->add_flag("--flush-subnormals", options->flush_subnormals,
                    "compiled arithmetic takes and gives zeros for subnormal numbers, as in the PJRT plugin");
  command->add_option("--function", options->function, "function to run (default main)");
  command
      ->add_option("--input", options->inputs,
                   "an argument, in order: 2x3xf32=[[1,2,3],[4,5,6]], @file.npy, zeros, random[:seed]")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--output", options->outputs, "a .npy file for a result, in order, instead of printing it")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--edge", options->edge,
                      "print this many elements at each end of long dimensions; 0: all (default 8)");
  command->footer(
      "Examples:\n"
      "  treadle run add.mlir --input '3xf32=[1,2,3]' --input 3xf32=1\n"
      "  treadle run model.mlirbc --input @images.npy --input random:7 --output scores.npy\n"
      "  treadle run --check tests/*.mlir --reference");
  return [options] { return Run(*options); };
}

}  // namespace treadle::tools
