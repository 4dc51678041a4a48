#include "tools/tensor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tools/npy.h"

namespace treadle::tools {
namespace {

const Shape kMatrix{ElementType::kF32, {2, 3}};

StatusOr<Tensor> ParseTensor(std::string_view text, const Shape& shape) {
  TREADLE_ASSIGN_OR_RETURN(Input input, Input::Read(text));
  return std::move(input).ToTensor(shape);
}

std::string Read(std::string_view text, const Shape& shape) {
  auto tensor = ParseTensor(text, shape);
  return tensor.ok() ? PrintTensor(*tensor, 0) : tensor.status().ToString();
}

TEST(TensorTest, Literals) {
  EXPECT_EQ(Read("2x3xf32=[[1,2.5,-3],[inf, nan ,1e-3]]", kMatrix), "2x3xf32=[[1, 2.5, -3], [inf, nan, 0.001]]");
  EXPECT_EQ(Read("f32=1.5", {ElementType::kF32, {}}), "f32=1.5");
  EXPECT_EQ(Read("2x3xf32=7", kMatrix), "2x3xf32=[[7, 7, 7], [7, 7, 7]]");
  EXPECT_EQ(Read("2xi1=[true,false]", {ElementType::kI1, {2}}), "2xi1=[true, false]");
  EXPECT_EQ(Read("2xui8=[255,0]", {ElementType::kU8, {2}}), "2xui8=[255, 0]");
  EXPECT_EQ(Read("3xbf16=[1,1.00390625,-0]", {ElementType::kBF16, {3}}), "3xbf16=[1, 1, -0]");
  EXPECT_EQ(Read("2xcomplex<f32>=[(1,-2.5),(nan, -0)]", {ElementType::kC64, {2}}),
            "2xcomplex<f32>=[(1,-2.5), (nan,-0)]");
  EXPECT_EQ(Read("2xcomplex<f64>=3", {ElementType::kC128, {2}}), "2xcomplex<f64>=[(3,0), (3,0)]");
  EXPECT_EQ(Read("complex<f32>=(1,2)", {ElementType::kC64, {}}), "complex<f32>=(1,2)");
  EXPECT_EQ(Read("0x2xi32=[]", {ElementType::kI32, {0, 2}}), "0x2xi32=[]");
}

TEST(TensorTest, WhatDoesNotFitIsSaid) {
  EXPECT_EQ(Read("3xf32=[1,2,3]", kMatrix), "INVALID_ARGUMENT: it is 3xf32, but the program takes 2x3xf32");
  EXPECT_EQ(Read("2x3xf32=[[1,2],[3,4]]", kMatrix),
            "INVALID_ARGUMENT: expected ',' (dimension 1 has 3 elements) at '],[3,4]]'");
  EXPECT_EQ(Read("2xui8=[256,0]", {ElementType::kU8, {2}}),
            "INVALID_ARGUMENT: expected an element of type ui8 at '256,0]'");
  for (const char* bad : {"(1", "(1,", "(1)", "(1,2,3)", "()", "(,)"}) {
    EXPECT_NE(Read("1xcomplex<f32>=[" + std::string(bad) + "]", {ElementType::kC64, {1}}).find("complex<f32> at '"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(Read("hello", kMatrix).find("is no tensor"), std::string::npos);
  EXPECT_NE(Read("@/nowhere.npy", kMatrix).find("cannot read"), std::string::npos);
}

TEST(TensorTest, InputsSayTheirShapes) {
  EXPECT_EQ(Input::Read("2x3xf32=1")->shape(), kMatrix);
  EXPECT_EQ(Input::Read("zeros")->shape(), std::nullopt);
  EXPECT_EQ(Input::Read("random:3")->shape(), std::nullopt);
  // No memory is taken for a shape that the program may not have.
  auto huge = Input::Read("1000000x1000000xf64=1");
  ASSERT_TRUE(huge.ok());
  EXPECT_FALSE(std::move(*huge).ToTensor(kMatrix).ok());
}

TEST(TensorTest, RandomIsTheSameForTheSameSeed) {
  EXPECT_EQ(Read("random:3", kMatrix), Read("random:3", kMatrix));
  EXPECT_NE(Read("random:3", kMatrix), Read("random:4", kMatrix));
}

TEST(TensorTest, LongDimensionsAreCut) {
  auto tensor = ParseTensor("100xi32=1", {ElementType::kI32, {100}});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(PrintTensor(*tensor, 2), "100xi32=[1, 1, ..., 1, 1]");
}

TEST(NpyTest, ComplexNumbers) {
  std::string path = testing::TempDir() + "treadle_npy_complex_test.npy";
  for (ElementType type : {ElementType::kC64, ElementType::kC128}) {
    auto tensor = ParseTensor("random", {type, {3, 2}});
    ASSERT_TRUE(tensor.ok());
    ASSERT_TRUE(WriteNpy(path, *tensor).ok());
    auto read = ReadNpy(path);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(read->shape, tensor->shape);
    EXPECT_EQ(read->bytes, tensor->bytes);
  }
  std::remove(path.c_str());
}

TEST(NpyTest, ShapesThatCannotBe) {
  const std::string path = testing::TempDir() + "treadle_npy_shape_test.npy";
  for (const char* dims : {"-3,", "4294967296, 4294967296, 4294967296", "99999999999999999999,"}) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::string(dims) + "), }\n";
    std::ofstream(path, std::ios::binary)
        << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header << "12345678";
    EXPECT_EQ(ReadNpy(path).status().code(), StatusCode::kInvalidArgument) << dims;
  }
  std::remove(path.c_str());
}

TEST(NpyTest, RoundTrip) {
  std::string path = testing::TempDir() + "treadle_npy_test.npy";
  auto tensor = ParseTensor("2x3xf32=[[1,2,3],[4,5,6]]", kMatrix);
  ASSERT_TRUE(WriteNpy(path, *tensor).ok());
  auto read = ReadNpy(path);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->shape, kMatrix);
  EXPECT_EQ(read->bytes, tensor->bytes);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace treadle::tools
