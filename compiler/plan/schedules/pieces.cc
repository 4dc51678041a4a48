#include "compiler/plan/schedules/pieces.h"

#include <algorithm>
#include <span>

namespace treadle::plan {
namespace {

constexpr size_t kBoxesAPhase = 16;   // a phase is a function: no larger than the register allocator likes
constexpr int64_t kOneTileNs = 3000;  // boxes that take less in all are one tile

}  // namespace

namespace {

Status WritePhase(Kernel& kernel, std::span<const std::unique_ptr<MapBox>> boxes) {
  Builder& b = kernel.b();
  Cost cost;
  int64_t tiles = 0;
  bool single = true;
  int64_t points = 0;
  for (const auto& box : boxes) points += box->points();
  for (const auto& box : boxes) {
    bool most = boxes.size() <= 2 || box->points() * 2 > points;
    TREADLE_RETURN_IF_ERROR(box->Prepare(most ? 4 : 1));
    cost += box->cost();
    single = single && box->tiles() <= 1;
  }
  single = single && cost.ns < kOneTileNs;
  Id tile = b.BeginPhase();
  for (const auto& box : boxes) {
    if (box->tiles() == 0) continue;
    if (single) {
      TREADLE_RETURN_IF_ERROR(box->Emit(b.ConstI64(0)));
      continue;
    }
    Id first = kernel.AddI64(tiles), end = kernel.AddI64(tiles + box->tiles());
    Id inside = b.Binary(Op::kAnd, b.Compare(Predicate::kGe, tile, first), b.Compare(Predicate::kLt, tile, end));
    b.BeginIf(inside, {});
    TREADLE_RETURN_IF_ERROR(box->Emit(b.Sub(tile, first)));
    b.Yield({});
    b.BeginElse();
    b.EndLoop();
    tiles += box->tiles();
  }
  kernel.EndPhase(single ? 1 : tiles, cost);
  return OkStatus();
}

}  // namespace

std::vector<Box> BoxesAround(const Box& inside, const std::vector<int64_t>& all) {
  std::vector<Box> boxes;
  Box slab{std::vector<int64_t>(all.size()), all};
  auto add = [&] {
    if (std::find(slab.sizes.begin(), slab.sizes.end(), 0) == slab.sizes.end()) boxes.push_back(slab);
  };
  for (size_t k = 0; k < all.size(); ++k) {
    slab.sizes[k] = inside.first[k];
    add();
    slab.first[k] = inside.first[k] + inside.sizes[k];
    slab.sizes[k] = all[k] - slab.first[k];
    add();
    slab.first[k] = inside.first[k];
    slab.sizes[k] = inside.sizes[k];
  }
  return boxes;
}

Status WriteBoxes(Kernel& kernel, const Boxes& boxes) {
  for (size_t first = 0; first < boxes.size(); first += kBoxesAPhase) {
    std::span<const std::unique_ptr<MapBox>> all(boxes);
    TREADLE_RETURN_IF_ERROR(WritePhase(kernel, all.subspan(first, std::min(kBoxesAPhase, boxes.size() - first))));
  }
  return OkStatus();
}

StatusOr<Instance> ScheduleConcatenate(const graph::Graph& graph, const Group& group,
                                       const executable::Target& target) {
  const graph::Op& op = graph.ops[group.ops.back()];
  Kernel kernel("concatenate", graph, group, target);
  std::vector<int64_t> all = graph.shape(op.results[0]).dims;
  int64_t axis = op.attrs.dims[0], offset = 0;
  Boxes boxes;
  for (graph::ValueId operand : op.operands) {
    const Shape& shape = graph.shape(operand);
    if (shape.elements() > 0) {
      std::vector<int64_t> dims = shape.dims;
      boxes.push_back(std::make_unique<MapBox>(kernel, dims));
      boxes.back()->AddOutput(
          operand, [dims](IndexSpace& space) { return Nest::Whole(space, dims); }, kernel.OutputBuffer(0), all,
          [dims, axis, offset](IndexSpace& space) {
            Index index = Nest::Whole(space, dims);
            index[axis].offset += offset;
            return index;
          });
    }
    offset += shape.dims[axis];
  }
  TREADLE_RETURN_IF_ERROR(WriteBoxes(kernel, boxes));
  return kernel.Finish();
}

namespace {

// Along one dimension: operand elements [first, first + count) land inside the result, the first of them at `at`.
struct Landing {
  int64_t first, count, at, step;
};

Landing LandingOf(int64_t size, int64_t result, int64_t low, int64_t interior) {
  int64_t step = interior + 1;
  int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
  int64_t last = result - 1 - low < 0 ? -1 : std::min(size - 1, (result - 1 - low) / step);
  return {first, std::max<int64_t>(0, last - first + 1), low + first * step, step};
}

class Pad {
 public:
  Pad(Kernel& kernel, const graph::Op& op) : kernel_(kernel), op_(op), all_(kernel.graph().shape(op.results[0]).dims) {
    const std::vector<int64_t>& dims = kernel.graph().shape(op.operands[0]).dims;
    for (size_t k = 0; k < dims.size(); ++k) {
      landings_.push_back(LandingOf(dims[k], all_[k], op.attrs.low[k], op.attrs.interior[k]));
      interior_ = interior_ || (op.attrs.interior[k] > 0 && landings_[k].count > 1);
      empty_ = empty_ || landings_[k].count == 0;
    }
  }

