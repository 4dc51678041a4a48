// What programs of several devices become: shardings and groups as they are read, collectives as exchanges.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/optimize/simplify.h"
#include "compiler/optimize/to_graph.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::compiler {
namespace {

StatusOr<graph::Graph> Import(std::string_view text, Participants participants, bool spmd = true) {
  stablehlo::BorrowedContext context;
  auto module = stablehlo::ReadProgram(*context, text, "test.mlir");
  if (!module.ok()) return module.status();
  StatusOr<graph::Graph> graph = ToGraph(**module, "main", participants, spmd);
  if (!graph.ok()) return graph.status();
  return Simplify(*graph);
}

// The sharding `text` of an 8x12 array on the mesh x=2, y=3, z=2 (or another).
StatusOr<Sharding> Read(const std::string& text, const std::string& mesh = R"(["x"=2, "y"=3, "z"=2])",
                        int32_t devices = 12) {
  auto graph = Import("sdy.mesh @mesh = <" + mesh +
                          ">\nfunc.func @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, " + text +
                          ">}) -> tensor<8x12xf32> { return %a : tensor<8x12xf32> }",
                      {1, devices});
  if (!graph.ok()) return graph.status();
  EXPECT_TRUE(graph->global_view);
  EXPECT_EQ(graph->shape(graph->regions[0].arguments[0]).dims, (std::vector<int64_t>{8, 12}));
  return graph->argument_shardings[0];
}

std::string Error(const StatusOr<Sharding>& sharding) { return sharding.ok() ? "" : sharding.status().ToString(); }

TEST(Shardings, AxesCutDimensions) {
  EXPECT_TRUE(Read("[{}, {?}]")->whole());
  const Sharding x = *Read(R"([{"x"}, {}])");
  EXPECT_EQ(x.tiles, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(x.holders, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  const Sharding z = *Read(R"([{"z", ?}, {}])");
  EXPECT_EQ(z.holders, (std::vector<int32_t>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
  const Sharding yz = *Read(R"([{}, {"z", "y"}])");  // z is major
  EXPECT_EQ(yz.tiles, (std::vector<int64_t>{1, 6}));
  EXPECT_EQ(yz.holders, (std::vector<int32_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

// Devices that hold one array together have equal places among the copies.
TEST(Shardings, CopiesBelongTogether) {
  const Sharding y = *Read(R"([{}, {"y"}])");
  ASSERT_EQ(y.copies(), 4);
  for (int copy = 0; copy < 4; ++copy) {
    const int32_t first = y.holders[copy];
    for (int tile = 1; tile < 3; ++tile) EXPECT_EQ(y.holders[tile * 4 + copy], first + 2 * tile);
  }
}

TEST(Shardings, PartsOfAxesAndOrdersOfDevices) {
  const Sharding high = *Read(R"([{"a":(1)2}, {}])", R"(["a"=4])", 4);
  EXPECT_EQ(high.holders, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(high.tiles, (std::vector<int64_t>{2, 1}));
  const Sharding low = *Read(R"([{"a":(2)2}, {}])", R"(["a"=4])", 4);
  EXPECT_EQ(low.holders, (std::vector<int32_t>{0, 2, 1, 3}));
  const Sharding turned = *Read(R"([{"a"}, {}])", R"(["a"=4], device_ids=[3, 1, 0, 2])", 4);
  EXPECT_EQ(turned.holders, (std::vector<int32_t>{3, 1, 0, 2}));
}

TEST(Shardings, RefusesWhatItCannotCut) {
  EXPECT_NE(Error(Read(R"([{"y"}, {}])")).find("cannot be cut into 3 equal parts"), std::string::npos);
  EXPECT_NE(Error(Read(R"([{"x"}, {}])", R"(["x"=2])", 12)).find("a mesh of 2 devices in a program for 12"),
            std::string::npos);
  EXPECT_NE(Error(Read(R"([{}, {}], unreduced={"x"})")).find("unreduced"), std::string::npos);
  EXPECT_EQ(Read("[{}, {}]", "[], device_ids=[3]").status().code(), StatusCode::kUnimplemented);
}

std::string Manual(const std::string& body, const std::string& result = "2x4xf32", const std::string& out = "{\"i\"}") {
  return R"(sdy.mesh @mesh = <["i"=4]>
    func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}) -> tensor<8x4xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"i"}, {}]>] out_shardings=[<@mesh, [)" +
         out + R"(, {}]>] manual_axes={"i"} (%b: tensor<2x4xf32>) {)" + body + R"(
        sdy.return %r : tensor<)" +
         result + R"(>
      } : (tensor<8x4xf32>) -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    })";
}

TEST(Manual, EachDeviceHasItsPart) {
  const auto graph = Import(Manual("%r = stablehlo.negate %b : tensor<2x4xf32>"), {1, 4});
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(Print(*graph), "region 0(%0)\n  %1 = stablehlo.negate %0 : 2x4xf32\n  return %1\n");
  EXPECT_EQ(graph->argument_shardings, graph->result_shardings);
  EXPECT_EQ(graph->result_shardings[0].tiles, (std::vector<int64_t>{4, 1}));
  EXPECT_FALSE(graph->global_view);
}

TEST(Manual, AllGatherIsAConcatenation) {
  const auto graph = Import(Manual(R"(
      %r = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}>
        : (tensor<2x4xf32>) -> tensor<8x4xf32>)",
                                   "8x4xf32", "{}"),
                            {1, 4});
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  ASSERT_EQ(graph->ops.size(), 2u);
  EXPECT_EQ(graph->ops[0].code, graph::OpCode::kConcatenate);
  const graph::Exchange& who = *graph->ops[1].attrs.exchange;
  EXPECT_EQ(who.groups, (std::vector<std::vector<int32_t>>{{0, 2, 1, 3}}));
  EXPECT_EQ(who.sources[3], (std::vector<int32_t>{0, 2, 1, 3}));
  EXPECT_TRUE(graph->result_shardings[0].whole());
  EXPECT_FALSE(graph->knows_participant);
}

