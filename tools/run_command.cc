// treadle run FILE [--function NAME] [--input ...]
#include <iostream>
#include <memory>
#include <vector>

#include "compiler/compile.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"
#include "tools/commands.h"
#include "tools/npy.h"
#include "tools/tensor.h"

namespace treadle::tools {
namespace {

struct Options {
  std::string file, function = "main";
  std::vector<std::string> inputs, outputs;
  int64_t edge = 8;
};

StatusOr<std::vector<std::unique_ptr<Buffer>>> Arguments(const Options& options, const executable::Executable& exe,
                                                         Device* device) {
  if (options.inputs.size() != exe.parameters.size()) {
    std::string expected;
    for (const auto& parameter : exe.parameters) expected += " --input " + parameter.shape.ToString() + "=...";
    return InvalidArgument("@" + options.function + " takes " + std::to_string(exe.parameters.size()) + " arguments, " +
                           std::to_string(options.inputs.size()) +
                           " given. It takes:" + (expected.empty() ? " none" : expected));
  }
  std::vector<std::unique_ptr<Buffer>> arguments;
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    auto tensor = ParseTensor(options.inputs[i], exe.parameters[i].shape);
    if (!tensor.ok()) return tensor.status().WithContext("argument " + std::to_string(i));
    TREADLE_ASSIGN_OR_RETURN(auto buffer, Buffer::CopyFromHost(device, tensor->shape, tensor->bytes.data()));
    arguments.push_back(std::move(buffer));
  }
  return arguments;
}

Status PrintResults(const Options& options, const std::vector<std::unique_ptr<Buffer>>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor tensor{results[i]->shape(), std::string(results[i]->bytes(), '\0')};
    Event copied = results[i]->CopyToHost(tensor.bytes.data());
    copied.Await();
    TREADLE_RETURN_IF_ERROR(copied.status());
    if (i < options.outputs.size()) {
      TREADLE_RETURN_IF_ERROR(WriteNpy(options.outputs[i], tensor));
    } else {
      std::cout << PrintTensor(tensor, options.edge) << "\n";
    }
  }
  return OkStatus();
}

Status Run(const Options& options) {
  TREADLE_ASSIGN_OR_RETURN(std::string program, ReadFile(options.file));
  TREADLE_RETURN_IF_ERROR(compiler::UseDiskCache());
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Client> client, Client::Create({}));
  Device* device = client->devices().front().get();
  compiler::CompileOptions compile;
  compile.target = client->target();
  compile.function = options.function;
  compile.name = options.file;
  TREADLE_ASSIGN_OR_RETURN(executable::Executable exe, compiler::Compile(program, compile));
  TREADLE_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Buffer>> arguments, Arguments(options, exe, device));
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<LoadedExecutable> loaded, LoadedExecutable::Load(std::move(exe), device));
  std::vector<Buffer*> pointers;
  for (const auto& argument : arguments) pointers.push_back(argument.get());
  std::vector<std::unique_ptr<Buffer>> results(loaded->num_results());
  Event done;
  TREADLE_RETURN_IF_ERROR(loaded->Execute(pointers, {}, results, &done));
  done.Await();
  TREADLE_RETURN_IF_ERROR(done.status());
  return PrintResults(options, results);
}

}  // namespace

Command AddRun(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Compile a program, run it, print its results");
  command->add_option("file", options->file, "StableHLO text, bytecode or a portable artifact; - is standard input")
      ->required();
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
      "  treadle run model.mlirbc --input @images.npy --input random:7 --output scores.npy");
  return [options] { return Run(*options); };
}

}  // namespace treadle::tools
