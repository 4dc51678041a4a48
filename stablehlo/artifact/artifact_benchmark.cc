// Time to read an artifact, with a context at hand and with a new one, and of a context alone.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "stablehlo/artifact/artifact.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {
namespace {

std::string Load(const std::string& name) {
  std::ifstream file(TREADLE_TESTDATA "/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void BM_Context(benchmark::State& state) {
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<mlir::func::FuncDialect, mlir::quant::QuantDialect, StablehloDialect, sdy::SdyDialect>();
    benchmark::DoNotOptimize(&context);
  }
}
BENCHMARK(BM_Context)->Unit(benchmark::kMicrosecond);

void BM_Read(benchmark::State& state, const char* name) {
  const std::string bytes = Load(name);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (auto _ : state) {
    if (!ReadPortableArtifact(context, bytes)) state.SkipWithError("cannot be read");
  }
  state.SetBytesProcessed(state.iterations() * bytes.size());
}
BENCHMARK_CAPTURE(BM_Read, core, "core_1_16_0.mlirbc")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Read, core_0_9, "core_0_9_0.mlirbc")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Read, sharded, "sharded_1_13_0.mlirbc")->Unit(benchmark::kMicrosecond);

void BM_ContextAndRead(benchmark::State& state) {
  const std::string bytes = Load("core_1_16_0.mlirbc");
  for (auto _ : state) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    if (!ReadPortableArtifact(context, bytes)) state.SkipWithError("cannot be read");
  }
}
BENCHMARK(BM_ContextAndRead)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace treadle::stablehlo

BENCHMARK_MAIN();
