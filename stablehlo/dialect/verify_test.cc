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
    "tensor<3x3xf32>, %n: tensor<2xi32>, %n1: tensor<1xi32>, "
    "%t: !stablehlo.token, %u: tensor<2xui64>, %id: tensor<4x1xi32>, %up: tensor<4x4xf32>, %h: tensor<4xf16>, "
    "%x3: tensor<2x4x5xf32>, %q: tensor<4x!quant.uniform<i8:f32, 0.5>>, %r: tensor<4x!quant.uniform<i8:f32, 0.25>>, "
    "%qb: tensor<4x!quant.uniform<i16:f32, 0.5>>, %qa: tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>, "
    "%qz: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %qo: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>";

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
    {"RaggedTwice", R"(%0 = "chlo.ragged_dot"(%m, %x3, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0, 1], rhs_group_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<2xi32>) -> tensor<3x5xf32>)", "lhs_ragged_dimensions has 2 entries, expected 1"},
    {"RaggedGroups", R"(%0 = "chlo.ragged_dot"(%m, %x3, %iv) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<4xi32>) -> tensor<3x5xf32>)", "the groups and the dimension of rhs differ: 4 and 2"},
    {"RaggedNoGroups", R"(%0 = "chlo.ragged_dot"(%m, %m, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xi32>) -> tensor<3x3xf32>)", "rhs_group_dimensions has 0 entries, expected 1"},
    {"RaggedContractedGroups", R"(%0 = "chlo.ragged_dot"(%m, %x3, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>}> : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<2xi32>) -> tensor<3x5xf32>)", "names dimension 1 twice"},
    {"RaggedSizes", R"(%0 = "chlo.ragged_dot"(%m, %x3, %id) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<4x1xi32>) -> tensor<3x5xf32>)", "group_sizes has type"},
    {"RaggedResult", R"(%0 = "chlo.ragged_dot"(%m, %m, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1]>}> : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xi32>) -> tensor<3x3xf32>)", "expected the shape [2, 3, 3]"},
    {"ScanDimension", R"(%0:2 = chlo.scan(%m) inits(%v) dimension=2 { ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>): stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32> } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>))", "dimension 2 is out of range"},
    {"ScanSize", R"(%0:2 = chlo.scan(%m) inits(%v) dimension=0 attributes {scan_dim_size = 5 : i64} { ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>): stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32> } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>))", "numbers of slices of the inputs differ: 3 and 5"},
    {"ScanCarry", R"(%0:2 = chlo.scan(%m) inits(%w) dimension=0 { ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>): stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32> } : (tensor<3x4xf32>, tensor<5xf32>) -> (tensor<3x4xf32>, tensor<5xf32>))", "body argument #1 has type"},
    {"ScanOutput", R"(%0:2 = chlo.scan(%m) inits(%v) dimension=0 { ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>): stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32> } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x5xf32>, tensor<4xf32>))", "body result #0 has type"},
    {"ScanNothing", R"(%0 = chlo.scan() inits(%v) dimension=0 { ^bb0(%b: tensor<4xf32>): stablehlo.return %b : tensor<4xf32> } : (tensor<4xf32>) -> tensor<4xf32>)", "needs an input or an output"},
    {"TopK", "%0, %1 = chlo.top_k(%v, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)", "k = 5 does not fit"},
    {"Bounds", "%0 = stablehlo.custom_call @f() : () -> tensor<?xf32, #stablehlo.bounds<1, 2>>", "2 bounds for a tensor of rank 1"},
    {"AddStorage", R"(%0 = "stablehlo.add"(%q, %qb) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i16:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>)", "needs one storage type"},
    {"AddMixed", R"(%0 = "stablehlo.add"(%q, %v) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>)", "that are all quantized"},
    {"MultiplyMixed", R"(%0 = "stablehlo.multiply"(%q, %v) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>)", "needs one element type"},
    {"QuantizedAxis", "%0 = stablehlo.custom_call @f() : () -> tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>", "must be variadic of"},
    {"BroadcastScale", R"(%0 = "stablehlo.broadcast_in_dim"(%q) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.25>>)", "changes scales"},
    {"BroadcastAxis", R"(%0 = "stablehlo.broadcast_in_dim"(%qa) <{broadcast_dimensions = array<i64: 1, 0>}> : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)", "moves the quantized dimension 1"},
    {"BroadcastOneScale", R"(%0 = "stablehlo.broadcast_in_dim"(%qo) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)", "repeats the one scale"},
    {"ReshapeScale", "%0 = stablehlo.reshape %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25>>", "changes scales"},
    {"ReshapeAxis", "%0 = stablehlo.reshape %qa : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125}>>", "which holds other elements"},
    {"ReshapeOverflow", "%0 = stablehlo.custom_call @f() : () -> tensor<4294967296x4294967296xi8> %1 = stablehlo.reshape %0 : (tensor<4294967296x4294967296xi8>) -> tensor<1xi8>", "which is too large"},
    {"BeyondBound", "%0 = stablehlo.abs %w : (tensor<5xf32>) -> tensor<?xf32, #stablehlo.bounds<4>>", "needs equal shapes"},
    {"TransposeScale", "%0 = stablehlo.transpose %qa, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>", "changes scales"},
    {"GatherOrder", R"(%0 = "stablehlo.gather"(%x, %iv) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [3, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2, 1>}> : (tensor<1x8x8x4xf32>, tensor<4xi32>) -> tensor<4x2x2xf32>)", "needs sorted collapsed"},
    {"GatherBatchIndexed", R"(%0 = "stablehlo.gather"(%up, %id) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x4xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>)", "names dimension 0 twice"},
    {"ScatterElement", R"(%0 = "stablehlo.scatter"(%m, %id, %up) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf32>)", "folds"},
    {"ScatterKind", R"(%0 = "stablehlo.scatter"(%m, %id, %up) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ ^bb0(%a: tensor<i32>, %e: tensor<i32>): %1 = stablehlo.add %a, %e : tensor<i32> stablehlo.return %1 : tensor<i32> }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xi32>)", "cannot fold elements"},
    {"ReduceKind", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<i32>, %e: tensor<i32>): %1 = stablehlo.add %a, %e : tensor<i32> stablehlo.return %1 : tensor<i32> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xi32>)", "cannot fold elements"},
    {"ReduceResult", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>)", "folds"},
    {"ReduceInitKind", R"(%0 = "stablehlo.reduce"(%m, %i) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<3x4xf32>, tensor<i32>) -> tensor<4xf32>)", "cannot fold elements of"},
    {"ReduceValues", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<i32>): stablehlo.return %a : tensor<f32> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>)", "body argument #1 is of"},
    {"SelectAndScatterSource", R"(%src = stablehlo.slice %v [0:2] : (tensor<4xf32>) -> tensor<2xf32> %0 = "stablehlo.select_and_scatter"(%v, %n, %s) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.compare GE, %a, %e : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %1 : tensor<i1> }, { ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4xf32>)", "needs one element type"},
    {"SelectAndScatterElement", R"(%src = stablehlo.slice %v [0:2] : (tensor<4xf32>) -> tensor<2xf32> %0 = "stablehlo.select_and_scatter"(%v, %src, %s) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.compare GE, %a, %e : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %1 : tensor<i1> }, { ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>)", "folds"},
    {"MapOrder", R"(%0 = "stablehlo.map"(%m) <{dimensions = array<i64: 1, 0>}> ({ ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3x4xf32>) -> tensor<3x4xf32>)", "must count from 0"},
    {"BatchNormElement", R"(%0 = "stablehlo.batch_norm_inference"(%m, %h, %h, %h, %h) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<3x4xf32>)", "needs one element type"},
    {"BatchNormSize", R"(%0 = "stablehlo.batch_norm_inference"(%m, %w, %w, %w, %w) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x4xf32>)", "value per feature has type"},
    {"DotAlgorithmPrecision", "%0 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>", "names both an algorithm"},
    {"DotAlgorithmCount", "%0 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>", "counts of the algorithm has the entry 0"},
    {"DotZeroPoint", "%0 = stablehlo.dot_general %q, %qz, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5>>", "needs zero points of 0"},
    {"DotQuantizedAxis", "%0 = stablehlo.dot_general %qa, %qa, contracting_dims = [1] x [1] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>, tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.5>>", "contracts the quantized dimension 1"},
    {"DotQuantizedResult", "%0 = stablehlo.dot_general %q, %r, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<f32>", "both quantized or neither"},
    {"DotStorage", "%0 = stablehlo.dot_general %q, %qb, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i16:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.5>>", "needs one storage type"},
    {"FftParts", "%0 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>", "FFT cannot take"},
    {"BitcastComplex", "%0 = stablehlo.bitcast_convert %c : (tensor<4xcomplex<f32>>) -> tensor<4xf64>", "cannot turn"},
    {"BitcastQuantized", "%0 = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xi32>", "expected the shape"},
    {"Quantize", "%0 = stablehlo.uniform_quantize %h : (tensor<4xf16>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>", "cannot give"},
    {"Dequantize", "%0 = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf16>", "gives"},
    {"CompareQuantized", "%0 = stablehlo.compare LT, %q, %v : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<4xi1>", "compares different element types"},
    {"CompositeName", R"(%0 = stablehlo.composite "op" %s {decomposition = @main} : (tensor<f32>) -> tensor<f32>)", "is not of the form"},
    {"InfeedNothing", R"("stablehlo.infeed"(%t) : (!stablehlo.token) -> ())", "needs a result"},
    {"InfeedToken", R"(%0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<f32>)", "needs a token as last result"},
    {"InfeedTensors", R"(%0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token))", "gives tensors and a token"},
    {"SendChannel", R"(%0 = "stablehlo.send"(%s, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token)", "has a channel of type 1, expected 2"},
    {"SendTwice", R"(%0 = "stablehlo.send"(%s, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token)", "names the source 0 twice"},
    {"RecvChannel", R"(%0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token))", "has a channel of type 2, expected 3"},
    {"RecvToken", R"(%0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> tensor<f32>)", "needs a token as last result"},
    {"RecvNegative", R"(%0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token))", "source_target_pairs holds -1"},
    {"AsyncTwo", R"(%0 = "stablehlo.async_start"(%v) ({ ^bb0(%a: tensor<4xf32>): %2 = stablehlo.abs %a : tensor<4xf32> %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>)", "one operation and its stablehlo.return"},
    {"AsyncAbs", R"(%0 = "stablehlo.async_start"(%v) ({ ^bb0(%a: tensor<4xf32>): %2 = stablehlo.abs %a : tensor<4xf32> stablehlo.return %2 : tensor<4xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>)", "only collectives and slices"},
    {"AsyncFuture", R"(%0 = "stablehlo.async_start"(%v) ({ ^bb0(%a: tensor<4xf32>): %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>)", "future result #0 has type"},
    {"AsyncArgument", R"(%0 = "stablehlo.async_start"(%w) ({ ^bb0(%a: tensor<4xf32>): %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %1 : tensor<2xf32> }) : (tensor<5xf32>) -> !stablehlo.future<tensor<2xf32>>)", "body argument #0 has type"},
    {"AsyncDone", R"(%0 = "stablehlo.async_start"(%v) ({ ^bb0(%a: tensor<4xf32>): %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>> %3 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<4xf32>)", "result #0 has type"},
    {"RngElement", "%0 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<2x2xf64>", "needs one element type"},
    {"RngNormal", "%0 = stablehlo.rng %i, %i, %n, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<2xi32>) -> tensor<2x2xi32>", "needs floating-point values"},
    {"RngRank", "%0 = stablehlo.rng %s, %s, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<2xf32>", "shape size and number of dimensions differ: 2 and 1"},
    {"RngShape", "%sh = stablehlo.constant dense<[2, 3]> : tensor<2xi32> %0 = stablehlo.rng %s, %s, %sh, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<2x2xf32>", "expected the shape [2, 3]"},
    {"RngScalar", "%0 = stablehlo.rng %v, %v, %n, distribution = UNIFORM : (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>", "a must be a scalar"},
    {"BitsState", "%0:2 = stablehlo.rng_bit_generator %iv, algorithm = THREE_FRY : (tensor<4xi32>) -> (tensor<2xi32>, tensor<4xui32>)", "output_state has type"},
    {"GroupsTwice", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>)", "holds 0 twice"},
    {"GroupsGap", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>)", "holds 2 but not all ids below"},
    {"GroupsShort", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>)", "replica_groups holds -1"},
    {"AllGatherElement", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf64>)", "needs one element type"},
    {"AllGatherSize", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<7xf32>)", "result size 7 is no multiple of 4"},
    {"AllGatherEmpty", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>)", "must not be empty"},
    {"AllReduceChannel", R"(%0 = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>)", "has channel 0"},
    {"AllReduceElement", R"(%0 = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<4xf32>) -> tensor<4xf32>)", "folds"},
    {"AllReduceKind", R"(%0 = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({ ^bb0(%a: tensor<i32>, %e: tensor<i32>): %1 = stablehlo.add %a, %e : tensor<i32> stablehlo.return %1 : tensor<i32> }) : (tensor<4xf32>) -> tensor<4xi32>)", "cannot fold elements"},
    {"AllToAllGroups", R"(%0 = "stablehlo.all_to_all"(%v) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "has groups of 1, expected 2"},
    {"AllToAllCount", R"(%0 = "stablehlo.all_to_all"(%v) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "split_count must be at least 1"},
    {"AllToAllElement", R"(%0 = "stablehlo.all_to_all"(%v) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf64>)", "needs one element type"},
    {"ReduceScatterSize", R"(%0 = "stablehlo.reduce_scatter"(%v) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>) -> tensor<3xf32>)", "operand size 4 is no multiple of 3"},
    {"ReduceScatterElement", R"(%0 = "stablehlo.reduce_scatter"(%v) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<4xf32>) -> tensor<2xf32>)", "folds"},
    {"ReduceScatterChannel", R"(%0 = "stablehlo.reduce_scatter"(%v) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>) -> tensor<2xf32>)", "has channel 0"},
    {"PermuteSources", R"(%0 = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "names the source 0 twice"},
    {"PermuteTargets", R"(%0 = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "names the target 1 twice"},
    {"PermuteNegative", R"(%0 = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "source_target_pairs holds -1"},
    {"CollectiveBroadcastNegative", R"(%0 = "stablehlo.collective_broadcast"(%v) <{replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "replica_groups holds -1"},
    {"CollectiveBroadcastRoot", R"(%0 = "stablehlo.collective_broadcast"(%v, %n) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>)", "root has type"},
    {"CollectiveBroadcastRootElement", R"(%0 = "stablehlo.collective_broadcast"(%v, %w) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>)", "needs a root of type"},
    {"CollectiveBroadcastResults", R"(%0:2 = "stablehlo.collective_broadcast"(%v) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>))", "result list has 2 entries, expected 1"},
    {"CollectiveReduceShape", R"(%0 = "stablehlo.collective_reduce"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>) -> tensor<5xf32>)", "result has type"},
    {"CollectiveReduceElement", R"(%0 = "stablehlo.collective_reduce"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<4xf32>) -> tensor<4xf32>)", "folds"},
    {"CollectiveReduceRoot", R"(%0 = "stablehlo.collective_reduce"(%v, %n) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>)", "root has type"},
    {"PartitionId", "%0 = stablehlo.partition_id : tensor<i32>", "gives tensor<ui32>"},
    {"DynamicBroadcastElement", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf64>)", "needs one element type"},
    {"DynamicBroadcastCount", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>)", "has 2 entries, expected 1"},
    {"DynamicBroadcastRange", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>)", "broadcast_dimensions 2 is out of range"},
    {"DynamicBroadcastSize", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x5xf32>)", "sizes of operand and result differ: 4 and 5"},
    {"DynamicBroadcastShape", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<?x4xf32>)", "output_dimensions size and number of dimensions differ"},
    {"DynamicBroadcastKnown", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>)", "known dimensions names dimension 0 twice"},
    {"DynamicConvShape", R"(%p2 = stablehlo.constant dense<1> : tensor<2x2xi32> %0 = "stablehlo.dynamic_conv"(%x, %k, %p2) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi32>) -> tensor<1x6x6x6xf32>)", "expected the shape [1, 8, 8, 6]"},
    {"DynamicConvGroups", R"(%p2 = stablehlo.constant dense<1> : tensor<2x2xi32> %0 = "stablehlo.dynamic_conv"(%x, %k, %p2) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi32>) -> tensor<1x?x?x6xf32>)", "no multiple of 3"},
    {"DynamicConvPadding", R"(%p2 = stablehlo.constant dense<1> : tensor<2x2xi32> %0 = "stablehlo.dynamic_conv"(%x, %k, %id) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<4x1xi32>) -> tensor<1x?x?x6xf32>)", "padding has type"},
    {"DynamicGatherSizes", R"(%sz = stablehlo.constant dense<[1, 9]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<2xi32>) -> tensor<4x?xf32>)", "slice_sizes 9 does not fit"},
    {"DynamicGatherCollapsed", R"(%sz = stablehlo.constant dense<[2, 4]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<2xi32>) -> tensor<4x4xf32>)", "collapses dimension 0 of slice size 2"},
    {"DynamicGatherResult", R"(%sz = stablehlo.constant dense<[1, 4]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<2xi32>) -> tensor<4x3xf32>)", "slice size and result size differ: 4 and 3"},
    {"DynamicGatherElement", R"(%sz = stablehlo.constant dense<[1, 4]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<2xi32>) -> tensor<4x4xf64>)", "needs one element type"},
    {"DynamicGatherCount", R"(%sz = stablehlo.constant dense<[1, 4]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %n1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<1xi32>) -> tensor<4x4xf32>)", "slice_sizes size and number of dimensions differ"},
    {"DynamicIotaDimension", "%0 = stablehlo.dynamic_iota %n, dim = 2 : (tensor<2xi32>) -> tensor<?x?xi32>", "iota_dimension 2 is out of range"},
    {"DynamicIotaShape", "%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi32>) -> tensor<?xi32>", "output_shape size and number of dimensions differ"},
    {"DynamicIotaNegative", "%sh = stablehlo.constant dense<[-1]> : tensor<1xi32> %0 = stablehlo.dynamic_iota %sh, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>", "output_shape has the entry -1"},
    {"DynamicPadShape", "%lo = stablehlo.constant dense<1> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<0> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %s, %lo, %hi, %in : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>", "expected the shape [6]"},
    {"DynamicPadInterior", "%lo = stablehlo.constant dense<1> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<-1> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %s, %lo, %hi, %in : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>", "interior_padding has the entry -1"},
    {"DynamicPadOverflow", "%lo = stablehlo.constant dense<9223372036854775807> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<0> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %s, %lo, %hi, %in : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>", "gives no valid size"},
    {"DynamicPadElement", "%lo = stablehlo.constant dense<1> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<0> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %i, %lo, %hi, %in : (tensor<4xf32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>", "needs one element type"},
    {"DynamicPadRank", "%lo = stablehlo.constant dense<1> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<0> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %s, %lo, %hi, %in : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6x1xf32>", "result shape has 2 entries, expected 1"},
    {"DynamicReshapeCount", "%0 = stablehlo.dynamic_reshape %v, %n : (tensor<4xf32>, tensor<2xi32>) -> tensor<5x1xf32>", "changes the number of elements"},
    {"DynamicReshapeShape", "%0 = stablehlo.dynamic_reshape %v, %n : (tensor<4xf32>, tensor<2xi32>) -> tensor<?xf32>", "output_shape size and number of dimensions differ"},
    {"DynamicReshapeElement", "%0 = stablehlo.dynamic_reshape %v, %n : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xi32>", "needs one element type"},
    {"RealDynamicSlice", "%0 = stablehlo.real_dynamic_slice %v, %n, %n, %n : (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>", "start_indices size and number of dimensions differ"},
    {"GetDimensionSize", "%0 = stablehlo.get_dimension_size %v, dim = 0 : (tensor<4xf32>) -> tensor<i64>", "gives tensor<i32>"},
    {"SetDimensionSize", "%0 = stablehlo.set_dimension_size %v, %i, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>", "larger"},
    {"SetDimensionSizeScalar", "%0 = stablehlo.set_dimension_size %v, %n, dim = 0 : (tensor<4xf32>, tensor<2xi32>) -> tensor<?xf32>", "size must be a scalar"},
    {"Dot", "%0 = stablehlo.dot %v, %w : (tensor<4xf32>, tensor<5xf32>) -> tensor<f32>", "contracting dimensions differ: 4 and 5"},
    {"DotRank", "%0 = stablehlo.dot %s, %w : (tensor<f32>, tensor<5xf32>) -> tensor<f32>", "needs vectors or matrices"},
    {"DotShape", "%0 = stablehlo.dot %m, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>", "expected the shape [3]"},
    {"EinsumSizes", R"(%0 = stablehlo.einsum %m, %v, config = "ij,i->j" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>)", "sizes of 'i' differ: 3 and 4"},
    {"EinsumLetters", R"(%0 = stablehlo.einsum %m, %v, config = "i,j->i" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>)", "part 'i' has 1 entries, expected 2"},
    {"EinsumResult", R"(%0 = stablehlo.einsum %m, %v, config = "ij,j->i" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>)", "expected the shape [3]"},
    {"EinsumUnknown", R"(%0 = stablehlo.einsum %m, %v, config = "ij,j->k" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32>)", "has a result of no operand's"},
    {"EinsumParts", R"(%0 = stablehlo.einsum %m, %v, config = "ij->i" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>)", "needs 2 operands"},
    {"UnaryEinsum", R"(%0 = stablehlo.unary_einsum %m, config = "ij->j" : (tensor<3x4xf32>) -> tensor<3xf32>)", "expected the shape [4]"},
    {"OldBroadcast", "%0 = stablehlo.broadcast %v, sizes = [2] : (tensor<4xf32>) -> tensor<4x2xf32>", "expected the shape [2, 4]"},
    {"OldBroadcastNegative", "%0 = stablehlo.broadcast %v, sizes = [-2] : (tensor<4xf32>) -> tensor<2x4xf32>", "broadcast_sizes has the entry -2"},
    {"TorchIndexSelectDim", R"(%0 = "stablehlo.torch_index_select"(%m, %n) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>)", "dim 2 is out of range"},
    {"TorchIndexSelectBatch", R"(%0 = "stablehlo.torch_index_select"(%m, %n) <{dim = 0 : i64, batch_dims = 1 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>)", "batch_dims 1 is out of range"},
    {"TorchIndexSelectSize", R"(%0 = "stablehlo.torch_index_select"(%m, %n) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<3xf32>)", "batch sizes of operand and index differ: 3 and 2"},
    {"TorchIndexSelectShape", R"(%0 = "stablehlo.torch_index_select"(%m, %n) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<3x4xf32>)", "expected the shape [2, 4]"},
    {"CrossReplicaSum", R"(%0 = "stablehlo.cross-replica-sum"(%v) <{replica_groups = dense<0> : tensor<1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)", "replica_groups must have rank 2"},
};

struct Valid {
  const char* name;
  const char* operation;
};

// What the checks above must let through.
constexpr Valid kValid[] = {
    {"AddScales", R"(%0 = "stablehlo.add"(%q, %r) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>)"},
    {"MultiplyScales", R"(%0 = "stablehlo.multiply"(%q, %r) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>)"},
    {"BroadcastOneScale", R"(%0 = "stablehlo.broadcast_in_dim"(%qo) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>)"},
    {"ReshapeAxis", "%0 = stablehlo.reshape %qa : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<2x3x1x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>"},
    {"Bound", "%0 = stablehlo.abs %v : (tensor<4xf32>) -> tensor<?xf32, #stablehlo.bounds<4>>"},
    {"TransposeAxis", "%0 = stablehlo.transpose %qa, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125}>>"},
    {"Gather", R"(%0 = "stablehlo.gather"(%up, %id) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x4xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>)"},
    {"Scatter", R"(%0 = "stablehlo.scatter"(%m, %id, %up) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<3x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<3x4xf64>)"},
    {"ReducePromotes", R"(%0 = "stablehlo.reduce"(%m, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf64>)"},
    {"SelectAndScatter", R"(%src = stablehlo.slice %v [0:2] : (tensor<4xf32>) -> tensor<2xf32> %0 = "stablehlo.select_and_scatter"(%v, %src, %s) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.compare GE, %a, %e : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %1 : tensor<i1> }, { ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>)"},
    {"Map", R"(%0 = "stablehlo.map"(%m) <{dimensions = array<i64: 0, 1>}> ({ ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<3x4xf32>) -> tensor<3x4xf32>)"},
    {"BatchNorm", R"(%0 = "stablehlo.batch_norm_inference"(%m, %v, %v, %v, %v) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>)"},
    {"DotAlgorithm", "%0 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>"},
    {"DotQuantized", "%0 = stablehlo.dot_general %q, %r, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i32:f32, 0.5>>"},
    {"DotHybrid", "%0 = stablehlo.dot_general %v, %r, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x!quant.uniform<i8:f32, 0.25>>) -> tensor<f32>"},
    {"Fft", "%0 = stablehlo.fft %v, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>"},
    {"Convolution", "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>"},
    {"Bitcast", "%0 = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xui8>"},
    {"Quantize", "%0 = stablehlo.uniform_quantize %v : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>"},
    {"Dequantize", "%0 = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>"},
    {"Infeed", R"(%0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token))"},
    {"Send", R"(%0 = "stablehlo.send"(%s, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token)"},
    {"Recv", R"(%0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token))"},
    {"Async", R"(%0 = "stablehlo.async_start"(%v) ({ ^bb0(%a: tensor<4xf32>): %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>> %3 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>)"},
    {"Rng", "%sh = stablehlo.constant dense<[2, 3]> : tensor<2xi32> %0 = stablehlo.rng %s, %s, %sh, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<2x3xf32>"},
    {"Bits", "%0:2 = stablehlo.rng_bit_generator %u, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)"},
    {"AllGather", R"(%0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>)"},
    {"AllReduce", R"(%0 = "stablehlo.all_reduce"(%v) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({ ^bb0(%a: tensor<f64>, %e: tensor<f64>): %1 = stablehlo.add %a, %e : tensor<f64> stablehlo.return %1 : tensor<f64> }) : (tensor<4xf32>) -> tensor<4xf64>)"},
    {"AllToAll", R"(%0 = "stablehlo.all_to_all"(%v) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"ReduceScatter", R"(%0 = "stablehlo.reduce_scatter"(%v) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>) -> tensor<2xf32>)"},
    {"Permute", R"(%0 = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"CollectiveBroadcast", R"(%0 = "stablehlo.collective_broadcast"(%v, %n1) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>)"},
    {"CollectiveReduce", R"(%0 = "stablehlo.collective_reduce"(%v, %n1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> ({ ^bb0(%a: tensor<f32>, %e: tensor<f32>): %1 = stablehlo.add %a, %e : tensor<f32> stablehlo.return %1 : tensor<f32> }) : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>)"},
    {"PartitionId", "%0 = stablehlo.partition_id : tensor<ui32>"},
    {"DynamicBroadcast", R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%v, %n) <{broadcast_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>)"},
    {"DynamicConv", R"(%p2 = stablehlo.constant dense<1> : tensor<2x2xi32> %0 = "stablehlo.dynamic_conv"(%x, %k, %p2) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi32>) -> tensor<1x8x?x6xf32>)"},
    {"DynamicGather", R"(%sz = stablehlo.constant dense<[1, 4]> : tensor<2xi32> %0 = "stablehlo.dynamic_gather"(%m, %iv, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<4xi32>, tensor<2xi32>) -> tensor<4x4xf32>)"},
    {"DynamicIota", "%0 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>"},
    {"DynamicPad", "%lo = stablehlo.constant dense<1> : tensor<1xi64> %hi = stablehlo.constant dense<1> : tensor<1xi64> %in = stablehlo.constant dense<1> : tensor<1xi64> %0 = stablehlo.dynamic_pad %v, %s, %lo, %hi, %in : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<9xf32>"},
    {"DynamicReshape", "%0 = stablehlo.dynamic_reshape %v, %n : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>"},
    {"RealDynamicSlice", "%0 = stablehlo.real_dynamic_slice %v, %n1, %n1, %n1 : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>"},
    {"SetDimensionSize", "%0 = stablehlo.set_dimension_size %v, %i, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>"},
    {"Dot", "%0 = stablehlo.dot %m, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>"},
    {"Einsum", R"(%0 = stablehlo.einsum %m, %v, config = "ij,j->i" : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>)"},
    {"UnaryEinsum", R"(%0 = stablehlo.unary_einsum %m, config = "ij->j" : (tensor<3x4xf32>) -> tensor<4xf32>)"},
    {"OldBroadcast", "%0 = stablehlo.broadcast %v, sizes = [2] : (tensor<4xf32>) -> tensor<2x4xf32>"},
    {"TorchIndexSelect", R"(%0 = "stablehlo.torch_index_select"(%m, %n) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>)"},
    {"CrossReplicaSum", R"(%0 = "stablehlo.cross-replica-sum"(%v) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>)"},
};

// clang-format on

// A function with these operations in its second line.
std::string Program(const char* operations) {
  return "func.func @main(" + std::string(kArguments) + ") {\n  " + operations + "\n  return\n}\n";
}

class VerifyTest : public testing::TestWithParam<Invalid> {};

TEST_P(VerifyTest, IsRefused) {
  const auto context = MakeContext();
  const auto program = ReadProgram(*context, Program(GetParam().operation), "test.mlir");
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.status().ToString(), HasSubstr("test.mlir:2:"));
  EXPECT_THAT(program.status().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, VerifyTest, testing::ValuesIn(kInvalid),
                         [](const testing::TestParamInfo<Invalid>& info) { return std::string(info.param.name); });

class VerifyAcceptsTest : public testing::TestWithParam<Valid> {};

TEST_P(VerifyAcceptsTest, IsAccepted) {
  const auto context = MakeContext();
  const auto program = ReadProgram(*context, Program(GetParam().operation), "test.mlir");
  EXPECT_TRUE(program.ok()) << program.status().ToString();
}

INSTANTIATE_TEST_SUITE_P(All, VerifyAcceptsTest, testing::ValuesIn(kValid),
                         [](const testing::TestParamInfo<Valid>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace treadle::stablehlo
