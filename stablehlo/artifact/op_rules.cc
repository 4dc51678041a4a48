#include "stablehlo/artifact/op_rules.h"

#include <algorithm>
#include <functional>
#include <string>

namespace treadle::stablehlo {
namespace {

using enum AttributeRule;

// Rows are in the order of the format: alphabetical.
constexpr AttributeRow kAllGather[] = {
    {"all_gather_dim"}, {"channel_id", kChannel}, {"replica_groups"}, {"use_global_device_ids", kUnit}};
constexpr AttributeRow kAllReduce[] = {{"channel_id", kChannel}, {"replica_groups"}, {"use_global_device_ids", kUnit}};
constexpr AttributeRow kAllToAll[] = {
    {"channel_id", kChannel}, {"concat_dimension"}, {"replica_groups"}, {"split_count"}, {"split_dimension"}};
constexpr AttributeRow kBatchNormGrad[] = {{"epsilon"}, {"feature_index"}};
constexpr AttributeRow kBroadcastDimensions[] = {{"broadcast_dimensions", kList}};
constexpr AttributeRow kBroadcastSizes[] = {{"broadcast_sizes", kList}};
constexpr AttributeRow kCallee[] = {{"callee", kSymbol}};
constexpr AttributeRow kResultAccuracy[] = {{"result_accuracy", kDropDefaultAccuracy}};
constexpr AttributeRow kLower[] = {{"lower", kDropFalse}};
constexpr AttributeRow kCollectiveBroadcast[] = {{"channel_id", kChannel}, {"replica_groups"}};
constexpr AttributeRow kCollectiveBroadcastV2[] = {
    {"channel_id", kChannel}, {"has_dynamic_root", kUnit}, {"replica_groups"}};
constexpr AttributeRow kCollectivePermute[] = {{"channel_id", kChannel}, {"source_target_pairs"}};
constexpr AttributeRow kCollectiveReduce[] = {
    {"channel_id", kChannel}, {"has_dynamic_root", kUnit}, {"replica_groups"}, {"use_global_device_ids", kUnit}};
constexpr AttributeRow kCompare[] = {{"compare_type", kDropNoType}, {"comparison_direction"}};
constexpr AttributeRow kComposite[] = {
    {"composite_attributes", kDropEmptyDictionary}, {"decomposition", kSymbol}, {"name"}, {"version", kDropZero}};
constexpr AttributeRow kDimension[] = {{"dimension"}};
constexpr AttributeRow kValue[] = {{"value"}};
constexpr AttributeRow kConvolution[] = {{"batch_group_count"},
                                         {"feature_group_count"},
                                         {"input_batch_dimension", kPart},
                                         {"input_feature_dimension", kPart},
                                         {"input_spatial_dimensions", kPart},
                                         {"kernel_input_feature_dimension", kPart},
                                         {"kernel_output_feature_dimension", kPart},
                                         {"kernel_spatial_dimensions", kPart},
                                         {"lhs_dilation", kDropOnes},
                                         {"output_batch_dimension", kPart},
                                         {"output_feature_dimension", kPart},
                                         {"output_spatial_dimensions", kPart},
                                         {"padding", kDropZeros},
                                         {"precision_config", kDropDefaultPrecisions},
                                         {"rhs_dilation", kDropOnes},
                                         {"window_reversal", kDropFalses},
                                         {"window_strides", kDropOnes}};
constexpr AttributeRow kReplicaGroups[] = {{"replica_groups"}};
constexpr AttributeRow kCustomCall[] = {{"api_version", kDropOriginal},
                                        {"backend_config", kDropEmptyText},
                                        {"call_target_name"},
                                        {"called_computations", kSymbols},
                                        {"has_side_effect", kDropFalse},
                                        {"operand_layouts", kPart},
                                        {"output_operand_aliases", kDropEmptyArray},
                                        {"result_layouts", kPart}};
constexpr AttributeRow kCustomCallV2[] = {{"api_version", kDropOriginal},
                                          {"backend_config", kDropEmptyText},
                                          {"call_target_name"},
                                          {"called_computations", kSymbols},
                                          {"has_side_effect", kDropFalse},
                                          {"operand_layouts", kPart},
                                          {"output_operand_aliases", kDropEmptyArray},
                                          {"result_layouts", kPart},
                                          {"result_tilings", kDropEmptyArray}};
constexpr AttributeRow kDotGeneral[] = {{"lhs_batching_dimensions", kPart},
                                        {"lhs_contracting_dimensions", kPart},
                                        {"precision_config", kDropDefaultPrecisions},
                                        {"rhs_batching_dimensions", kPart},
                                        {"rhs_contracting_dimensions", kPart}};
constexpr AttributeRow kDotGeneralV2[] = {
    {"accumulation_type", kPart},          {"allow_imprecise_accumulation", kPart},
    {"lhs_batching_dimensions", kPart},    {"lhs_component_count", kPart},
    {"lhs_contracting_dimensions", kPart}, {"lhs_precision_type", kPart},
    {"num_primitive_operations", kPart},   {"precision_config", kDropDefaultPrecisions},
    {"rhs_batching_dimensions", kPart},    {"rhs_component_count", kPart},
    {"rhs_contracting_dimensions", kPart}, {"rhs_precision_type", kPart}};
constexpr AttributeRow kPrecisionConfig[] = {{"precision_config", kDropDefaultPrecisions}};
constexpr AttributeRow kDynamicBroadcastInDim[] = {{"broadcast_dimensions", kList},
                                                   {"known_expanding_dimensions", kDropEmptyList},
                                                   {"known_nonexpanding_dimensions", kDropEmptyList}};
constexpr AttributeRow kDynamicConv[] = {{"batch_group_count"},
                                         {"feature_group_count"},
                                         {"input_batch_dimension", kPart},
                                         {"input_feature_dimension", kPart},
                                         {"input_spatial_dimensions", kPart},
                                         {"kernel_input_feature_dimension", kPart},
                                         {"kernel_output_feature_dimension", kPart},
                                         {"kernel_spatial_dimensions", kPart},
                                         {"lhs_dilation", kDropOnes},
                                         {"output_batch_dimension", kPart},
                                         {"output_feature_dimension", kPart},
                                         {"output_spatial_dimensions", kPart},
                                         {"padding", kIgnore},
                                         {"precision_config", kDropDefaultPrecisions},
                                         {"rhs_dilation", kDropOnes},
                                         {"window_reversal", kDropFalses},
                                         {"window_strides", kDropOnes}};
constexpr AttributeRow kDynamicConvV2[] = {{"batch_group_count"},
                                           {"feature_group_count"},
                                           {"input_batch_dimension", kPart},
                                           {"input_feature_dimension", kPart},
                                           {"input_spatial_dimensions", kPart},
                                           {"kernel_input_feature_dimension", kPart},
                                           {"kernel_output_feature_dimension", kPart},
                                           {"kernel_spatial_dimensions", kPart},
                                           {"lhs_dilation", kDropOnes},
                                           {"output_batch_dimension", kPart},
                                           {"output_feature_dimension", kPart},
                                           {"output_spatial_dimensions", kPart},
                                           {"precision_config", kDropDefaultPrecisions},
                                           {"rhs_dilation", kDropOnes},
                                           {"window_reversal", kDropFalses},
                                           {"window_strides", kDropOnes}};
constexpr AttributeRow kDynamicGather[] = {{"collapsed_slice_dims", kPart},
                                           {"index_vector_dim", kPart},
                                           {"indices_are_sorted", kDropFalse},
                                           {"offset_dims", kPart},
                                           {"start_index_map", kPart}};
constexpr AttributeRow kDynamicGatherV2[] = {{"collapsed_slice_dims", kPart},       {"index_vector_dim", kPart},
                                             {"indices_are_sorted", kDropFalse},    {"offset_dims", kPart},
                                             {"operand_batching_dims", kPart},      {"start_index_map", kPart},
                                             {"start_indices_batching_dims", kPart}};
constexpr AttributeRow kIotaDimension[] = {{"iota_dimension"}};
constexpr AttributeRow kSliceSizes[] = {{"slice_sizes", kList}};
constexpr AttributeRow kEinsumConfig[] = {{"einsum_config"}};
constexpr AttributeRow kFft[] = {{"fft_length", kList}, {"fft_type"}};
constexpr AttributeRow kFunc[] = {{"arg_attrs", kDropEmptyArray},
                                  {"function_type"},
                                  {"res_attrs", kDropEmptyArray},
                                  {"sym_name"},
                                  {"sym_visibility", kDropEmptyText}};
constexpr AttributeRow kGather[] = {
    {"collapsed_slice_dims", kPart}, {"index_vector_dim", kPart}, {"indices_are_sorted", kDropFalse},
    {"offset_dims", kPart},          {"slice_sizes", kList},      {"start_index_map", kPart}};
constexpr AttributeRow kGatherV2[] = {{"collapsed_slice_dims", kPart},    {"index_vector_dim", kPart},
                                      {"indices_are_sorted", kDropFalse}, {"offset_dims", kPart},
                                      {"operand_batching_dims", kPart},   {"slice_sizes", kList},
                                      {"start_index_map", kPart},         {"start_indices_batching_dims", kPart}};
constexpr AttributeRow kIndex[] = {{"index"}};
constexpr AttributeRow kInfeed[] = {{"infeed_config", kDropEmptyText}, {"layout", kDropEmptyArray}};
constexpr AttributeRow kDimensions[] = {{"dimensions", kList}};
constexpr AttributeRow kOutfeedConfig[] = {{"outfeed_config", kDropEmptyText}};
constexpr AttributeRow kPad[] = {
    {"edge_padding_high", kList}, {"edge_padding_low", kList}, {"interior_padding", kList}};
constexpr AttributeRow kRecv[] = {{"channel_id", kPart}, {"channel_type", kPart}, {"is_host_transfer", kDropFalse}};
constexpr AttributeRow kRecvV2[] = {{"channel_id", kPart},
                                    {"channel_type", kPart},
                                    {"is_host_transfer", kDropFalse},
                                    {"source_target_pairs", kDropEmptyTensor}};
constexpr AttributeRow kReducePrecision[] = {{"exponent_bits"}, {"mantissa_bits"}};
constexpr AttributeRow kReduceScatter[] = {
    {"channel_id", kChannel}, {"replica_groups"}, {"scatter_dimension"}, {"use_global_device_ids", kUnit}};
constexpr AttributeRow kReduceWindow[] = {{"base_dilations", kDropOnes},
                                          {"padding", kDropZeros},
                                          {"window_dilations", kDropOnes},
                                          {"window_dimensions", kList},
                                          {"window_strides", kDropOnes}};
constexpr AttributeRow kRngAlgorithm[] = {{"rng_algorithm"}};
constexpr AttributeRow kRngDistribution[] = {{"rng_distribution"}};
constexpr AttributeRow kScatter[] = {{"index_vector_dim", kPart},     {"indices_are_sorted", kDropFalse},
                                     {"inserted_window_dims", kPart}, {"scatter_dims_to_operand_dims", kPart},
                                     {"unique_indices", kDropFalse},  {"update_window_dims", kPart}};
constexpr AttributeRow kScatterV2[] = {{"index_vector_dim", kPart},
                                       {"indices_are_sorted", kDropFalse},
                                       {"input_batching_dims", kPart},
                                       {"inserted_window_dims", kPart},
                                       {"scatter_dims_to_operand_dims", kPart},
                                       {"scatter_indices_batching_dims", kPart},
                                       {"unique_indices", kDropFalse},
                                       {"update_window_dims", kPart}};
constexpr AttributeRow kSelectAndScatter[] = {
    {"padding", kDropZeros}, {"window_dimensions", kDropOnes}, {"window_strides", kDropOnes}};
constexpr AttributeRow kSlice[] = {{"limit_indices", kList}, {"start_indices", kList}, {"strides", kList}};
constexpr AttributeRow kSort[] = {{"dimension", kDropMinusOne}, {"is_stable", kDropFalse}};
constexpr AttributeRow kTorchIndexSelect[] = {{"batch_dims"}, {"dim"}};
constexpr AttributeRow kPermutation[] = {{"permutation", kList}};
constexpr AttributeRow kTriangularSolve[] = {{"left_side"}, {"lower"}, {"transpose_a"}, {"unit_diagonal"}};

constexpr OpRule kRules[] = {
    {"abs_v1"},
    {"add_v1"},
    {"after_all_v1"},
    {.name = "all_gather_v1", .attributes = kAllGather, .limit = Limit::kOneOperand},
    {.name = "all_gather_v2", .attributes = kAllGather, .since = {1, 5, 0}},
    {.name = "all_reduce_v1", .attributes = kAllReduce, .limit = Limit::kOneOperand},
    {.name = "all_reduce_v2", .attributes = kAllReduce, .since = {1, 5, 0}},
    {.name = "all_to_all_v1", .attributes = kAllToAll, .limit = Limit::kOneOperand},
    {.name = "all_to_all_v2", .attributes = kAllToAll, .since = {1, 5, 0}},
    {"and_v1"},
    {.name = "async_done_v1", .since = {1, 15, 0}},
    {.name = "async_start_v1", .since = {1, 15, 0}},
    {"atan2_v1"},
    {"batch_norm_grad_v1", kBatchNormGrad},
    {"batch_norm_inference_v1", kBatchNormGrad},
    {"batch_norm_training_v1", kBatchNormGrad},
    {"bitcast_convert_v1"},
    {"broadcast_in_dim_v1", kBroadcastDimensions},
    {"broadcast_v1", kBroadcastSizes},
    {"call_v1", kCallee},
    {"case_v1"},
    {"cbrt_v1"},
    {.name = "cbrt_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"ceil_v1"},
    {"cholesky_v1", kLower},
    {"clamp_v1"},
    {.name = "collective_broadcast_v1",
     .attributes = kCollectiveBroadcast,
     .since = {0, 16, 0},
     .limit = Limit::kOneOperand},
    {.name = "collective_broadcast_v2", .attributes = kCollectiveBroadcastV2, .since = {1, 20, 0}},
    {"collective_permute_v1", kCollectivePermute},
    {.name = "collective_reduce_v1", .attributes = kCollectiveReduce, .since = {1, 19, 0}},
    {"compare_v1", kCompare},
    {"complex_v1"},
    {.name = "composite_v1", .attributes = kComposite, .since = {0, 19, 0}, .limit = Limit::kNoRegions},
    {.name = "composite_v2", .attributes = kComposite, .since = {1, 14, 0}},
    {"concatenate_v1", kDimension},
    {"constant_v1", kValue},
    {"convert_v1"},
    {"convolution_v1", kConvolution, Bundle::kConvolution},
    {"cosine_v1"},
    {.name = "cosine_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"count_leading_zeros_v1"},
    {"create_token_v1"},
    {"cross-replica-sum_v1", kReplicaGroups},
    {"custom_call_v1", kCustomCall, Bundle::kLayouts},
    {.name = "custom_call_v2", .attributes = kCustomCallV2, .bundle = Bundle::kLayouts, .since = {1, 18, 0}},
    {"divide_v1"},
    {"dot_general_v1", kDotGeneral, Bundle::kDot},
    {.name = "dot_general_v2", .attributes = kDotGeneralV2, .bundle = Bundle::kDot, .since = {1, 6, 0}},
    {"dot_v1", kPrecisionConfig},
    {"dynamic_broadcast_in_dim_v1", kDynamicBroadcastInDim},
    {"dynamic_conv_v1", kDynamicConv, Bundle::kConvolution},
    {.name = "dynamic_conv_v2", .attributes = kDynamicConvV2, .bundle = Bundle::kConvolution, .since = {0, 20, 0}},
    {"dynamic_gather_v1", kDynamicGather, Bundle::kGather},
    {.name = "dynamic_gather_v2", .attributes = kDynamicGatherV2, .bundle = Bundle::kGather, .since = {1, 1, 0}},
    {"dynamic_iota_v1", kIotaDimension},
    {"dynamic_pad_v1"},
    {"dynamic_reshape_v1"},
    {"dynamic_slice_v1", kSliceSizes},
    {"dynamic_update_slice_v1"},
    {"einsum_v1", kEinsumConfig},
    {"exponential_minus_one_v1"},
    {.name = "exponential_minus_one_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"exponential_v1"},
    {.name = "exponential_v2", .attributes = kResultAccuracy, .since = {1, 9, 0}},
    {"fft_v1", kFft},
    {"floor_v1"},
    {"func_v1", kFunc},
    {"gather_v1", kGather, Bundle::kGather},
    {.name = "gather_v2", .attributes = kGatherV2, .bundle = Bundle::kGather, .since = {1, 1, 0}},
    {"get_dimension_size_v1", kDimension},
    {"get_tuple_element_v1", kIndex},
    {"if_v1"},
    {"imag_v1"},
    {"infeed_v1", kInfeed},
    {"iota_v1", kIotaDimension},
    {"is_finite_v1"},
    {"log_plus_one_v1"},
    {.name = "log_plus_one_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"log_v1"},
    {.name = "log_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"logistic_v1"},
    {.name = "logistic_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"map_v1", kDimensions},
    {"maximum_v1"},
    {"minimum_v1"},
    {"multiply_v1"},
    {"negate_v1"},
    {"not_v1"},
    {"optimization_barrier_v1"},
    {"or_v1"},
    {"outfeed_v1", kOutfeedConfig},
    {"pad_v1", kPad},
    {"partition_id_v1"},
    {"popcnt_v1"},
    {"power_v1"},
    {"real_dynamic_slice_v1"},
    {"real_v1"},
    {"recv_v1", kRecv, Bundle::kTransfer},
    {.name = "recv_v2", .attributes = kRecvV2, .bundle = Bundle::kTransfer, .since = {1, 12, 0}},
    {"reduce_precision_v1", kReducePrecision},
    {"reduce_scatter_v1", kReduceScatter},
    {"reduce_v1", kDimensions},
    {"reduce_window_v1", kReduceWindow},
    {"remainder_v1"},
    {"replica_id_v1"},
    {"reshape_v1"},
    {"return_v1"},
    {"reverse_v1", kDimensions},
    {"rng_bit_generator_v1", kRngAlgorithm},
    {"rng_v1", kRngDistribution},
    {"round_nearest_afz_v1"},
    {"round_nearest_even_v1"},
    {"rsqrt_v1"},
    {.name = "rsqrt_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"scatter_v1", kScatter, Bundle::kScatter},
    {.name = "scatter_v2", .attributes = kScatterV2, .bundle = Bundle::kScatter, .since = {1, 1, 0}},
    {"select_and_scatter_v1", kSelectAndScatter},
    {"select_v1"},
    {"send_v1", kRecv, Bundle::kTransfer},
    {.name = "send_v2", .attributes = kRecvV2, .bundle = Bundle::kTransfer, .since = {1, 12, 0}},
    {"set_dimension_size_v1", kDimension},
    {"shift_left_v1"},
    {"shift_right_arithmetic_v1"},
    {"shift_right_logical_v1"},
    {"sign_v1"},
    {"sine_v1"},
    {.name = "sine_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"slice_v1", kSlice},
    {"sort_v1", kSort},
    {"sqrt_v1"},
    {.name = "sqrt_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"subtract_v1"},
    {.name = "tan_v1", .since = {1, 4, 0}},
    {.name = "tan_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"tanh_v1"},
    {.name = "tanh_v2", .attributes = kResultAccuracy, .since = {1, 10, 0}},
    {"torch_index_select_v1", kTorchIndexSelect},
    {"transpose_v1", kPermutation},
    {"triangular_solve_v1", kTriangularSolve},
    {"tuple_v1"},
    {"unary_einsum_v1", kEinsumConfig},
    {"uniform_dequantize_v1"},
    {"uniform_quantize_v1"},
    {"while_v1"},
    {"xor_v1"},
};
static_assert(std::ranges::is_sorted(kRules, std::less<>(), &OpRule::name));

}  // namespace

const OpRule* FindOpRule(std::string_view name) {
  const auto* rule = std::ranges::lower_bound(kRules, name, std::less<>(), &OpRule::name);
  return rule != std::end(kRules) && rule->name == name ? rule : nullptr;
}

const OpRule* NewestOpRule(std::string_view base, const ArtifactVersion& target) {
  for (const char* version : {"_v2", "_v1"}) {
    const OpRule* rule = FindOpRule(std::string(base) + version);
    if (rule != nullptr && rule->since <= target) return rule;
  }
  return nullptr;
}

}  // namespace treadle::stablehlo
