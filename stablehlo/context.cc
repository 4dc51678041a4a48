#include "stablehlo/context.h"

#include <mutex>
#include <utility>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectRegistry.h"
#include "stablehlo/check/ops.h"
#include "stablehlo/chlo/ops.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/interpreter/ops.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {
namespace {

constexpr int kMostUses = 64;
constexpr size_t kMostIdle = 4;

struct Idle {
  std::unique_ptr<mlir::MLIRContext> context;
  int uses;
};

struct Pool {
  std::mutex mutex;
  std::vector<Idle> idle;

  static Pool& Get() {
    static Pool* pool = new Pool;  // lives until the process ends: threads may still compile
    return *pool;
  }
};

}  // namespace

std::unique_ptr<mlir::MLIRContext> MakeContext() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, StablehloDialect, chlo::ChloDialect,
                  check::CheckDialect, interpreter::InterpreterDialect, sdy::SdyDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

BorrowedContext::BorrowedContext() {
  Pool& pool = Pool::Get();
  {
    std::lock_guard lock(pool.mutex);
    if (!pool.idle.empty()) {
      context_ = std::move(pool.idle.back().context);
      uses_ = pool.idle.back().uses;
      pool.idle.pop_back();
    }
  }
  if (context_ == nullptr) context_ = MakeContext();
}

BorrowedContext::~BorrowedContext() {
  if (++uses_ >= kMostUses) return;
  Pool& pool = Pool::Get();
  std::lock_guard lock(pool.mutex);
  if (pool.idle.size() < kMostIdle) pool.idle.push_back({std::move(context_), uses_});
}

}  // namespace treadle::stablehlo
