// Programs that no later stage may see: each must be refused with a message that says why.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::stablehlo {
namespace {

using testing::HasSubstr;

struct Invalid {
  const char* name;
  const char* operation;  // in a function with the arguments below
  const char* message;
};

constexpr char kArguments[] =
    "%s: tensor<f32>, %v: tensor<4xf32>, %w: tensor<5xf32>, %m: tensor<3x4xf32>, %i: tensor<i32>, %iv: tensor<4xi32>, "
    "%p: tensor<4xi1>, %c: tensor<4xcomplex<f32>>, %x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>, %sq: "
    "tensor<3x3xf32>";

// clang-format off: a line a program
constexpr Invalid kInvalid[] = {
    {"Shapes", R"(%0 = "stablehlo.add"(%v, %w) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>)", "needs equal shapes"},
    {"Elements", R"(%0 = "stablehlo.add"(%v, %iv) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>)", "needs one element type"},
    {"AndOfFloats", "%0 = stablehlo.and %v, %v : tensor<4xf32>", "must be ranked tensor of i1 or integer values"},
    {"LogOfIntegers", "%0 = stablehlo.log %iv : tensor<4xi32>", "floating-point, complex or quantized"},
    {"RealOfComplex", "%0 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf64>", "of elements 'complex<f32>' gives 'f32'"},
    {"ComplexParts", R"(%0 = "stablehlo.complex"(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>)", "cannot give"},
    {"CompareType", "%0 = stablehlo.compare LT, %iv, %iv, TOTALORDER : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>", "TOTALORDER does not fit"},
    {"ReducePrecision", "%0 = stablehlo.reduce_precision %v, format = e0m3 : tensor<4xf32>", "at least one exponent bit"},
    {"BitcastShape", "%0 = stablehlo.bitcast_convert %v : (tensor<4xf32>) -> tensor<4xui8>", "expected the shape [4, 4]"},
    {"SelectShape", "%0 = stablehlo.select %p, %w, %w : tensor<4xi1>, tensor<5xf32>", "pred has type"},
    {"ClampShape", R"(%0 = "stablehlo.clamp"(%w, %v, %s) : (tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)", "min has type"},
    {"ConstantType", R"(%0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<5xf32>)", "has a value of type"},
    {"IotaDimension", "%0 = stablehlo.iota dim = 1 : tensor<4xf32>", "iota_dimension 1 is out of range for rank 1"},
    {"IotaNegative", "%0 = stablehlo.iota dim = -1 : tensor<4xf32>", "iota_dimension -1 is out of range"},
    {"BroadcastRange", "%0 = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<4xf32>) -> tensor<3x4xf32>", "broadcast_dimensions 2 is out of range"},
    {"BroadcastCount", "%0 = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<4xf32>) -> tensor<3x4xf32>", "has 0 entries, expected 1"},
    {"BroadcastSize", "%0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<4xf32>) -> tensor<3x4xf32>", "cannot broadcast dimension 0"},
    {"Reshape", "%0 = stablehlo.reshape %v : (tensor<4xf32>) -> tensor<5xf32>", "changes the number of elements"},
    {"TransposeTwice", "%0 = stablehlo.transpose %m, dims = [0, 0] : (tensor<3x4xf32>) -> tensor<3x3xf32>", "names dimension 0 twice"},
    {"TransposeShape", "%0 = stablehlo.transpose %m, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<3x4xf32>", "expected the shape [4, 3]"},
    {"ReverseRange", "%0 = stablehlo.reverse %v, dims = [1] : tensor<4xf32>", "out of range"},
    {"ConcatenateShape", "%0 = stablehlo.concatenate %v, %w, dim = 0 : (tensor<4xf32>, tensor<5xf32>) -> tensor<8xf32>", "expected the shape [9]"},
    {"ConcatenateNothing", R"(%0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<8xf32>)", "needs an operand"},
    {"SliceLimit", "%0 = stablehlo.slice %v [2:5] : (tensor<4xf32>) -> tensor<3xf32>", "range 2:5 leaves dimension 0"},
    {"SliceStride", "%0 = stablehlo.slice %v [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>", "strides has the entry 0"},
    {"SliceOrder", "%0 = stablehlo.slice %v [3:1] : (tensor<4xf32>) -> tensor<0xf32>", "range 3:1"},
    {"PadNegative", "%0 = stablehlo.pad %v, %s, low = [-3], high = [-3], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<0xf32>", "gives no valid size"},
    {"PadOverflow", "%0 = stablehlo.pad %v, %s, low = [9223372036854775807], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<0xf32>", "gives no valid size"},
    {"PadInterior", "%0 = stablehlo.pad %v, %s, low = [0], high = [0], interior = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>", "interior_padding has the entry -1"},
    {"DynamicSliceSize", "%0 = stablehlo.dynamic_slice %v, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>", "slice_sizes 5 does not fit"},
    {"DynamicSliceStarts", "%0 = stablehlo.dynamic_slice %m, %i, sizes = [1, 1] : (tensor<3x4xf32>, tensor<i32>) -> tensor<1x1xf32>", "start_indices has 1 entries, expected 2"},
    {"DynamicUpdateSlice", "%0 = stablehlo.dynamic_update_slice %v, %w, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>", "update size 5 does not fit"},
    {"GatherMap", R"(%0 = "stablehlo.gather"(%m, %iv) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [7], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>)", "index map 7 is out of range"},
    {"GatherSlices", R"(%0 = "stablehlo.gather"(%m, %iv) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 9>}> : (tensor<3x4xf32>, tensor<4xi32>) -> tensor<4x9xf32>)", "slice_sizes 9 does not fit"},
    {"DotContract", "%0 = stablehlo.dot_general %v, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<5xf32>) -> tensor<f32>", "contracting dimensions differ: 4 and 5"},
    {"DotRange", "%0 = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>", "lhs dimensions 1 is out of range"},
    {"DotResult", "%0 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>", "expected the shape []"},
    {"ConvolutionGroups", "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>", "input feature size 4 is no multiple of 3"},
    {"ConvolutionShape", "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>", "expected the shape [1, 6, 6, 6]"},
    {"ConvolutionStride", "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>", "window strides has the entry 0"},
    {"ConvolutionNames", "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>", "numbered from 0 without gaps"},
    {"Fft", "%0 = stablehlo.fft %c, type = RFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>", "RFFT cannot take"},
    {"Cholesky", "%0 = stablehlo.cholesky %m, lower = true : tensor<3x4xf32>", "sizes of the matrix differ: 4 and 3"},
    {"ReduceDimension", "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.add across dimensions = [2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>", "dimensions 2 is out of range"},
    {"ReduceShape", "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>", "expected the shape [4]"},
    {"ReduceInit", R"(%0 = "stablehlo.reduce"(%m, %v) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>)", "init value must be a scalar"},
    {"ReduceArguments", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>)", "body argument list has 1 entries, expected 2"},
    {"ReduceNotCommutative", "%0 = stablehlo.reduce(%m init: %s) applies stablehlo.subtract across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>", "expected a commutative operation"},
    {"ReduceTerminator", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): func.return %a : tensor<f32> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>)", "func.return"},
    {"ReduceWindow", R"(%0 = "stablehlo.reduce_window"(%v, %s) <{window_dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)", "window dimensions has the entry 0"},
    {"SortDimension", R"(%0 = "stablehlo.sort"(%v) <{dimension = 1 : i64}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %1 : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xf32>)", "dimension 1 is out of range"},
    {"SortComparator", R"(%0 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>)", "comparator result #0 has type"},
    {"WhileCondition", "%0 = stablehlo.while(%a = %s) : tensor<f32> cond { stablehlo.return %a : tensor<f32> } do { stablehlo.return %a : tensor<f32> }", "cond result #0 has type"},
    {"WhileBody", "%0 = stablehlo.while(%a = %s) : tensor<f32> cond { %1 = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %1 : tensor<i1> } do { stablehlo.return }", "body result: expected 1 values, got 0"},
    {"CaseNoBranch", R"(%0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<f32>)", "needs a branch"},
    {"CaseResult", R"(%0 = "stablehlo.case"(%i) ({ stablehlo.return %v : tensor<4xf32> }) : (tensor<i32>) -> tensor<f32>)", "branch result #0 has type"},
    {"TupleIndex", R"(%0 = stablehlo.tuple %s : tuple<tensor<f32>> %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>>) -> tensor<f32>)", "index 1 is out of range"},
    {"CompositeTarget", R"(%0 = stablehlo.composite "my.op" %s {decomposition = @nothing} : (tensor<f32>) -> tensor<f32>)", "is no function of the module"},
    {"FfiConfig", R"(%0 = stablehlo.custom_call @f(%s) {api_version = 4 : i32, backend_config = "text"} : (tensor<f32>) -> tensor<f32>)", "needs a dictionary as backend_config"},
    {"AllToAllSplit", R"(%0 = "stablehlo.all_to_all"(%w) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<5xf32>) -> tensor<5xf32>)", "cannot split"},
    {"PermutePairs", R"(%0 = "stablehlo.collective_permute"(%w) <{source_target_pairs = dense<0> : tensor<1x3xi64>}> : (tensor<5xf32>) -> tensor<5xf32>)", "must be a tensor of pairs"},
    {"TopK", "%0, %1 = chlo.top_k(%v, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)", "k = 5 does not fit"},
    {"Bounds", "%0 = stablehlo.custom_call @f() : () -> tensor<?xf32, #stablehlo.bounds<1, 2>>", "2 bounds for a tensor of rank 1"},
};

// clang-format on

class VerifyTest : public testing::TestWithParam<Invalid> {};

TEST_P(VerifyTest, IsRefused) {
  const auto context = MakeContext();
  const std::string text =
      "func.func @main(" + std::string(kArguments) + ") {\n  " + GetParam().operation + "\n  return\n}\n";
  const auto program = ReadProgram(*context, text, "test.mlir");
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.status().ToString(), HasSubstr("test.mlir:2:"));
  EXPECT_THAT(program.status().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, VerifyTest, testing::ValuesIn(kInvalid),
                         [](const testing::TestParamInfo<Invalid>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace treadle::stablehlo
