// Compiles whatever it is given, text or artifact, for this machine and as four devices: an error or a program, never a
// crash, whatever sizes and constants it names.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/compile.h"

namespace {

// The function to compile: @main, or the first one that there is.
std::string FunctionOf(std::string_view program) {
  constexpr std::string_view kFunction = "func.func @";
  const size_t begin = program.find(kFunction);
  if (begin == std::string_view::npos || program.find("@main(") != std::string_view::npos) return "main";
  const std::string_view name = program.substr(begin + kFunction.size());
  return std::string(name.substr(0, name.find('(')));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const treadle::executable::Target target = *treadle::executable::HostTarget();
  const std::string_view program(reinterpret_cast<const char*>(data), size);
  treadle::compiler::CompileOptions options = {.target = target};
  options.function = FunctionOf(program);
  if (program.find("sdy.mesh") != std::string_view::npos) options.num_partitions = 4;
  (void)treadle::compiler::Compile(program, options);
  return 0;
}