TEST(Manual, OneDeviceExchangesNothing) {
  const auto graph = Import(R"(
    func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>) {
      %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = stablehlo.partition_id : tensor<ui32>
      return %0, %1 : tensor<4xf32>, tensor<ui32>
    })",
                            {1, 1});
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->regions[0].results[0], graph->regions[0].arguments[0]);
  EXPECT_FALSE(graph->knows_participant);
}

// The groups that `attributes` of an all_gather of f32[1] name, or the error.
std::string GroupsOf(const std::string& attributes, int results, Participants participants) {
  const auto graph = Import("func.func @main(%a: tensor<1xf32>) -> tensor<" + std::to_string(results) +
                                "xf32> {\n%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, " + attributes +
                                "}> : (tensor<1xf32>) -> tensor<" + std::to_string(results) +
                                "xf32>\nreturn %0 : tensor<" + std::to_string(results) + "xf32> }",
                            participants, /*spmd=*/false);
  if (!graph.ok()) return graph.status().ToString();
  std::string text;
  for (const auto& group : graph->ops.back().attrs.exchange->groups) {
    for (int32_t participant : group) text += std::to_string(participant);
    text += " ";
  }
  return text;
}

// Two replicas of three partitions: participants 0 to 5.
TEST(Groups, AreNamedInFourWays) {
  const std::string channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
  EXPECT_EQ(GroupsOf("replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>", 2, {2, 3}), "30 41 52 ");
  EXPECT_EQ(GroupsOf("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>" + channel, 6, {2, 3}), "031425 ");
  EXPECT_EQ(GroupsOf("replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>" + channel, 3, {2, 3}), "012 345 ");
  EXPECT_EQ(
      GroupsOf("replica_groups = dense<[[5, 0, 1], [2, 4, 3]]> : tensor<2x3xi64>, use_global_device_ids" + channel, 3,
               {2, 3}),
      "501 243 ");
  EXPECT_EQ(GroupsOf("replica_groups = dense<> : tensor<0x0xi64>", 2, {2, 3}), "03 14 25 ");
}

// A mesh of 2 x 6, in both of its forms; places count the last axis fastest.
TEST(Groups, AreNamedByAxesOfAMesh) {
  const auto groups = [](const std::string& axes, int64_t results) {
    const std::string ids = "device_ids = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10]> : tensor<12xi64>";
    const std::string mesh =
        "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, "
        "#stablehlo.mesh_axis<name = \"y\", size = 6>], " +
        ids + ">";
    return GroupsOf(
        "use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = " +
            mesh + ", axes = [" + axes + "]>",
        results, {1, 12});
  };
  EXPECT_EQ(groups(R"(#stablehlo.axis_ref<name = "x">)", 2), "06 17 28 39 411 510 ");
  EXPECT_EQ(groups(R"(#stablehlo.axis_ref<name = "y">)", 6), "012345 67891110 ");
  EXPECT_EQ(groups(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>)", 2), "03 14 25 69 711 810 ");
  EXPECT_EQ(groups(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (2)3>, #stablehlo.axis_ref<name = "x">)", 6),
            "061728 39411510 ");
  EXPECT_NE(groups(R"(#stablehlo.axis_ref<name = "z">)", 2).find("no axis like 'z'"), std::string::npos);
  EXPECT_NE(groups(R"(#stablehlo.axis_ref<name = "y", sub_axis_info = (4)2>)", 2).find("no axis like"),
            std::string::npos);
  EXPECT_NE(GroupsOf("replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = []>", 1, {2, 1})
                .find("there is no mesh @none"),
            std::string::npos);
}

TEST(Groups, RefusesOthers) {
  EXPECT_NE(GroupsOf("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", 2, {3, 1}).find("leave devices out"),
            std::string::npos);
  EXPECT_EQ(GroupsOf("replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>", 2, {3, 1}).find("different sizes"),
            std::string::npos);  // of all_reduce they may be
  EXPECT_NE(GroupsOf("replica_groups = dense<[[0, 7]]> : tensor<1x2xi64>", 2, {2, 1}).find("INVALID_ARGUMENT"),
            std::string::npos);
  EXPECT_NE(GroupsOf("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", 3, {2, 1}).find("do not fit"),
            std::string::npos);
}

}  // namespace
}  // namespace treadle::compiler
