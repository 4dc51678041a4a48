// Writes the math library into a folder, as part of the build: math_v2.o, math_v3.o, math_v4.o, and math_table.cc,
// which lists their symbols for kernels/math_library.h.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/emit/math_library.h"

namespace treadle::emit {
namespace {

Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.flush();
  return out ? OkStatus() : InvalidArgument("cannot write '" + path + "'");
}

Status Write(const std::string& folder) {
  std::vector<std::string> symbols;
  for (executable::IsaLevel isa : {executable::IsaLevel::kV2, executable::IsaLevel::kV3, executable::IsaLevel::kV4}) {
    TREADLE_ASSIGN_OR_RETURN(MathLibrary library, EmitMathLibrary(isa));
    const std::string file = "/math_v" + std::to_string(static_cast<int>(isa)) + ".o";
    TREADLE_RETURN_IF_ERROR(WriteFile(folder + file, library.object));
    symbols.insert(symbols.end(), library.symbols.begin(), library.symbols.end());
  }
  std::ranges::sort(symbols);
  std::string table = "// Written by math_library_main.cc.\n#include \"kernels/math_library.h\"\n\nextern \"C\" {\n";
  for (const std::string& symbol : symbols) table += "void " + symbol + "();\n";
  table += "}\n\nnamespace treadle {\n\nconst MathFunction kMathFunctions[] = {\n";
  for (const std::string& symbol : symbols) {
    table += "    {\"" + symbol + "\", reinterpret_cast<void*>(&" + symbol + ")},\n";
  }
  table += "};\nconst size_t kNumMathFunctions = " + std::to_string(symbols.size()) + ";\n\n}  // namespace treadle\n";
  return WriteFile(folder + "/math_table.cc", table);
}

}  // namespace
}  // namespace treadle::emit

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const treadle::Status status = treadle::emit::Write(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
