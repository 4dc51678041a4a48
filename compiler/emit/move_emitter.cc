// Two-dimensional copies, and calls of other kernels.
#include "compiler/emit/function_emitter.h"

namespace treadle::emit {

void FunctionEmitter::EmitMove(plan::Id id) {
  const plan::Move& move = plan_.moves[plan_.node(id).imm];
  Place from = Locate(move.from);
  Place to = Locate(move.to);
  llvm::Value* strides[2][2];
  for (int axis = 0; axis < 2; ++axis) {
    strides[0][axis] = SizeOf(move.from_stride[axis]);
    strides[1][axis] = SizeOf(move.to_stride[axis]);
  }
  llvm::Type* bits = b_.getIntNTy(from.bytes * 8);
  For(I64(0), Scalar(move.extent[0]), I64(1), {}, [&](llvm::Value* row, const Parts&) {
    For(I64(0), Scalar(move.extent[1]), I64(1), {}, [&](llvm::Value* column, const Parts&) {
      auto at = [&](const Place& place, int which) {
        llvm::Value* index = b_.CreateAdd(b_.CreateMul(row, strides[which][0]), b_.CreateMul(column, strides[which][1]));
        return ElementPointer(place, index);
      };
      b_.CreateAlignedStore(LoadAt(from, bits, at(from, 0)), at(to, 1), llvm::Align(from.bytes));
      return Parts{};
    });
    return Parts{};
  });
}

void FunctionEmitter::EmitCall(plan::Id id) {
  Fail(Unimplemented("kernel '" + plan_.name + "': call of " + plan_.calls[plan_.node(id).imm].symbol));
}

}  // namespace treadle::emit
