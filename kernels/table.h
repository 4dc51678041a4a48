// The kernels written by hand, by name. An executable names them (executable::Kernel with object -1), and emitted code
// may refer to them as symbols.
#ifndef TREADLE_KERNELS_TABLE_H_
#define TREADLE_KERNELS_TABLE_H_

#include <span>
#include <string_view>

#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle {

// One kernel: its function for each ISA level. A level without its own has null and takes that of the level below;
// where none is left the kernel does not exist for the target.
struct KernelRow {
  std::string_view symbol;
  TreadleKernel v2 = nullptr;
  TreadleKernel v3 = nullptr;
  TreadleKernel v4 = nullptr;
  bool executable::Target::* needs = nullptr;  // a feature beyond the level, if any
};

// The function for code made for `target`; null where the table has none. Thread-safe; a binary search.
TreadleKernel FindKernel(std::string_view symbol, const executable::Target& target);

// All rows, sorted by symbol.
std::span<const KernelRow> KernelTable();

}  // namespace treadle

#endif  // TREADLE_KERNELS_TABLE_H_
