// Conformance programs as machine code.
#ifndef TREADLE_TOOLS_CHECK_COMPILED_H_
#define TREADLE_TOOLS_CHECK_COMPILED_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "device/device.h"
#include "runtime/channels.h"
#include "runtime/client.h"
#include "stablehlo/check/outline.h"
#include "stablehlo/interpreter/run.h"

namespace treadle::tools {

// Owns the devices that the programs run on. For one thread.
class CompiledChecker {
 public:
  static StatusOr<std::unique_ptr<CompiledChecker>> Create(bool keep_subnormals);

  // As interpreter::Check, by compiled code: what expectations name becomes results of the functions that hold them.
  // Functions that start grids of processes (interpreter.run_parallel) run on the interpreter, the programs of the
  // grids are compiled.
  StatusOr<interpreter::CheckReport> Check(std::string_view program, const std::string& name);

 private:
  using HostTensor = interpreter::HostTensor;

  Status CheckFunction(const check::OutlinedProgram& program, const check::OutlinedFunction& function,
                       const std::string& name, interpreter::CheckReport& report);
  using Functions = std::vector<std::vector<std::string>>;

  // On as many devices as there are processes.
  StatusOr<std::vector<HostTensor>> RunGrid(const std::string& program, const std::string& name,
                                            const Functions& functions, const std::vector<HostTensor>& inputs,
                                            const std::vector<std::vector<HostTensor>>& infeed);
  // All processes run one function, which may hold collectives.
  StatusOr<std::vector<HostTensor>> RunSame(const std::string& program, const std::string& name,
                                            const Functions& functions, const std::vector<HostTensor>& inputs);
  // Each process is a program of its own; they send to each other.
  StatusOr<std::vector<HostTensor>> RunDifferent(const std::string& program, const std::string& name,
                                                 const Functions& functions, const std::vector<HostTensor>& inputs);
  struct Running;
  StatusOr<Running> Start(const std::string& program, const std::string& function, const std::string& name,
                          Device* device, std::span<const HostTensor> arguments, Channels& channels);
  // On the first device. What the program feeds out is left in `channels`.
  StatusOr<std::vector<HostTensor>> Run(const std::string& program, const std::string& function,
                                        const std::string& name, const std::vector<HostTensor>& arguments,
                                        Channels& channels);

  std::unique_ptr<Client> client_;
};

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_CHECK_COMPILED_H_
