#include "stablehlo/read.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "stablehlo/context.h"
#include "stablehlo/diagnostics.h"
#include "stablehlo/dialect/ops.h"
#include "stablehlo/nesting.h"

namespace treadle::stablehlo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kAdd[] = R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
})";

class ReadProgramTest : public testing::Test {
 protected:
  std::string Error(std::string_view bytes) {
    auto program = ReadProgram(*context_, bytes, "test.mlir");
    return program.ok() ? "" : program.status().ToString();
  }

  std::unique_ptr<mlir::MLIRContext> context_ = MakeContext();
};

std::string Text(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

TEST_F(ReadProgramTest, ReadsText) {
  auto program = ReadProgram(*context_, kAdd, "test.mlir");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  int adds = 0;
  (**program).walk([&](AddOp add) {
    ++adds;
    EXPECT_EQ(add.getLhs(), add.getRhs());
  });
  EXPECT_EQ(adds, 1);
}

TEST_F(ReadProgramTest, ReadsPlainBytecodeThatIsTrusted) {
  auto program = ReadProgram(*context_, kAdd, "test.mlir");
  ASSERT_TRUE(program.ok());
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(**program, stream)));
  auto again = ReadProgram(*context_, bytes, "test.mlirbc", PlainBytecode::kTrust);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(Text(**again), Text(**program));
  EXPECT_THAT(Error(bytes), HasSubstr("portable artifact only"));
}

TEST_F(ReadProgramTest, ErrorsNameThePlace) {
  EXPECT_THAT(Error("func.func @main() {\n  %0 = stablehlo.nothing : tensor<4xf32>\n}"),
              StartsWith("INVALID_ARGUMENT: test.mlir:2:8: error: "));
  EXPECT_THAT(Error(R"(func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %a [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
})"),
              StartsWith("INVALID_ARGUMENT: test.mlir:2:8: error: 'stablehlo.slice' op range 0:5"));
}

TEST_F(ReadProgramTest, ErrorsShowTheLine) {
  EXPECT_EQ(Error("func.func @main() {\n\treturn %a : i32\n}"),
            "INVALID_ARGUMENT: test.mlir:2:9: error: use of undeclared SSA value name\n\treturn %a : i32\n\t       ^");
  // Of a line of constants what is near.
  const std::string error =
      Error("func.func @f() attributes {a = \"" + std::string(1 << 20, 'x') + "\", b = ] } { return }");
  EXPECT_THAT(error, HasSubstr("xxx\", b = ] } { return }\n"));
  EXPECT_LT(error.size(), 500u);
}

TEST_F(ReadProgramTest, GarbageIsAnError) {
  EXPECT_THAT(Error(std::string("\x7f"
                                "ELF\0\1",
                                6)),
              HasSubstr("neither MLIR text"));
  EXPECT_THAT(Error("ML\xefR"), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Error(std::string("ML\xefR\r", 5) + std::string(100, '\xff')), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Error("%"), HasSubstr("INVALID_ARGUMENT"));
}

TEST_F(ReadProgramTest, DeepNestingIsAnError) {
  EXPECT_THAT(Error(std::string(100000, '[')), HasSubstr("nested 100000 deep"));
  EXPECT_THAT(Error("func.func private @f() attributes {a = " + std::string(5000, '[') + std::string(5000, ']') + "}"),
              HasSubstr("at most 256 levels"));
}

TEST_F(ReadProgramTest, TensorsWhoseSizesOverflowAreAnError) {
  EXPECT_THAT(Error("func.func @f(%a: tensor<9223372036854775807x3xi8>) { return }"), HasSubstr("too large"));
  EXPECT_THAT(Error("func.func @f(%a: tensor<4294967296x4294967296x0xf32>) { return }"), HasSubstr("too large"));
  EXPECT_THAT(Error("func.func @f() { %0 = stablehlo.iota dim = 0 : tensor<99999999999999999xf64> return }"),
              HasSubstr("test.mlir:1:23: error: 'stablehlo.iota' op holds"));
  EXPECT_EQ(Error("func.func @f(%a: tensor<1099511627776xf32>, %b: tensor<?x0xf32>) { return }"), "");
}

TEST_F(ReadProgramTest, AnEmptyTextIsAnEmptyModule) { EXPECT_EQ(Error(""), ""); }

TEST_F(ReadProgramTest, ResultsBeyondAllBoundsAreAnError) {
  for (const char* number : {"2147483647", "99999999999999999999", "4096"}) {
    const std::string text = std::string("func.func @f(%a: tensor<f32>) { %b = stablehlo.add %a, %a : tensor<f32> ") +
                             "%c = stablehlo.add %b#" + number + ", %a : tensor<f32> return }";
    EXPECT_THAT(Error(text), HasSubstr("results by numbers that are too large"));
  }
}

TEST_F(ReadProgramTest, ArraysOfIndicesAreRefused) {
  for (const char* array : {"array<index>", "array < index: 1, 2>", "array // why\n < // not\n index : 1>", "array<!i>",
                            "array<!i: 3>", "[1 : i8, array<index>]"}) {
    const std::string text = std::string("!i = index\nfunc.func @f() attributes {a = ") + array + "} { return }";
    EXPECT_THAT(Error(text), HasSubstr("an array attribute of type index")) << array;
  }
  for (const char* text : {"\"array<index>\"", "array<i64: 1>", "xarray<index", "array<indexes", "array index <",
                           "array", "array<", "array </", "tensor<4xindex>", "#array.x<index>"}) {
    EXPECT_FALSE(MeasureText(text).array_of_indices) << text;
  }
}

TEST(TextNestingTest, LeavesOutStringsCommentsAndArrows) {
  EXPECT_FALSE(MeasureText("%x#3 %y:4 \"#99999999\" // #99999999\n #loc1234567").too_many_results);
  EXPECT_EQ(MeasureText("f(a[b]) -> c").nesting, 2);
  EXPECT_EQ(MeasureText("\"((((\" ( // (((\n").nesting, 1);
  EXPECT_EQ(MeasureText(R"("\"((" <>)").nesting, 1);
  EXPECT_EQ(MeasureText(")))((").nesting, 2);
}

TEST(SourceLineTest, FindsTheUsersLine) {
  auto context = MakeContext();
  auto file = mlir::FileLineColLoc::get(context.get(), "train.py", 12, 8);
  auto other = mlir::FileLineColLoc::get(context.get(), "main.py", 3, 1);
  auto name =
      mlir::NameLoc::get(mlir::StringAttr::get(context.get(), "jit(f)/add"), mlir::CallSiteLoc::get(file, other));
  EXPECT_EQ(SourceLine(name), "train.py:12:8");
  EXPECT_EQ(SourceLine(mlir::FusedLoc::get(context.get(), {mlir::UnknownLoc::get(context.get()), name})),
            "train.py:12:8");
  EXPECT_EQ(SourceLine(mlir::UnknownLoc::get(context.get())), "");
}

}  // namespace
}  // namespace treadle::stablehlo