  Status Write() {
    Boxes boxes;
    if (interior_ || empty_) {  // everything, and then the operand over it
      AddFill({std::vector<int64_t>(all_.size()), all_}, boxes);
      TREADLE_RETURN_IF_ERROR(WriteBoxes(kernel_, boxes));
      boxes.clear();
      if (empty_) return OkStatus();
    } else {
      AddBorders(boxes);
    }
    AddOperand(boxes);
    return WriteBoxes(kernel_, boxes);
  }

 private:
  // The box of the result gets the padding value.
  void AddFill(const Box& box, Boxes& boxes) {
    if (std::find(box.sizes.begin(), box.sizes.end(), 0) != box.sizes.end()) return;
    boxes.push_back(std::make_unique<MapBox>(kernel_, box.sizes));
    boxes.back()->AddOutput(
        op_.operands[1], [](IndexSpace&) { return Index{}; }, kernel_.OutputBuffer(0), all_,
        [box](IndexSpace& space) {
          Index index = Nest::Whole(space, box.sizes);
          for (size_t k = 0; k < box.first.size(); ++k) index[k].offset += box.first[k];
          return index;
        });
  }

  void AddBorders(Boxes& boxes) {
    Box inside;
    for (const Landing& landing : landings_) {
      inside.first.push_back(landing.at);
      inside.sizes.push_back(landing.count);
    }
    for (const Box& box : BoxesAround(inside, all_)) AddFill(box, boxes);
  }

  void AddOperand(Boxes& boxes) {
    std::vector<int64_t> counts;
    for (const Landing& landing : landings_) counts.push_back(landing.count);
    boxes.push_back(std::make_unique<MapBox>(kernel_, counts));
    auto at = [this, counts](bool in_result) {
      return [landings = landings_, counts, in_result](IndexSpace& space) {
        Index index(counts.size()), place = Nest::Whole(space, counts);
        for (size_t k = 0; k < counts.size(); ++k) {
          index[k].offset = in_result ? landings[k].at : landings[k].first;
          index[k].Add(place[k], in_result ? landings[k].step : 1);
        }
        return index;
      };
    };
    boxes.back()->AddOutput(op_.operands[0], at(false), kernel_.OutputBuffer(0), all_, at(true));
  }

  Kernel& kernel_;
  const graph::Op& op_;
  std::vector<int64_t> all_;
  std::vector<Landing> landings_;
  bool interior_ = false, empty_ = false;
};

}  // namespace

StatusOr<Instance> SchedulePad(const graph::Graph& graph, const Group& group, const executable::Target& target) {
  Kernel kernel("pad", graph, group, target);
  TREADLE_RETURN_IF_ERROR(Pad(kernel, graph.ops[group.ops.back()]).Write());
  return kernel.Finish();
}

}  // namespace treadle::plan
