// Convolutions of common networks, forward and both gradients as JAX writes them, against the machine's own peak of
// multiply-adds. Flops: those that meet elements of the image or its padding, not zeros between elements.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "benchmarks/dense_runner.h"
#include "kernels/dense/conv.h"

namespace treadle::benchmarks {
namespace {

using kernels::dense::ConvDim;
using kernels::dense::ConvShape;
using kernels::dense::DotPlan;

// Square images and kernels, channels last, padded to keep places (SAME) unless `transposed`.
struct Layer {
  int64_t batch, size, in, out, window, stride = 1, dilation = 1;
  bool depthwise = false;
  bool channels_first = false;
  int64_t transposed = 1;  // lhs dilation

  int64_t reach() const { return (window - 1) * dilation + 1; }
  int64_t dilated() const { return (size - 1) * transposed + 1; }
  int64_t output() const { return transposed > 1 ? size * transposed : (size + stride - 1) / stride; }
  int64_t padding() const { return std::max<int64_t>((output() - 1) * stride + reach() - dilated(), 0); }
  int64_t groups() const { return depthwise ? in : 1; }
  int64_t Elements() const { return batch * size * size * in; }
  int64_t KernelElements() const { return window * window * in / groups() * out; }
  int64_t OutElements() const { return batch * output() * output() * out; }
  double Flops() const {
    return 2.0 * static_cast<double>(OutElements() * window * window * in / groups()) /
           static_cast<double>(transposed * transposed);
  }
};

// Strides of an image's dimensions: batch, rows, columns, channels.
struct Strides {
  int64_t batch, row, column, channel;
};
Strides ImageStrides(int64_t size, int64_t channels, bool channels_first) {
  if (channels_first) return {size * size * channels, size, 1, size * size};
  return {size * size * channels, size * channels, channels, 1};
}
// batch: input features; channel: output features.
Strides KernelStrides(int64_t window, int64_t in, int64_t out, bool channels_first) {
  if (channels_first) return {window * window, window, 1, window * window * in};
  return {out, window * in * out, in * out, 1};
}

ConvShape Shape(const Strides& x, const Strides& w, const Strides& y, int64_t batch, int64_t in, int64_t out,
                int64_t groups, const ConvDim& dim) {
  ConvShape shape;
  shape.batch = {.size = batch, .lhs = x.batch, .out = y.batch};
  shape.in_features = {.size = in / groups, .lhs = x.channel, .rhs = w.batch};
  shape.out_features = {.size = out / groups, .rhs = w.channel, .out = y.channel};
  shape.groups = {
      .size = groups, .lhs = in / groups * x.channel, .rhs = out / groups * w.channel, .out = out / groups * y.channel};
  ConvDim rows = dim, columns = dim;
  rows.lhs = x.row, rows.rhs = w.row, rows.out = y.row;
  columns.lhs = x.column, columns.rhs = w.column, columns.out = y.column;
  shape.spatial = {rows, columns};
  return shape;
}

ConvShape Forward(const Layer& l) {
  return Shape(ImageStrides(l.size, l.in, l.channels_first),
               KernelStrides(l.window, l.in / l.groups(), l.out, l.channels_first),
               ImageStrides(l.output(), l.out, l.channels_first), l.batch, l.in, l.out, l.groups(),
               {.input = l.size,
                .window = l.window,
                .output = l.output(),
                .stride = l.stride,
                .low = l.padding() / 2,
                .lhs_dilation = l.transposed,
                .rhs_dilation = l.dilation});
}

// The errors, dilated by the stride, under the kernel turned around, whose features change places.
ConvShape InputGradient(const Layer& l) {
  Strides w = KernelStrides(l.window, l.in / l.groups(), l.out, l.channels_first);
  if (!l.depthwise) std::swap(w.batch, w.channel);
  return Shape(ImageStrides(l.output(), l.out, l.channels_first), w, ImageStrides(l.size, l.in, l.channels_first),
               l.batch, l.out, l.in, l.groups(),
               {.input = l.output(),
                .window = l.window,
                .output = l.size,
                .low = l.reach() - 1 - l.padding() / 2,
                .lhs_dilation = l.stride,
                .rhs_dilation = l.dilation,
                .reversed = true});
}

// The image, of whose channels each is an image in a batch, under the errors; depthwise: batches in groups.
ConvShape KernelGradient(const Layer& l) {
  const Strides x = ImageStrides(l.size, l.in, l.channels_first), y = ImageStrides(l.output(), l.out, l.channels_first),
                w = KernelStrides(l.window, l.in / l.groups(), l.out, l.channels_first);
  const Strides lhs = {x.channel, x.row, x.column, x.batch}, out = {w.batch, w.row, w.column, w.channel};
  ConvShape shape = Shape(lhs, y, out, l.in / l.groups(), l.batch, l.out, 1,
                          {.input = l.size,
                           .window = l.output(),
                           .output = l.window,
                           .stride = l.dilation,
                           .low = l.padding() / 2,
                           .rhs_dilation = l.stride});
  if (l.depthwise) {
    shape.groups = {.size = l.in, .lhs = x.channel, .rhs = y.channel, .out = w.channel};
    shape.out_features.size = 1;
  }
  return shape;
}

enum class Way { kForward, kInput, kKernel };

void BM_Conv(benchmark::State& state, Layer layer, Way way, ElementType type, int threads) {
  const executable::Target target = *executable::HostTarget();
  const ConvShape shape = way == Way::kForward ? Forward(layer)
                          : way == Way::kInput ? InputGradient(layer)
                                               : KernelGradient(layer);
  StatusOr<DotPlan> plan = PlanConv(shape, type, type, type, target);
  if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  int64_t lhs = layer.Elements(), rhs = layer.KernelElements(), out = layer.OutElements();
  if (way == Way::kInput) std::swap(lhs, out);
  if (way == Way::kKernel) std::swap(rhs, out);
  MeasureDense(state, *plan, {type, type, type, lhs, rhs, out, layer.Flops()}, target, threads);
}

void Register(const std::string& name, Layer layer, bool gradients = true, ElementType type = ElementType::kF32) {
  auto add = [&](const char* what, Way way) {
    for (int threads : {1, 2}) {
      std::string full = std::string("conv/") + name + "/" + what + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(full.c_str(), BM_Conv, layer, way, type, threads)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  };
  add("forward", Way::kForward);
  if (!gradients) return;
  add("input", Way::kInput);
  add("kernel", Way::kKernel);
}

void RegisterAll() {
  Register("stem_7x7", {1, 224, 3, 64, 7, 2});
  struct Stage {
    int64_t size, width, in;
  };
  for (auto [size, width, in] : {Stage{56, 64, 64}, {28, 128, 256}, {14, 256, 512}, {7, 512, 1024}}) {
    const std::string at = "_" + std::to_string(size);
    Register("3x3" + at, {1, size, width, width, 3});
    Register("1x1_narrow" + at, {1, size, 4 * width, width, 1});
    Register("1x1_wide" + at, {1, size, width, 4 * width, 1});
    if (size == 56) continue;
    Register("3x3_stride2" + at, {1, 2 * size, width, width, 3, 2});
    Register("1x1_stride2" + at, {1, 2 * size, in, 4 * width, 1, 2});
  }
  Register("b8_3x3_56", {8, 56, 64, 64, 3});
  Register("b8_stem_7x7", {8, 224, 3, 64, 7, 2});
  Register("b32_cifar_3x3_32", {32, 32, 64, 64, 3});
  for (auto [size, channels, stride] :
       {std::array<int64_t, 3>{112, 32, 1}, {112, 96, 2}, {56, 144, 1}, {28, 192, 1}, {14, 576, 1}, {7, 960, 1}}) {
    Layer layer = {1, size, channels, channels, 3, stride};
    layer.depthwise = true;
    Register("depthwise_" + std::to_string(size) + "_" + std::to_string(channels), layer);
  }
  Layer layer = {8, 28, 128, 128, 3};
  layer.channels_first = true;
  Register("nchw_3x3_28", layer);
  layer = {1, 56, 144, 144, 3};
  layer.depthwise = layer.channels_first = true;
  Register("nchw_depthwise_56", layer);
  layer = {4, 32, 64, 32, 4};
  layer.transposed = 2;
  Register("transposed_4x4_32", layer, false);
  Register("dilated_3x3_56", {1, 56, 64, 64, 3, 1, 2});
  Register("bf16_3x3_56", {1, 56, 64, 64, 3}, true, ElementType::kBF16);
}

}  // namespace
}  // namespace treadle::benchmarks

int main(int argc, char** argv) {
  treadle::benchmarks::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
