// What the emitter costs and what its code reaches: compile time at both tiers, time an element from cache and from
// memory. Times are CPU time of one thread, best of several: on a busy machine read ratios.
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/plan/builder.h"
#include "compiler/plan/evaluate.h"
#include "compiler/plan/identity.h"
#include "runtime/link/link.h"

namespace treadle {
namespace {

using plan::Access;
using plan::Builder;
using plan::Id;
using plan::Op;
using plan::Role;

constexpr ElementType kF32 = ElementType::kF32;
constexpr int64_t kTile = 8192;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Id F32(Builder& b, float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return b.Const(kF32, bits);
}

Access At(uint16_t buffer, Id index) { return {buffer, {}, {{index, {-1, 1}}}}; }

// A map over x, y to z; `body` makes the value.
template <class Body>
plan::Plan Map(std::string name, int unroll, Body body) {
  Builder b(std::move(name));
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(kF32, Role::kIn), y = b.AddBuffer(kF32, Role::kIn), z = b.AddBuffer(kF32, Role::kOut);
  Id tile = b.BeginPhase();
  Id lo = b.Mul(tile, b.ConstI64(kTile)), hi = b.Min(b.Add(lo, b.ConstI64(kTile)), b.Push(n));
  Id i = b.BeginLanes(lo, hi, unroll);
  b.Store(At(z, i), body(b, [&] { return b.Load(At(x, i)); }, [&] { return b.Load(At(y, i)); }));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

plan::Plan AddOne() {
  return Map("x + 1", 4, [](Builder& b, auto x, auto) { return b.Add(x(), F32(b, 1)); });
}

plan::Plan TwelveOps() {
  return Map("12 ops and exp", 4, [](Builder& b, auto x, auto y) {
    Id a = x(), c = y();
    Id s = b.Add(b.Mul(a, F32(b, 0.5f)), c), d = b.Sub(a, b.Mul(c, F32(b, 0.25f)));
    Id t = b.Add(b.Mul(s, d), b.Unary(Op::kAbs, a));
    Id u = b.Add(b.Mul(t, F32(b, 1.5f)), b.Mul(s, s));
    return b.Add(b.Mul(b.Unary(Op::kExp, b.Unary(Op::kNeg, b.Unary(Op::kAbs, d))), u), t);
  });
}

plan::Plan ThreeExps() {
  return Map("tanh(x) * logistic(y) + exp(-x*x)", 4, [](Builder& b, auto x, auto y) {
    Id a = x();
    Id product = b.Mul(b.Unary(Op::kTanh, a), b.Unary(Op::kLogistic, y()));
    return b.Add(product, b.Unary(Op::kExp, b.Unary(Op::kNeg, b.Mul(a, a))));
  });
}

// z[i] = x[(int)(y[i]^2 * 1000) % 4096]: an index made in the loop.
plan::Plan Gather() {
  Builder b("gather");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(kF32, Role::kIn), y = b.AddBuffer(kF32, Role::kIn), z = b.AddBuffer(kF32, Role::kOut);
  Id tile = b.BeginPhase();
  Id lo = b.Mul(tile, b.ConstI64(kTile)), hi = b.Min(b.Add(lo, b.ConstI64(kTile)), b.Push(n));
  Id i = b.BeginLanes(lo, hi, 2);
  Id v = b.Load(At(y, i));
  Id k = b.Convert(ElementType::kI32, b.Mul(b.Mul(v, v), F32(b, 1000)));
  k = b.Convert(ElementType::kI64, b.Binary(Op::kAnd, k, b.Const(ElementType::kI32, 4095)));
  k = b.Max(b.Min(k, b.ConstI64(4095)), b.ConstI64(0));
  b.Store(At(z, i), b.Load(At(x, k)));
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

plan::Plan BlackScholes() {
  return Map("Black-Scholes", 2, [](Builder& b, auto x, auto y) {
    Id spot = x(), t = y(), strike = F32(b, 1.25f);
    auto cdf = [&](Id v) {
      Id erf = b.Unary(Op::kErf, b.Div(v, F32(b, 1.41421354f)));
      return b.Mul(F32(b, 0.5f), b.Add(F32(b, 1), erf));
    };
    Id volatility = b.Mul(F32(b, 0.3f), b.Unary(Op::kSqrt, b.Unary(Op::kAbs, t)));
    Id log = b.Unary(Op::kLog, b.Div(b.Unary(Op::kAbs, spot), strike));
    Id d1 = b.Div(b.Add(log, b.Mul(F32(b, 0.065f), t)), volatility), d2 = b.Sub(d1, volatility);
    Id discount = b.Mul(strike, b.Unary(Op::kExp, b.Mul(F32(b, -0.02f), t)));
    return b.Sub(b.Mul(spot, cdf(d1)), b.Mul(discount, cdf(d2)));
  });
}

// Rows of `columns`; a tile is kTile / columns rows.
constexpr int64_t kColumns = 1024;
plan::Plan Softmax() {
  Builder b("softmax of rows");
  int n = b.AddPush(ElementType::kI64);
  uint16_t x = b.AddBuffer(kF32, Role::kIn), unused = b.AddBuffer(kF32, Role::kIn), z = b.AddBuffer(kF32, Role::kOut);
  (void)unused;
  uint16_t e = b.AddBuffer(kF32, Role::kLocal, {-1, kColumns});
  Id tile = b.BeginPhase();
  Id rows = b.ConstI64(kTile / kColumns), lo = b.Mul(tile, rows);
  Id hi = b.Min(b.Add(lo, rows), b.Div(b.Push(n), b.ConstI64(kColumns)));
  Id zero = b.ConstI64(0), columns = b.ConstI64(kColumns);
  Id r = b.BeginFor(lo, hi);
  auto row = [&](uint16_t buffer, Id j) { return Access{buffer, {}, {{r, {-1, kColumns}}, {j, {-1, 1}}}}; };
  auto reduce = [&](Op op, float init, auto body) {
    Id start = F32(b, init);
    Id j = b.BeginReduce(plan::LoopKind::kLanes, plan::Tree::kLanes, zero, columns, {&start, 1}, 4);
    b.Yield({body(j)});
    b.BeginCombine();
    b.Yield({b.Binary(op, b.Carry(0), b.NewValue(0))});
    return b.EndLoop()[0];
  };
  Id most = reduce(Op::kMax, -INFINITY, [&](Id j) { return b.Load(row(x, j)); });
  Id sum = reduce(Op::kAdd, 0, [&](Id j) {
    Id v = b.Unary(Op::kExp, b.Sub(b.Load(row(x, j)), most));
    b.Store(At(e, j), v);
    return v;
  });
  Id j = b.BeginLanes(zero, columns, 4);
  b.Store(row(z, j), b.Div(b.Load(At(e, j)), sum));
  b.EndLoop();
  b.EndLoop();
  b.EndPhase();
  return b.Finish();
}

double CompileSeconds(const plan::Plan& plan, const executable::Target& target, emit::Tier tier, std::string* object) {
  const plan::Plan* plans[] = {&plan};
  double best = 1e9;
  for (int k = 0; k < 12; ++k) {
    double start = CpuSeconds();
    StatusOr<std::string> made = emit::EmitPlans(plans, {.target = target, .tier = tier});
    best = std::min(best, CpuSeconds() - start);
    if (!made.ok()) {
      std::fprintf(stderr, "%s: %s\n", plan.name.c_str(), made.status().ToString().c_str());
      std::exit(1);
    }
    *object = *std::move(made);
  }
  return best;
}

double SecondsAnElement(TreadleKernel kernel, int64_t n) {
  std::vector<float> x(n), y(n), z(n), local(2 * kColumns);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 977) / 300.0f - 1.5f;
    y[i] = static_cast<float>(i % 613) / 200.0f - 1.5f;
  }
  void* buffers[] = {x.data(), y.data(), z.data()};
  uint64_t args[] = {static_cast<uint64_t>(n)};
  TreadleCallFrame frame = {buffers, args, local.data(), nullptr, nullptr, 0, (n + kTile - 1) / kTile};
  plan::FlushDenormals flush;
  int repeats = static_cast<int>(std::max<int64_t>(1, (int64_t{1} << 22) / n));
  double best = 1e9;
  for (int k = 0; k < 15; ++k) {
    double start = CpuSeconds();
    for (int r = 0; r < repeats; ++r) kernel(&frame);
    best = std::min(best, (CpuSeconds() - start) / static_cast<double>(repeats) / static_cast<double>(n));
  }
  return best;
}

std::vector<plan::Plan> Plans() { return {AddOne(), TwelveOps(), ThreeExps(), BlackScholes(), Softmax(), Gather()}; }

// The code of the kernels whose names contain `name`.
int PrintAssembly(const std::string& name) {
  StatusOr<executable::Target> host = executable::HostTarget();
  if (!host.ok()) return 1;
  for (const plan::Plan& plan : Plans()) {
    if (plan.name.find(name) == std::string::npos) continue;
    const plan::Plan* plans[] = {&plan};
    StatusOr<std::string> text = emit::EmitPlans(plans, {.target = *host, .output = emit::Output::kAssembly});
    std::printf("%s\n", text.ok() ? text->c_str() : text.status().ToString().c_str());
  }
  return 0;
}

int Run() {
  StatusOr<executable::Target> host = executable::HostTarget();
  if (!host.ok()) return 1;
  emit::WarmUp(*host);
  std::printf("target %s\n%-36s %10s %10s %8s | %14s %14s\n", host->Key().c_str(), "kernel", "quick ms", "full ms",
              "bytes", "ns/el, 4 Ki", "ns/el, 8 Mi");
  for (const plan::Plan& plan : Plans()) {
    std::string quick, full;
    double quick_seconds = CompileSeconds(plan, *host, emit::Tier::kQuick, &quick);
    double full_seconds = CompileSeconds(plan, *host, emit::Tier::kFull, &full);
    std::string symbols[] = {plan::KernelSymbol(plan, *host, 0)};
    auto kernels = link::LinkObject({full}, symbols, *host);
    if (!kernels.ok()) {
      std::fprintf(stderr, "%s\n", kernels.status().ToString().c_str());
      return 1;
    }
    std::printf("%-36s %10.2f %10.2f %8zu | %14.3f %14.3f\n", plan.name.c_str(), quick_seconds * 1e3,
                full_seconds * 1e3, full.size(), SecondsAnElement((*kernels)[0]->code(), 4096) * 1e9,
                SecondsAnElement((*kernels)[0]->code(), int64_t{8} << 20) * 1e9);
  }
  return 0;
}

}  // namespace
}  // namespace treadle

int main(int argc, char** argv) { return argc > 1 ? treadle::PrintAssembly(argv[1]) : treadle::Run(); }
