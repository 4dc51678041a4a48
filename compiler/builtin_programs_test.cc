#include "compiler/builtin_programs.h"

#include "compiler/compile.h"
#include "executable/target.h"
#include "gtest/gtest.h"

namespace treadle::compiler {
namespace {

// All of them compile here; that their code is found is what tests of whole programs see (tests/jax/test_builtin.py).
TEST(BuiltinProgramsTest, AllCompile) {
  CompileOptions options;
  options.target = *executable::HostTarget();
  size_t kernels = 0;
  for (const std::string& text : BuiltinPrograms()) {
    const StatusOr<executable::Executable> executable = Compile(text, options);
    ASSERT_TRUE(executable.ok()) << text << executable.status().ToString();
    kernels += executable->kernels.size();
  }
  EXPECT_GE(kernels, BuiltinPrograms().size());
}

}  // namespace
}  // namespace treadle::compiler
