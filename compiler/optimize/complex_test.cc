// What complex numbers become in the graph. Accuracy: tests/complex_functions_test.py.
#include <gtest/gtest.h>

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/graph/print_stablehlo.h"
#include "compiler/optimize/simplify.h"
#include "compiler/optimize/to_graph.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::compiler {
namespace {

StatusOr<graph::Graph> Import(std::string_view text) {
  stablehlo::BorrowedContext context;
  auto module = stablehlo::ReadProgram(*context, text, "test.mlir");
  if (!module.ok()) return module.status();
  StatusOr<graph::Graph> graph = ToGraph(**module, "main");
  if (!graph.ok()) return graph.status();
  return Simplify(*graph);
}

std::string Text(std::string_view text) {
  StatusOr<graph::Graph> graph = Import(text);
  return graph.ok() ? Print(*graph) : graph.status().ToString();
}

TEST(ComplexTest, ArgumentsAndResultsArePairs) {
  StatusOr<graph::Graph> graph = Import(R"(
    func.func @main(%z: tensor<4xcomplex<f32>>, %x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xcomplex<f32>>) {
      %0 = stablehlo.add %z, %z : tensor<4xcomplex<f32>>
      return %x, %0 : tensor<4xf64>, tensor<4xcomplex<f32>>
    })");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->ArgumentShape(0), (Shape{ElementType::kC64, {4}}));
  EXPECT_EQ(graph->ArgumentShape(1), (Shape{ElementType::kF64, {4}}));
  EXPECT_EQ(graph->ResultShape(0), (Shape{ElementType::kF64, {4}}));
  EXPECT_EQ(graph->ResultShape(1), (Shape{ElementType::kC64, {4}}));
  EXPECT_EQ(Print(*graph),
            "region 0(%0, %1)\n"
            "  %2 = stablehlo.slice %0 starts=[0,0] limits=[4,1] strides=[1,1] : 4x1xf32\n"
            "  %3 = stablehlo.reshape %2 : 4xf32\n"
            "  %4 = stablehlo.slice %0 starts=[0,1] limits=[4,2] strides=[1,1] : 4x1xf32\n"
            "  %5 = stablehlo.reshape %4 : 4xf32\n"
            "  %6 = stablehlo.add %3, %3 : 4xf32\n"
            "  %7 = stablehlo.add %5, %5 : 4xf32\n"
            "  %8 = stablehlo.reshape %6 : 4x1xf32\n"
            "  %9 = stablehlo.reshape %7 : 4x1xf32\n"
            "  %10 = stablehlo.concatenate %8, %9 dims=[1] : 4x2xf32\n"
            "  return %1, %10\n");
}

TEST(ComplexTest, WhatGoesBackAsItCameCostsNothing) {
  EXPECT_EQ(Text(R"(
    func.func @main(%z: tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>> {
      %0 = stablehlo.real %z : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
      %1 = stablehlo.imag %z : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
      %2 = stablehlo.complex %0, %1 : tensor<2x3xcomplex<f64>>
      return %2 : tensor<2x3xcomplex<f64>>
    })"),
            "region 0(%0)\n  return %0\n");
}

TEST(ComplexTest, RealPartsAloneLeaveNothingOfTheOther) {
  EXPECT_EQ(Text(R"(
    func.func @main(%z: tensor<complex<f32>>) -> tensor<f32> {
      %0 = stablehlo.negate %z : tensor<complex<f32>>
      %1 = stablehlo.real %0 : (tensor<complex<f32>>) -> tensor<f32>
      return %1 : tensor<f32>
    })"),
            "region 0(%0)\n"
            "  %1 = stablehlo.slice %0 starts=[0] limits=[1] strides=[1] : 1xf32\n"
            "  %2 = stablehlo.reshape %1 : f32\n"
            "  %3 = stablehlo.negate %2 : f32\n"
            "  return %3\n");
}

TEST(ComplexTest, CarriesAreSplit) {
  std::string text = Text(R"(
    func.func @main(%z: tensor<complex<f32>>, %n: tensor<i32>) -> tensor<complex<f32>> {
      %0:2 = stablehlo.while(%a = %z, %i = %n) : tensor<complex<f32>>, tensor<i32>
        cond {
          %1 = stablehlo.compare GT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %1 = stablehlo.negate %a : tensor<complex<f32>>
          %2 = stablehlo.add %i, %i : tensor<i32>
          stablehlo.return %1, %2 : tensor<complex<f32>>, tensor<i32>
        }
      return %0#0 : tensor<complex<f32>>
    })");
  EXPECT_NE(text.find("= stablehlo.while %"), std::string::npos) << text;
  EXPECT_NE(text.find(": f32 f32 i32"), std::string::npos) << text;
}

TEST(ComplexTest, SumsAreSumsOfParts) {
  std::string text = Text(R"(
    func.func @main(%z: tensor<8xcomplex<f32>>, %i: tensor<complex<f32>>) -> tensor<complex<f32>> {
      %0 = stablehlo.reduce(%z init: %i) applies stablehlo.add across dimensions = [0]
        : (tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
      return %0 : tensor<complex<f32>>
    })");
  size_t first = text.find("stablehlo.reduce");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("stablehlo.reduce", first + 1), std::string::npos) << text;
}

TEST(ComplexTest, ProductsOfTheSameOperandsInAndOutsideOfLoops) {
  // The memory form that the body makes of %w is not seen outside.
  std::string text = Text(R"(
    func.func @main(%re: tensor<9x9xf32>, %n: tensor<i32>) -> (tensor<9x9xcomplex<f32>>, tensor<9x9xcomplex<f32>>) {
      %w = stablehlo.complex %re, %re : tensor<9x9xcomplex<f32>>
      %0:2 = stablehlo.while(%a = %w, %i = %n) : tensor<9x9xcomplex<f32>>, tensor<i32>
        cond {
          %1 = stablehlo.compare GT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %1 = stablehlo.dot_general %w, %a, contracting_dims = [1] x [0]
            : (tensor<9x9xcomplex<f32>>, tensor<9x9xcomplex<f32>>) -> tensor<9x9xcomplex<f32>>
          %2 = stablehlo.add %i, %i : tensor<i32>
          stablehlo.return %1, %2 : tensor<9x9xcomplex<f32>>, tensor<i32>
        }
      return %0#0, %w : tensor<9x9xcomplex<f32>>, tensor<9x9xcomplex<f32>>
    })");
  EXPECT_NE(text.find("stablehlo.dot_general"), std::string::npos) << text;
  size_t after = text.rfind("stablehlo.concatenate");
  ASSERT_NE(after, std::string::npos);
  EXPECT_GT(after, text.find("stablehlo.dot_general"));  // made again for the result
}

TEST(ComplexTest, ProductsOfPairsArePrintedWithComplexNumbers) {
  StatusOr<graph::Graph> graph = Import(R"(
    func.func @main(%a: tensor<5x2x9xcomplex<f64>>, %b: tensor<5x9x4xcomplex<f64>>) -> tensor<5x2x4xcomplex<f64>> {
      %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<5x2x9xcomplex<f64>>, tensor<5x9x4xcomplex<f64>>) -> tensor<5x2x4xcomplex<f64>>
      return %0 : tensor<5x2x4xcomplex<f64>>
    })");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(Print(*graph), "region 0(%0, %1)\n  %2 = stablehlo.dot_general %0, %1 : 5x2x4x2xf64\n  return %2\n");
  StatusOr<graph::Graph> again = Import(graph::PrintStablehlo(*graph));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_NE(Print(*again).find("stablehlo.dot_general"), std::string::npos);
}

TEST(ComplexTest, WhatIsNotThereIsNamed) {
  std::string text = Text(R"(
    func.func @main(%z: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
      %0 = stablehlo.atan2 %z, %z : tensor<2xcomplex<f32>>
      return %0 : tensor<2xcomplex<f32>>
    })");
  EXPECT_NE(text.find("UNIMPLEMENTED: stablehlo.atan2 (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> "
                      "(tensor<2xcomplex<f32>>) is not implemented yet, at test.mlir:3"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace treadle::compiler
