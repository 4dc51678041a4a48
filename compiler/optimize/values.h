// What the values of a module are in the graph: whole arrays, or the part of an array that a device holds, or both.
// Complex arrays are two of the graph's values (complex_math.h).
#ifndef TREADLE_COMPILER_OPTIMIZE_VALUES_H_
#define TREADLE_COMPILER_OPTIMIZE_VALUES_H_

#include <deque>
#include <utility>

#include "base/sharding.h"
#include "compiler/graph/graph.h"
#include "compiler/optimize/collectives.h"
#include "compiler/optimize/complex_math.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"

namespace treadle::compiler {

class Values {
 public:
  explicit Values(Collectives& collectives) : collectives_(collectives) {}

  // A part of an array of shape `whole` (complex: of its real and imaginary parts each).
  struct Tile {
    Complex value;
    Sharding sharding;
    Shape whole;
    int32_t location;
  };

  // To define `value` as a whole array. The reference stays valid.
  Complex& operator[](mlir::Value value) {
    tiles_.erase(value);
    return Slot(value);
  }
  void DefineTile(mlir::Value value, Tile is) {
    tiles_.insert_or_assign(value, std::move(is));
    whole_.erase(value);
  }
  // `to` is the same as `from`.
  void Bind(mlir::Value to, mlir::Value from) {
    auto tile = tiles_.find(from);
    if (tile == tiles_.end()) {
      const Complex whole = lookup(from);
      (*this)[to] = whole;
      return;
    }
    DefineTile(to, Tile(tile->second));
    if (whole_.contains(from)) Slot(to) = Complex(Slot(from));
  }

  // All of the array; where only parts are there they are put together, once.
  Complex lookup(mlir::Value value) {
    if (auto whole = whole_.find(value); whole != whole_.end()) return *whole->second;
    auto found = tiles_.find(value);
    if (found == tiles_.end()) return {};
    const Tile& tile = found->second;
    const auto join = [&](graph::ValueId part) {
      return part < 0 ? part : collectives_.Join(part, tile.sharding, tile.whole, tile.location);
    };
    return Slot(value) = {join(tile.value.re), join(tile.value.im)};
  }

  // The device's part, cut as `sharding` says.
  Complex Part(mlir::Value value, const Sharding& sharding, Collectives::Place place) {
    if (sharding.whole()) return lookup(value);
    if (const Tile* tile = TileOf(value); tile != nullptr && tile->sharding == sharding) return tile->value;
    const Complex whole = lookup(value);
    const auto cut = [&](graph::ValueId part) { return part < 0 ? part : collectives_.Cut(part, sharding, place); };
    return {cut(whole.re), cut(whole.im)};
  }

  // Null where the value is there as a whole only.
  const Tile* TileOf(mlir::Value value) const {
    auto tile = tiles_.find(value);
    return tile == tiles_.end() ? nullptr : &tile->second;
  }

 private:
  Complex& Slot(mlir::Value value) {
    Complex*& slot = whole_[value];
    if (slot == nullptr) slot = &storage_.emplace_back();
    return *slot;
  }

  Collectives& collectives_;
  std::deque<Complex> storage_;
  llvm::DenseMap<mlir::Value, Complex*> whole_;
  llvm::DenseMap<mlir::Value, Tile> tiles_;
};

}  // namespace treadle::compiler

#endif  // TREADLE_COMPILER_OPTIMIZE_VALUES_H_
