#include "kernels/dense/dot_rows.h"

#include <initializer_list>

#include "kernels/dense/dot_isa.h"
#include "kernels/table.h"

namespace treadle::kernels::dense {

void AddDotRows(std::vector<KernelRow>& rows) {
  const IsaKernels &a = v2::kIsaKernels, &b = v3::kIsaKernels, &c = v4::kIsaKernels;
  auto add = [&](std::initializer_list<KernelRow> family) { rows.insert(rows.end(), family); };
#define TREADLE_DOT_ROW(kernel, type) {"dot_" #kernel "_" #type, a.type.kernel, b.type.kernel, c.type.kernel}
#define TREADLE_DOT_ROWS(type)                                                                     \
  add({TREADLE_DOT_ROW(pack_rhs, type), TREADLE_DOT_ROW(gemm, type), TREADLE_DOT_ROW(lanes, type), \
       TREADLE_DOT_ROW(fold, type), TREADLE_DOT_ROW(channels, type), TREADLE_DOT_ROW(copy, type)})
  TREADLE_DOT_ROWS(f32);
  TREADLE_DOT_ROWS(f64);
  TREADLE_DOT_ROWS(i32);
  TREADLE_DOT_ROWS(i64);
#undef TREADLE_DOT_ROWS
#undef TREADLE_DOT_ROW
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
