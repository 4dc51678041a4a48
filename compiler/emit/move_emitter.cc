// Two-dimensional copies, and calls of other kernels.
#include <algorithm>

#include "compiler/emit/function_emitter.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace treadle::emit {

using plan::Id;

namespace {

bool IsOne(plan::Size size) { return size == plan::Size{-1, 1}; }

// N vectors of N elements, transposed: rows that are half of all apart are interleaved, log2(N) times.
Parts Transpose(llvm::IRBuilderBase& b, Parts rows) {
  int n = static_cast<int>(rows.size());
  llvm::SmallVector<int, 32> low, high;
  for (int k = 0; k < n; ++k) {
    low.push_back(k / 2 + (k % 2) * n);
    high.push_back(n / 2 + k / 2 + (k % 2) * n);
  }
  for (int stage = 1; stage < n; stage *= 2) {
    Parts next;
    for (int i = 0; i < n / 2; ++i) {
      next.push_back(b.CreateShuffleVector(rows[i], rows[i + n / 2], low));
      next.push_back(b.CreateShuffleVector(rows[i], rows[i + n / 2], high));
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

// Elements r in [0, rows), c in [first, columns), one at a time.
void FunctionEmitter::MoveElements(const MoveEnds& ends, llvm::Value* first_row, llvm::Value* first_column) {
  For(first_row, ends.rows, I64(1), {}, [&](llvm::Value* row, const Parts&) {
    For(first_column, ends.columns, I64(1), {}, [&](llvm::Value* column, const Parts&) {
      llvm::Value* element = LoadAt(ends.from, ends.from.type, MovePointer(ends, 0, row, column));
      b_.CreateAlignedStore(element, MovePointer(ends, 1, row, column), llvm::Align(ends.to.bytes));
      return Parts{};
    });
    return Parts{};
  });
}

llvm::Value* FunctionEmitter::MovePointer(const MoveEnds& ends, int side, llvm::Value* row, llvm::Value* column) {
  llvm::Value* const* stride = ends.stride[side];
  llvm::Value* index = b_.CreateAdd(b_.CreateMul(row, stride[0]), b_.CreateMul(column, stride[1]));
  return ElementPointer(side == 0 ? ends.from : ends.to, index);
}

// Rows that are dense on both sides: vectors, then single elements. `stream`: past the caches; every row of the
// destination starts at a whole vector.
void FunctionEmitter::MoveRows(const MoveEnds& ends, bool stream) {
  int lanes = options_.target.vector_bytes() / ends.from.bytes;
  llvm::Type* vector = llvm::FixedVectorType::get(ends.from.type, lanes);
  For(I64(0), ends.rows, I64(1), {}, [&](llvm::Value* row, const Parts&) {
    llvm::Value* end = b_.CreateSub(ends.columns, I64(lanes - 1));
    Parts rest = For(I64(0), end, I64(lanes), {I64(0)}, [&](llvm::Value* column, const Parts&) {
      llvm::Value* part = LoadAt(ends.from, vector, MovePointer(ends, 0, row, column));
      int alignment = stream ? options_.target.vector_bytes() : ends.to.bytes;
      llvm::StoreInst* store = b_.CreateAlignedStore(part, MovePointer(ends, 1, row, column), llvm::Align(alignment));
      if (stream) {
        llvm::Metadata* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
        store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b_.getContext(), {one}));
      }
      return Parts{b_.CreateAdd(column, I64(lanes))};
    });
    For(rest[0], ends.columns, I64(1), {}, [&](llvm::Value* column, const Parts&) {
      llvm::Value* element = LoadAt(ends.from, ends.from.type, MovePointer(ends, 0, row, column));
      b_.CreateAlignedStore(element, MovePointer(ends, 1, row, column), llvm::Align(ends.to.bytes));
      return Parts{};
    });
    return Parts{};
  });
}

// Streams where the plan asks for it and the destination's rows happen to be aligned.
void FunctionEmitter::MoveRowsOrStream(const MoveEnds& ends, bool stream) {
  if (!stream) return MoveRows(ends, false);
  llvm::Value* start = b_.CreatePtrToInt(ends.to.pointer, b_.getInt64Ty());
  llvm::Value* pitch = b_.CreateMul(ends.stride[1][0], I64(ends.to.bytes));
  llvm::Value* low_bits = b_.CreateAnd(b_.CreateOr(start, pitch), I64(options_.target.vector_bytes() - 1));
  auto move = [&](bool streamed) {
    MoveRows(ends, streamed);
    // Streamed stores are ordered with nothing else: make them visible before this kernel says that it is done.
    if (streamed) b_.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module_, llvm::Intrinsic::x86_sse_sfence));
    return Parts{};
  };
  If(b_.CreateIsNull(low_bits), [&] { return move(true); }, [&] { return move(false); });
}

