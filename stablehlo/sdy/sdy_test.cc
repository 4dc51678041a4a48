#include "stablehlo/sdy/sdy.h"

#include <gtest/gtest.h>

#include <string>

#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace treadle::sdy {
namespace {

class SdyTest : public testing::Test {
 protected:
  SdyTest()
      : context_(mlir::MLIRContext::Threading::DISABLED), handler_(&context_, [this](mlir::Diagnostic& diagnostic) {
          errors_ += diagnostic.str() + "\n";
          return mlir::success();
        }) {
    context_.loadDialect<SdyDialect, mlir::func::FuncDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> Parse(const std::string& text) {
    errors_.clear();
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }

  static std::string Print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
  }

  mlir::MLIRContext context_;
  std::string errors_;
  mlir::ScopedDiagnosticHandler handler_;
};

// As Shardy prints them.
const char* const kAttributes[] = {
    R"(#sdy.mesh<["x"=2, "y"=4]>)",
    R"(#sdy.mesh<["x"=2], device_ids=[1, 0]>)",
    R"(#sdy.mesh<[], device_ids=[0]>)",
    R"(#sdy.mesh<[]>)",
    R"(#sdy<axis_ref"x":(1)2>)",
    R"(#sdy<sub_axis_info(1)2>)",
    R"(#sdy.sharding<@mesh, [{"x":(1)2, ?}p1, {?}], replicated={"y"}, unreduced={"z"}>)",
    R"(#sdy.sharding<mesh<["x"=2]>, [{"x"}]>)",
    R"(#sdy.sharding<@mesh, []>)",
    R"(#sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@m, []>]>)",
    R"(#sdy<manual_axes{"x", "y"}>)",
    R"(#sdy<manual_axes{}>)",
    R"(#sdy<dimension_sharding{"x"}p2>)",
    R"(#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=2, k=4}>)",
    R"(#sdy.op_sharding_rule<([ij, j], [j, k])->([i, k]) {i=8, j=2, k=4} reduction={j} need_replication={k} permutation={i} blocked_propagation={i}, custom>)",
    R"(#sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1z_2])->([]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=1, z_2=1}>)",
    R"(#sdy.op_sharding_rule<([], [])->([]), custom>)",
    R"(#sdy<axis_ref_list{"x", "y"}>)",
    R"(#sdy<list_of_axis_ref_lists[{"x"}, {}]>)",
    R"(#sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 1->2]>)",
};

TEST_F(SdyTest, AttributesPrintAsTheyAreWritten) {
  for (const std::string text : kAttributes) {
    const mlir::Attribute attribute = mlir::parseAttribute(text, &context_);
    ASSERT_TRUE(attribute) << text << errors_;
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    attribute.print(stream);
    EXPECT_EQ(printed, text);
  }
}

TEST_F(SdyTest, RefusesMalformedAttributes) {
  for (const std::string text :
       {R"(#sdy.sharding<@mesh, [{"x"}], replicated={"y"}, replicated={"z"}>)", R"(#sdy.sharding<@mesh, [{?, "x"}]>)",
        R"(#sdy.sharding<@mesh, [{"x"}q1]>)", R"(#sdy.op_sharding_rule<([a])->([a])>)",
        R"(#sdy.op_sharding_rule<([i, j])->([i]) {j=2, i=1}>)", R"(#sdy.mesh<["x"]>)"}) {
    errors_.clear();
    EXPECT_FALSE(mlir::parseAttribute(text, &context_)) << text;
    EXPECT_FALSE(errors_.empty()) << text;
  }
}

constexpr char kProgram[] = R"(module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {note = 1 : i32}
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x4xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8x4xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<8x4xf32>
    %3 = sdy.data_flow_edge %2 sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %4 = sdy.data_flow_edge %3 : tensor<8x4xf32>
    %5 = sdy.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<8x4xf32>
    %6 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      sdy.return %arg1 : tensor<4x4xf32>
    } {bar} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %7 = sdy.named_computation<"foo">(%6) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x4xf32>) {
      sdy.return %arg1 : tensor<8x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %8 = sdy.named_computation<"foo">(%7) (%arg1: tensor<8x4xf32>) {
      sdy.return %arg1 : tensor<8x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %9 = sdy.all_slice [{"x"}, {}] %8 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %10 = sdy.all_to_all [{"x"}: 0->1] %9 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x4xf32>
    %11 = sdy.all_gather [{}, {"x"}] %10 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
    %12 = sdy.all_reduce {"x"} %11 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
    %13 = sdy.reduce_scatter [{"x"}, {}] %12 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %14 = sdy.collective_permute %13 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x4xf32>
    %15 = sdy.replicated_to_unreduced {"x"} %14 out_sharding=<@mesh, [{"y"}, {}], unreduced={"x"}> : tensor<8x4xf32>
    %16 = sdy.sharded_to_unreduced [{"y"}, {}] %15 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x4xf32>
    %17 = sdy.func_data_flow_edge %16 : tensor<8x4xf32>
    return {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->() {i=8, j=4}>} %17 : tensor<8x4xf32>
  }
}
)";

