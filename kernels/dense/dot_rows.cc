#include "kernels/dense/dot_rows.h"

#include "kernels/dense/dot_isa.h"
#include "kernels/table.h"

namespace treadle::kernels::dense {

void AddDotRows(std::vector<KernelRow>& rows) {
  const IsaKernels &a = v2::kIsaKernels, &b = v3::kIsaKernels, &c = v4::kIsaKernels;
  auto add = [&](KernelRow pack, KernelRow gemm, KernelRow lanes, KernelRow fold) {
    rows.insert(rows.end(), {pack, gemm, lanes, fold});
  };
#define TREADLE_DOT_ROWS(type)                                                    \
  add({"dot_pack_rhs_" #type, a.type.pack_rhs, b.type.pack_rhs, c.type.pack_rhs}, \
      {"dot_gemm_" #type, a.type.gemm, b.type.gemm, c.type.gemm},                 \
      {"dot_lanes_" #type, a.type.lanes, b.type.lanes, c.type.lanes},             \
      {"dot_fold_" #type, a.type.fold, b.type.fold, c.type.fold})
  TREADLE_DOT_ROWS(f32);
  TREADLE_DOT_ROWS(f64);
  TREADLE_DOT_ROWS(i32);
  TREADLE_DOT_ROWS(i64);
#undef TREADLE_DOT_ROWS
  const PairKernels& pairs = v4_pairs::kPairKernels;
  rows.push_back({"dot_pack_rhs_bf16", nullptr, nullptr, pairs.bf16.pack_rhs, &executable::Target::avx512_bf16});
  rows.push_back({"dot_gemm_bf16", nullptr, nullptr, pairs.bf16.gemm, &executable::Target::avx512_bf16});
  rows.push_back({"dot_pack_rhs_i16", a.i16.pack_rhs, b.i16.pack_rhs, c.i16.pack_rhs});
  rows.push_back({"dot_gemm_i16", a.i16.gemm, b.i16.gemm, c.i16.gemm});
  rows.push_back(
      {"dot_pack_rhs_i16_vnni", nullptr, nullptr, pairs.i16_vnni.pack_rhs, &executable::Target::avx512_vnni});
  rows.push_back({"dot_gemm_i16_vnni", nullptr, nullptr, pairs.i16_vnni.gemm, &executable::Target::avx512_vnni});
}

}  // namespace treadle::kernels::dense
