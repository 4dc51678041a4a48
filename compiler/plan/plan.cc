#include "compiler/plan/plan.h"

#include <algorithm>

namespace treadle::plan {
namespace {

struct Row {
  std::string_view text;
  int8_t arity;
  bool pure;
};

constexpr Row kRows[] = {
#define PLAN_OP(code, text, arity, pure) {text, arity, pure},
#include "compiler/plan/ops.def"
};

int64_t BytesOfRole(const Plan& plan, const std::vector<uint64_t>& args, Role role) {
  int64_t bytes = 0;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.role != role) continue;
    int64_t elements =
        buffer.elements.c + (buffer.elements.sym >= 0 ? static_cast<int64_t>(args[buffer.elements.sym]) : 0);
    bytes += (elements * ElementBytes(buffer.elt) + 63) / 64 * 64;
  }
  return bytes;
}

}  // namespace

std::string_view OpText(Op op) { return kRows[static_cast<size_t>(op)].text; }
int OpArity(Op op) { return kRows[static_cast<size_t>(op)].arity; }
bool OpIsPure(Op op) { return kRows[static_cast<size_t>(op)].pure; }

Id Plan::Next(Id id) const {
  if (nodes[id].op != Op::kLoop) return id + 1;
  const Loop& l = loop(id);
  return std::max({id + 1, l.body.end, l.cond.end, l.combine.end});
}

int64_t LocalBytes(const Plan& plan, const std::vector<uint64_t>& args) {
  return BytesOfRole(plan, args, Role::kLocal);
}
int64_t ScratchBytes(const Plan& plan, const std::vector<uint64_t>& args) {
  return BytesOfRole(plan, args, Role::kScratch);
}

}  // namespace treadle::plan
