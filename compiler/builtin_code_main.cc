// Writes the code that Treadle carries with it (kernels/builtin_code.h) into a folder, as part of the build: for each
// kind of machine kernels_KEY.o, for each ISA level math_LEVEL.o, and table.cc, which lists their symbols.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/large_stack.h"
#include "compiler/builtin_programs.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/math_library.h"
#include "compiler/optimize/simplify.h"
#include "compiler/optimize/to_graph.h"
#include "compiler/plan/identity.h"
#include "compiler/plan/program.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::compiler {
namespace {

using executable::IsaLevel;
using executable::Target;

Target MakeTarget(IsaLevel isa, bool bf16, bool vnni) {
  Target target;
  target.isa = isa;
  target.cpu = "x86-64-v" + std::to_string(static_cast<int>(isa));
  target.avx512_bf16 = bf16;
  target.avx512_vnni = vnni;
  return target;
}

// Plans follow the sizes of caches, within what machines of one key have: small ones, and large ones.
std::vector<Target> WithCaches(const Target& target) {
  Target small = target, large = target;
  small.l1_bytes = 32 << 10, small.l2_bytes = 512 << 10, small.l3_bytes = 8 << 20;
  large.l1_bytes = 48 << 10, large.l2_bytes = 2 << 20, large.l3_bytes = 32 << 20;
  return {small, large};
}

struct Output {
  std::string file, object;
  std::vector<std::string> symbols;
};

StatusOr<Output> MathFor(IsaLevel isa) {
  TREADLE_ASSIGN_OR_RETURN(emit::MathLibrary library, emit::EmitMathLibrary(isa));
  return Output{"math_v" + std::to_string(static_cast<int>(isa)) + ".o", std::move(library.object),
                std::move(library.symbols)};
}

StatusOr<Output> KernelsFor(const Target& target) {
  Output output{"kernels_" + target.Key() + ".o", {}, {}};
  std::vector<plan::Plan> plans;
  std::set<std::string> known;
  for (const std::string& text : BuiltinPrograms()) {
    stablehlo::BorrowedContext context;
    TREADLE_ASSIGN_OR_RETURN(auto module, stablehlo::ReadProgram(*context, text, "<built in>"));
    TREADLE_ASSIGN_OR_RETURN(graph::Graph graph, ToGraph(*module, "main"));
    graph = Simplify(graph);
    for (const Target& sized : WithCaches(target)) {
      TREADLE_ASSIGN_OR_RETURN(plan::Program program, plan::PlanProgram(graph, sized));
      for (plan::PlannedKernel& kernel : program.kernels) {
        if (!known.insert(kernel.symbols[0]).second) continue;
        std::ranges::move(kernel.symbols, std::back_inserter(output.symbols));
        plans.push_back(std::move(kernel.plan));
      }
    }
  }
  std::vector<const plan::Plan*> pointers;
  for (const plan::Plan& plan : plans) pointers.push_back(&plan);
  TREADLE_ASSIGN_OR_RETURN(output.object, emit::EmitPlans(pointers, {.target = target}));
  return output;
}

std::string Table(std::vector<std::string> symbols) {
  std::ranges::sort(symbols);
  std::string table =
      "// Written by builtin_code_main.cc.\n#include <cstddef>\n\n#include \"kernels/builtin_code.h\"\n\n";
  table += "extern \"C\" {\n\n";
  for (const std::string& symbol : symbols) table += "void " + symbol + "();\n";
  table += "\nextern const treadle::BuiltinCode treadle_builtin_code[] = {\n";
  for (const std::string& symbol : symbols) {
    table += "    {\"" + symbol + "\", reinterpret_cast<void*>(&" + symbol + ")},\n";
  }
  return table + "};\nextern const size_t treadle_builtin_code_size = " + std::to_string(symbols.size()) + ";\n\n}\n";
}

Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.flush();
  return out ? OkStatus() : InvalidArgument("cannot write '" + path + "'");
}

Status Write(const std::string& folder) {
  std::vector<std::function<StatusOr<Output>()>> makers;
  for (IsaLevel isa : {IsaLevel::kV2, IsaLevel::kV3, IsaLevel::kV4}) {
    makers.emplace_back([isa] { return MathFor(isa); });
    makers.emplace_back([isa] { return KernelsFor(MakeTarget(isa, false, false)); });
  }
  makers.emplace_back([] { return KernelsFor(MakeTarget(IsaLevel::kV4, false, true)); });
  makers.emplace_back([] { return KernelsFor(MakeTarget(IsaLevel::kV4, true, true)); });
  std::vector<StatusOr<Output>> outputs(makers.size(), Internal("not made"));
  std::vector<std::function<void()>> work;
  for (size_t i = 0; i < makers.size(); ++i) work.emplace_back([&, i] { outputs[i] = makers[i](); });
  RunSideBySide(kDeepStack, work);
  std::vector<std::string> symbols;
  for (const StatusOr<Output>& output : outputs) {
    TREADLE_RETURN_IF_ERROR(output.status());
    TREADLE_RETURN_IF_ERROR(WriteFile(folder + "/" + output->file, output->object));
    symbols.insert(symbols.end(), output->symbols.begin(), output->symbols.end());
  }
  return WriteFile(folder + "/table.cc", Table(std::move(symbols)));
}

}  // namespace
}  // namespace treadle::compiler

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  treadle::Status status;
  treadle::RunOnLargeStack(treadle::kDeepStack, [&] { status = treadle::compiler::Write(argv[1]); });
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
