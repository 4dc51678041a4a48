// What plans of the schedules reach: graphs like those of common JAX programs, grouped, scheduled, emitted and run tile
// by tile on one thread. CPU time, best of several: on a busy machine read ratios. `schedule_benchmark NAME` prints the
// plans of programs whose names contain NAME.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/group.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/print.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/testing/program.h"
#include "runtime/link/link.h"

namespace treadle {
namespace {

using graph::OpCode;
using graph::ValueId;
using plan::testing::Program;

constexpr ElementType kF32 = ElementType::kF32;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Case {
  std::string name;
  std::function<void(Program&)> build;
};

ValueId Mean(Program& p, ValueId x, int64_t n, int64_t c) {
  ValueId sum = p.Reshape(p.Reduce(OpCode::kAdd, x, 0, {1}), {n, 1});
  return p.Broadcast(p.Binary(OpCode::kDivide, sum, p.Splat({kF32, {n, 1}}, static_cast<double>(c))), {0, 1}, {n, c});
}

void Softmax(Program& p, int64_t n, int64_t c) {
  ValueId x = p.Argument({kF32, {n, c}});
  ValueId e =
      p.Unary(OpCode::kExponential,
              p.Binary(OpCode::kSubtract, x, p.Broadcast(p.Reduce(OpCode::kMaximum, x, -INFINITY, {1}), {0}, {n, c})));
  p.Return({p.Binary(OpCode::kDivide, e, p.Broadcast(p.Reduce(OpCode::kAdd, e, 0, {1}), {0}, {n, c}))});
}

void LayerNorm(Program& p, int64_t n, int64_t c) {
  ValueId x = p.Argument({kF32, {n, c}}), gain = p.Argument({kF32, {c}}), bias = p.Argument({kF32, {c}});
  ValueId d = p.Binary(OpCode::kSubtract, x, Mean(p, x, n, c));
  ValueId v = Mean(p, p.Binary(OpCode::kMultiply, d, d), n, c);
  ValueId r = p.Unary(OpCode::kRsqrt, p.Binary(OpCode::kAdd, v, p.Splat({kF32, {n, c}}, 1e-5)));
  ValueId y = p.Binary(OpCode::kMultiply, p.Binary(OpCode::kMultiply, d, r), p.Broadcast(gain, {1}, {n, c}));
  p.Return({p.Binary(OpCode::kAdd, y, p.Broadcast(bias, {1}, {n, c}))});
}

void Chain(Program& p, int64_t n) {
  ValueId x = p.Argument({kF32, {n}}), y = p.Argument({kF32, {n}});
  ValueId z = p.Binary(OpCode::kMultiply, p.Unary(OpCode::kTanh, x), p.Unary(OpCode::kLogistic, y));
  p.Return({p.Binary(OpCode::kAdd, z,
                     p.Unary(OpCode::kExponential, p.Binary(OpCode::kMultiply, p.Unary(OpCode::kNegate, x), x)))});
}

void BlackScholes(Program& p, int64_t n) {
  Shape shape{kF32, {n}};
  auto c = [&](double value) { return p.Splat(shape, value); };
  auto op = [&](OpCode code, ValueId x, ValueId y) { return p.Binary(code, x, y); };
  ValueId s = p.Argument(shape), k = p.Argument(shape), t = p.Argument(shape);
  ValueId root = p.Unary(OpCode::kSqrt, t);
  ValueId d1 = op(OpCode::kDivide,
                  op(OpCode::kAdd, p.Unary(OpCode::kLog, op(OpCode::kDivide, s, k)), op(OpCode::kMultiply, t, c(.065))),
                  op(OpCode::kMultiply, root, c(.3)));
  ValueId d2 = op(OpCode::kSubtract, d1, op(OpCode::kMultiply, root, c(.3)));
  auto cdf = [&](ValueId x) {
    return op(OpCode::kMultiply, op(OpCode::kAdd, p.Unary(OpCode::kErf, op(OpCode::kDivide, x, c(std::sqrt(2)))), c(1)),
              c(.5));
  };
  ValueId discount = p.Unary(OpCode::kExponential, op(OpCode::kMultiply, t, c(-.02)));
  p.Return({op(OpCode::kSubtract, op(OpCode::kMultiply, s, cdf(d1)),
               op(OpCode::kMultiply, op(OpCode::kMultiply, k, discount), cdf(d2)))});
}

void BiasAdd(Program& p, int64_t n, int64_t c) {
  ValueId x = p.Argument({kF32, {n, c}}), b = p.Argument({kF32, {c}});
  p.Return(
      {p.Binary(OpCode::kMaximum, p.Binary(OpCode::kAdd, x, p.Broadcast(b, {1}, {n, c})), p.Splat({kF32, {n, c}}, 0))});
}

void Sum(Program& p, std::vector<int64_t> dims, std::vector<int64_t> reduced) {
  p.Return({p.Reduce(OpCode::kAdd, p.Argument({kF32, std::move(dims)}), 0, std::move(reduced))});
}

void Pad(Program& p) {
  ValueId x = p.Argument({kF32, {32, 56, 56, 64}});
  p.Return({p.Add(OpCode::kPad, {x, p.Splat({kF32, {}}, 0)}, {kF32, {32, 58, 58, 64}},
                  {.low = {0, 1, 1, 0}, .high = {0, 1, 1, 0}, .interior = {0, 0, 0, 0}})});
}

std::vector<Case> Cases() {
  return {
      {"chain 1e7", [](Program& p) { Chain(p, 10'000'000); }},
      {"black-scholes 1e6", [](Program& p) { BlackScholes(p, 1'000'000); }},
      {"sum all 1e7", [](Program& p) { Sum(p, {10'000'000}, {0}); }},
      {"sum axis 0, 4096^2", [](Program& p) { Sum(p, {4096, 4096}, {0}); }},
      {"sum axis 1, 4096^2", [](Program& p) { Sum(p, {4096, 4096}, {1}); }},
      {"sum axis 1, 1e6x10", [](Program& p) { Sum(p, {1'000'000, 10}, {1}); }},
      {"sum axis 0, 1e6x10", [](Program& p) { Sum(p, {1'000'000, 10}, {0}); }},
      {"sum axes 0 2 3, 32x64x56x56", [](Program& p) { Sum(p, {32, 64, 56, 56}, {0, 2, 3}); }},
      {"softmax 4096x1024", [](Program& p) { Softmax(p, 4096, 1024); }},
      {"softmax 100000x10", [](Program& p) { Softmax(p, 100'000, 10); }},
      {"softmax 128x10", [](Program& p) { Softmax(p, 128, 10); }},
      {"layer norm 4096x768", [](Program& p) { LayerNorm(p, 4096, 768); }},
      {"argmax 4096x1000", [](Program& p) { p.Return({p.ArgBest(true, p.Argument({kF32, {4096, 1000}}))[1]}); }},
      {"bias, relu 100000x100", [](Program& p) { BiasAdd(p, 100'000, 100); }},
      {"bias, relu 1000000x3", [](Program& p) { BiasAdd(p, 1'000'000, 3); }},
      {"transpose 4096^2", [](Program& p) { p.Return({p.Transpose(p.Argument({kF32, {4096, 4096}}), {1, 0})}); }},
      {"NHWC to NCHW 32x56x56x64",
       [](Program& p) { p.Return({p.Transpose(p.Argument({kF32, {32, 56, 56, 64}}), {0, 3, 1, 2})}); }},
      {"pad 32x56x56x64", Pad},
  };
}

struct Loaded {
  plan::Group group;
  plan::Instance instance;
  std::vector<TreadleKernel> kernels;
};

int Fail(const Case& c, const Status& status) {
  std::fprintf(stderr, "%s: %s\n", c.name.c_str(), status.ToString().c_str());
  return 1;
}

int RunCase(const Case& c, const executable::Target& target, bool print) {
  Program p;
  c.build(p);
  auto groups = plan::GroupRegion(p.graph(), 0, target);
  if (!groups.ok()) return Fail(c, groups.status());
  std::vector<Loaded> loaded;
  double compile = 0;
  for (plan::Group& group : *groups) {
    auto instance = plan::ScheduleGroup(p.graph(), group, target);
    if (!instance.ok()) return Fail(c, instance.status());
    if (print) std::printf("%s\n", plan::Print(instance->plan).c_str());
    const plan::Plan* plans[] = {&instance->plan};
    StatusOr<std::string> object = Internal("not emitted");
    double least = 1e9;
    for (int repeat = 0; repeat < 4; ++repeat) {
      double start = CpuSeconds();
      object = emit::EmitPlans(plans, {.target = target});
      least = std::min(least, CpuSeconds() - start);
    }
    compile += least;
    if (!object.ok()) return Fail(c, object.status());
    const std::vector<std::string> symbols = plan::KernelSymbols(instance->plan, target);
    auto kernels = link::LinkObject({*object}, symbols, target);
    if (!kernels.ok()) return Fail(c, kernels.status());
    std::vector<TreadleKernel> code;
    for (const link::LinkedKernel* kernel : *kernels) code.push_back(kernel->code());
    loaded.push_back({std::move(group), *std::move(instance), std::move(code)});
  }
  if (print) return 0;
  std::map<ValueId, std::vector<float>> memory;
  auto at = [&](ValueId value) -> void* {
    auto [found, added] = memory.try_emplace(value);
    if (added) {
      found->second.resize(p.graph().shape(value).elements() + 16);
      for (size_t i = 0; i < found->second.size(); ++i) found->second[i] = static_cast<float>(i % 977) / 300.0f + 0.1f;
    }
    return found->second.data();
  };
  plan::FlushDenormals flush;
  double best = 1e9, estimate = 0;
  for (int repeat = 0; repeat < 9; ++repeat) {
    double total = 0;
    estimate = 0;
    for (const Loaded& step : loaded) {
      std::vector<void*> buffers;
      for (ValueId value : step.group.inputs) buffers.push_back(at(value));
      for (ValueId value : step.group.outputs) buffers.push_back(at(value));
      std::vector<char> local(LocalBytes(step.instance.plan, step.instance.args) + 64),
          scratch(ScratchBytes(step.instance.plan, step.instance.args) + 64);
      auto aligned = [](std::vector<char>& bytes) {
        return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(bytes.data()) + 63) / 64 * 64);
      };
      TreadleCallFrame frame{
          buffers.data(), step.instance.args.data(), aligned(local), aligned(scratch), nullptr, 0, 0};
      double start = CpuSeconds();
      for (size_t phase = 0; phase < step.kernels.size(); ++phase) {
        frame.tile_end = step.instance.tiles[phase];
        step.kernels[phase](&frame);
        estimate += static_cast<double>(step.instance.costs[phase].ns);
      }
      total += CpuSeconds() - start;
    }
    best = std::min(best, total);
  }
  int64_t tiles = 0;
  for (const Loaded& step : loaded) {
    for (int64_t count : step.instance.tiles) tiles += count;
  }
  std::printf("%-30s %8zu %8.1f %10.3f %10.3f %8lld\n", c.name.c_str(), loaded.size(), compile * 1e3, best * 1e3,
              estimate / 1e6, static_cast<long long>(tiles));
  return 0;
}

}  // namespace
}  // namespace treadle

int main(int argc, char** argv) {
  auto target = treadle::executable::HostTarget();
  if (!target.ok()) return 1;
  treadle::emit::WarmUp(*target);
  if (argc < 2)
    std::printf("%-30s %8s %8s %10s %10s %8s\n", "program", "kernels", "emit ms", "run ms", "estimate", "tiles");
  int failed = 0;
  for (const auto& c : treadle::Cases()) {
    if (argc < 2 || c.name.find(argv[1]) != std::string::npos) failed |= treadle::RunCase(c, *target, argc > 1);
  }
  return failed;
}
