// Programs of testdata/ (the specification's examples and corners) hold; what is wrong or too much is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "stablehlo/interpreter/run.h"

namespace treadle::interpreter {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class TestdataTest : public testing::TestWithParam<std::string> {};

TEST_P(TestdataTest, Holds) {
  const std::string name = GetParam() + ".mlir";
  auto report = Check(ReadFile(fs::path(TREADLE_INTERPRETER_TESTDATA) / name), name);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_GT(report->checks, 0);
  EXPECT_THAT(report->misses, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(InterpreterTest, TestdataTest,
                         testing::Values("elementwise", "conversions", "movement", "reductions", "contractions",
                                         "control_flow", "chlo", "collectives"),
                         [](const auto& info) { return info.param; });

// The error or the misses of a program.
std::string WhatIsWrong(std::string_view program) {
  auto report = Check(program, "p.mlir");
  if (!report.ok()) return report.status().ToString();
  std::string text;
  for (const std::string& miss : report->misses) text += miss + "\n";
  return text;
}

TEST(InterpreterTest, MissesAreTold) {
  EXPECT_EQ(WhatIsWrong(R"(func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [5, 6]]> : tensor<2x2xi32>
  return
})"),
            "p.mlir:3:3: error: 'check.expect_eq_const' op element [1, 0] is 3, expected 5 (and 1 more of 4)\n");
}

TEST(InterpreterTest, ArgumentsOfMainAreZeros) {
  EXPECT_EQ(WhatIsWrong(R"(func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) {
  check.expect_eq_const %x, dense<0.0> : tensor<2xf32>
  return
})"),
            "");
}

TEST(InterpreterTest, ErrorsNameTheOperation) {
  EXPECT_THAT(
      WhatIsWrong(R"(func.func @main() {
  %0 = stablehlo.custom_call @nobody() : () -> tensor<i32>
  return
})"),
      testing::AllOf(HasSubstr("UNIMPLEMENTED: p.mlir:2:8: error: 'stablehlo.custom_call' op"), HasSubstr("nobody")));
}

TEST(InterpreterTest, TooLarge) {
  EXPECT_THAT(WhatIsWrong(R"(func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<9999999999999xi32>
  return
})"),
              HasSubstr("RESOURCE_EXHAUSTED: p.mlir:2:8: error: 'stablehlo.iota' op tensor<9999999999999xi32> is too"));
  EXPECT_THAT(WhatIsWrong(R"(func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<1xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 999999999999>, padding = dense<[[0, 999999999998]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<1xi32>, tensor<i32>) -> tensor<1xi32>
  return
})"),
              HasSubstr("window too large"));
}

TEST(InterpreterTest, EndlessCalls) {
  EXPECT_THAT(WhatIsWrong(R"(func.func @main() {
  call @main() : () -> ()
  return
})"),
              HasSubstr("nested too deep"));
}

TEST(InterpreterTest, SizesThatDoNotFit) {
  EXPECT_THAT(WhatIsWrong(R"(func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<6xi32>
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  return
})"),
              HasSubstr("changes the number of elements"));
  EXPECT_THAT(WhatIsWrong(R"(func.func @main() {
  %i = stablehlo.constant dense<2> : tensor<1xi64>
  %j = stablehlo.constant dense<3> : tensor<1xi64>
  %x = stablehlo.dynamic_iota %i, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %y = stablehlo.dynamic_iota %j, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  %0 = stablehlo.add %x, %y : tensor<?xi32>
  return
})"),
              HasSubstr("different shapes"));
}

TEST(InterpreterTest, ProcessesThatWaitForNobody) {
  const std::string program = R"(
func.func @a(%x: tensor<1xi32>) -> tensor<1xi32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<2xi32>
  return %x : tensor<1xi32>
}
func.func @b(%x: tensor<1xi32>) -> tensor<1xi32> { return %x : tensor<1xi32> }
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@a], [@b]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>)
  return
})";
  EXPECT_THAT(WhatIsWrong(program), HasSubstr("waits for a process that never comes"));
}

TEST(InterpreterTest, ResultsForArguments) {
  const std::string program = "func.func @f(%x: tensor<2xi8>) -> tensor<2xi8> { return %x : tensor<2xi8> }";
  auto parameters = ParametersOf(program, "p.mlir", "f");
  ASSERT_TRUE(parameters.ok());
  EXPECT_EQ((*parameters)[0], (Shape{ElementType::kI8, {2}}));
  auto results = interpreter::Run(program, "p.mlir", "f", {{{ElementType::kI8, {2}}, std::string("\x01\x02", 2)}});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ((*results)[0].bytes, std::string("\x01\x02", 2));
  EXPECT_THAT(interpreter::Run(program, "p.mlir", "f", {}).status().ToString(),
              HasSubstr("takes 1 arguments, 0 given"));
  EXPECT_THAT(interpreter::Run(program, "p.mlir", "g", {}).status().ToString(), HasSubstr("no function @g"));
}

}  // namespace
}  // namespace treadle::interpreter
