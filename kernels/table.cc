#include "kernels/table.h"

#include <algorithm>
#include <vector>

#include "kernels/dense/dot_rows.h"
#include "kernels/fft/fft_table.h"
#include "kernels/linalg/linalg_table.h"
#include "kernels/sort/sort_table.h"

namespace treadle {
namespace {

// A new family of kernels adds its rows here.
std::vector<KernelRow> MakeTable() {
  std::vector<KernelRow> rows;
  kernels::dense::AddDotRows(rows);
  kernels::fft::AddFftRows(rows);
  kernels::linalg::AddLinalgRows(rows);
  kernels::sort::AddSortRows(rows);
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) { return a.symbol < b.symbol; });
  return rows;
}

}  // namespace

std::span<const KernelRow> KernelTable() {
  static const auto& table = *new std::vector<KernelRow>(MakeTable());
  return table;
}

TreadleKernel FindKernel(std::string_view symbol, const executable::Target& target) {
  std::span<const KernelRow> table = KernelTable();
  auto row = std::lower_bound(table.begin(), table.end(), symbol,
                              [](const KernelRow& row, std::string_view name) { return row.symbol < name; });
  if (row == table.end() || row->symbol != symbol) return nullptr;
  if (row->needs && !(target.*row->needs)) return nullptr;
  if (target.isa >= executable::IsaLevel::kV4 && row->v4) return row->v4;
  if (target.isa >= executable::IsaLevel::kV3 && row->v3) return row->v3;
  return row->v2;
}

}  // namespace treadle