TEST_F(SdyTest, ProgramsPrintAsTheyAreWritten) {
  const auto module = Parse(kProgram);
  ASSERT_TRUE(module) << errors_;
  EXPECT_EQ(Print(*module), kProgram);
}

TEST_F(SdyTest, BytecodeKeepsEverything) {
  const auto module = Parse(kProgram);
  ASSERT_TRUE(module) << errors_;
  int count = 0;
  for (const std::string text : kAttributes) {
    mlir::ModuleOp(*module)->setAttr("sdy.a" + std::to_string(count++), mlir::parseAttribute(text, &context_));
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(*module, stream)));
  const auto read = Parse(bytes);
  ASSERT_TRUE(read) << errors_;
  EXPECT_EQ(Print(*read), Print(*module));
}

TEST_F(SdyTest, VerifiersNameWhatIsWrong) {
  const struct {
    const char* from;
    const char* to;
    const char* error;
  } kCases[] = {
      {R"(constraint %arg0 <@mesh, [{"x"}, {}]>)", R"(constraint %arg0 <@mesh, [{"x"}]>)", "sharding of rank 1"},
      {R"(constraint %arg0 <@mesh, [{"x"}, {}]>)", R"(constraint %arg0 <@none, [{"x"}, {}]>)", "unknown mesh: @none"},
      {R"(constraint %arg0 <@mesh, [{"x"}, {}]>)", R"(constraint %arg0 <@mesh, [{"q"}, {}]>)", "does not have"},
      {R"(in_shardings=[<@mesh, [{"x"}, {}]>])", R"(in_shardings=[])", "0 in_shardings for 1 values"},
      {R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})", R"({sdy.sharding = #sdy.sharding<@mesh, []>})",
       "sharding of rank 0"},
      {R"(constraint %arg0 <@mesh, [{"x"}, {}]>)", R"(constraint %arg0 <@mesh, [{"x"}, {"x"}]>)", "twice"},
      {R"(constraint %arg0 <@mesh, [{"x"}, {}]>)", R"(constraint %arg0 <@mesh, [{"x":(1)3}, {}]>)", "does not divide"},
      {R"(<["x"=2, "y"=2]>)", R"(<["x"=2, "x"=2]>)", "two axes 'x'"},
      {R"(<["x"=2, "y"=2]>)", R"(<["x"=0, "y"=2]>)", "of size 0"},
      {R"(<["x"=2, "y"=2]>)", R"(<["x"=2, "y"=2], device_ids=[0, 1, 2, 2]>)", "each device id"},
      {R"((%arg1: tensor<4x4xf32>) {
      sdy.return %arg1 : tensor<4x4xf32>)",
       R"((%arg1: tensor<8x4xf32>) {
      sdy.return %arg1 : tensor<8x4xf32>)",
       "expected 'tensor<4x4xf32>'"},
      {R"(([i, j])->() {i=8, j=4})", R"(([i, k])->() {i=8, j=4})", "no size"},
  };
  for (const auto& test : kCases) {
    std::string text = kProgram;
    text.replace(text.find(test.from), std::string(test.from).size(), test.to);
    EXPECT_FALSE(Parse(text)) << test.to;
    EXPECT_NE(errors_.find(test.error), std::string::npos) << test.to << "\n" << errors_;
  }
}

TEST_F(SdyTest, MeshesKnowTheirSizes) {
  const auto mesh = mlir::cast<MeshAttr>(mlir::parseAttribute(R"(#sdy.mesh<["x"=2, "y"=4]>)", &context_));
  EXPECT_EQ(mesh.AxisSize("y"), 4);
  EXPECT_EQ(mesh.AxisSize("z"), 0);
  EXPECT_EQ(mesh.TotalSize(), 8);
  EXPECT_FALSE(mesh.IsMaximal());
  EXPECT_TRUE(mlir::cast<MeshAttr>(mlir::parseAttribute("#sdy.mesh<[], device_ids=[3]>", &context_)).IsMaximal());
}

}  // namespace
}  // namespace treadle::sdy