// Rows dense on one side, columns on the other: square blocks in registers, then what is left below and beside them. A
// source row's piece is read whole before the next ones: rows that are a power of two apart share cache sets.
void FunctionEmitter::MoveTransposed(const MoveEnds& ends, bool rows_dense_in_source) {
  int lanes = std::min(options_.target.vector_bytes() / ends.from.bytes, 16);
  llvm::Type* vector = llvm::FixedVectorType::get(ends.from.type, lanes);
  auto whole = [&](llvm::Value* extent) { return b_.CreateAnd(extent, I64(-lanes)); };
  llvm::Value* rows = whole(ends.rows);
  llvm::Value* columns = whole(ends.columns);
  auto block_at = [&](llvm::Value* row, llvm::Value* column) {
    auto at = [&](int side, int k) {
      bool along_rows = (side == 0) == rows_dense_in_source;  // vector k is row k of the block there, else column k
      return along_rows ? MovePointer(ends, side, b_.CreateAdd(row, I64(k)), column)
                        : MovePointer(ends, side, row, b_.CreateAdd(column, I64(k)));
    };
    Parts block;
    for (int k = 0; k < lanes; ++k) block.push_back(LoadAt(ends.from, vector, at(0, k)));
    block = Transpose(b_, std::move(block));
    for (int k = 0; k < lanes; ++k) b_.CreateAlignedStore(block[k], at(1, k), llvm::Align(ends.to.bytes));
  };
  llvm::Value* outer = rows_dense_in_source ? rows : columns;
  llvm::Value* inner = rows_dense_in_source ? columns : rows;
  For(I64(0), outer, I64(lanes), {}, [&](llvm::Value* i, const Parts&) {
    For(I64(0), inner, I64(lanes), {}, [&](llvm::Value* j, const Parts&) {
      rows_dense_in_source ? block_at(i, j) : block_at(j, i);
      return Parts{};
    });
    return Parts{};
  });
  MoveEnds beside = ends;
  beside.rows = rows;
  MoveElements(beside, I64(0), columns);
  MoveElements(ends, rows, I64(0));
}

void FunctionEmitter::EmitMove(Id id) {
  const plan::Move& move = plan_.moves[plan_.node(id).imm];
  MoveEnds ends;
  ends.from = Locate(move.from);
  ends.to = Locate(move.to);
  llvm::Type* bits = b_.getIntNTy(ends.from.bytes * 8);  // integers, so that every bit survives
  ends.from.type = ends.to.type = bits;
  for (int axis = 0; axis < 2; ++axis) {
    ends.stride[0][axis] = SizeOf(move.from_stride[axis]);
    ends.stride[1][axis] = SizeOf(move.to_stride[axis]);
  }
  ends.rows = Scalar(move.extent[0]);
  ends.columns = Scalar(move.extent[1]);
  if (IsOne(move.from_stride[1]) && IsOne(move.to_stride[1])) return MoveRowsOrStream(ends, move.stream);
  if (IsOne(move.from_stride[0]) && IsOne(move.to_stride[0])) {
    std::swap(ends.rows, ends.columns);
    for (auto& stride : ends.stride) std::swap(stride[0], stride[1]);
    return MoveRowsOrStream(ends, move.stream);
  }
  if (!quick() && IsOne(move.from_stride[1]) && IsOne(move.to_stride[0])) return MoveTransposed(ends, true);
  if (!quick() && IsOne(move.from_stride[0]) && IsOne(move.to_stride[1])) return MoveTransposed(ends, false);
  MoveElements(ends, I64(0), I64(0));
}

// A frame on the stack; an error of the kernel is this kernel's.
void FunctionEmitter::EmitCall(Id id) {
  const plan::Node& node = plan_.node(id);
  const plan::Call& call = plan_.calls[node.imm];
  if (lanes_.width != 0)
    return Fail(Internal("kernel '" + plan_.name + "': a call of " + call.symbol + " inside lanes"));
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Type* i64 = b_.getInt64Ty();
  llvm::Value* buffers = StackArray(pointer, std::max<int64_t>(1, call.buffers.size()));
  llvm::Value* args = StackArray(i64, std::max<int64_t>(1, node.args.count));
  llvm::Value* frame = StackArray(i64, sizeof(TreadleCallFrame) / 8);
  for (size_t k = 0; k < call.buffers.size(); ++k) {
    b_.CreateStore(Locate(call.buffers[k]).pointer, b_.CreateConstGEP1_64(pointer, buffers, k));
  }
  for (uint32_t k = 0; k < node.args.count; ++k) {
    Value& value = values_[plan_.arg(id, static_cast<int>(k))];
    llvm::Value* bits = ToMemory(value, false)[0];
    bits = b_.CreateBitCast(bits, b_.getIntNTy(bits->getType()->getScalarSizeInBits()));
    bits = IsSigned(value.elt) ? b_.CreateSExt(bits, i64) : b_.CreateZExt(bits, i64);
    b_.CreateStore(bits, b_.CreateConstGEP1_64(i64, args, k));
  }
  llvm::Value* null = llvm::ConstantPointerNull::get(b_.getPtrTy());
  llvm::Value* fields[] = {buffers, args, null, null, null, I64(0), I64(1)};
  for (int k = 0; k < 7; ++k) b_.CreateStore(fields[k], b_.CreateConstGEP1_64(i64, frame, k));

  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {pointer}, false);
  llvm::Value* code = b_.CreateCall(module_.getOrInsertFunction(call.symbol, type), {frame});
  llvm::BasicBlock* failed = llvm::BasicBlock::Create(b_.getContext(), "", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "", function_);
  b_.CreateCondBr(b_.CreateIsNotNull(code), failed, next);
  b_.SetInsertPoint(failed);
  b_.CreateRet(code);
  b_.SetInsertPoint(next);
}

}  // namespace treadle::emit
