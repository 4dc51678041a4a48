#include "compiler/builtin_programs.h"

#include "compiler/compile.h"
#include "executable/target.h"
#include "gtest/gtest.h"

namespace treadle::compiler {
namespace {

void ExpectNoneCompiled(const executable::Target& target) {
  CompileOptions options;
  options.target = target;
  size_t kernels = 0;
  for (const std::string& text : BuiltinPrograms()) {
    const StatusOr<executable::Executable> executable = Compile(text, options);
    ASSERT_TRUE(executable.ok()) << text << executable.status().ToString();
    EXPECT_TRUE(executable->objects.empty()) << text;
    kernels += executable->kernels.size();
  }
  EXPECT_GT(kernels, 2000u);
}

TEST(BuiltinProgramsTest, NoneNeedsCompilation) { ExpectNoneCompiled(*executable::HostTarget()); }

TEST(BuiltinProgramsTest, NorOnAMachineWithLargeCaches) {
  executable::Target target;
  target.isa = executable::IsaLevel::kV4;
  target.cpu = "x86-64-v4";
  target.avx512_bf16 = target.avx512_vnni = true;
  target.l1_bytes = 48 << 10;
  target.l2_bytes = 2 << 20;
  target.l3_bytes = int64_t{256} << 20;
  ExpectNoneCompiled(target);
}

}  // namespace
}  // namespace treadle::compiler
