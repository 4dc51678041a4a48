// Conformance programs as machine code.
#ifndef TREADLE_TOOLS_CHECK_COMPILED_H_
#define TREADLE_TOOLS_CHECK_COMPILED_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
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
  // Grid of one function, on as many devices as it has processes.
  StatusOr<std::vector<HostTensor>> RunGrid(std::string_view program, const std::string& name,
                                            const std::vector<std::vector<std::string>>& functions,
                                            const std::vector<HostTensor>& inputs);
  StatusOr<std::vector<HostTensor>> Run(const std::string& program, const std::string& function,
                                        const std::string& name, const std::vector<HostTensor>& arguments);

  std::unique_ptr<Client> client_;
};

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_CHECK_COMPILED_H_
