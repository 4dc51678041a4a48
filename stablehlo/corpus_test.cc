// Every text of the corpora is read, printed and read again as the same program. Skipped where TREADLE_SHARED
// (../shared) has no corpora.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "stablehlo/context.h"
#include "stablehlo/read.h"

namespace treadle::stablehlo {
namespace {

namespace fs = std::filesystem;

fs::path Corpus(std::string_view folder) {
  const char* shared = std::getenv("TREADLE_SHARED");
  return fs::path(shared ? shared : "../shared") / "corpus" / folder;
}

std::vector<fs::path> Texts(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string Bytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(mlir::writeBytecodeToFile(module, stream)));
  return bytes;
}

// Returns how many files there were.
int RoundTrip(std::string_view folder, bool (*take)(std::string_view name, std::string_view text)) {
  int count = 0;
  const auto context = MakeContext();
  for (const fs::path& path : Texts(Corpus(folder))) {
    const std::string text = ReadFile(path);
    const std::string name = path.filename().string();
    if (!take(name, text)) continue;
    ++count;
    auto program = ReadProgram(*context, text, name);
    if (!program.ok()) {
      ADD_FAILURE() << program.status().ToString();
      continue;
    }
    const std::string printed = Print(**program);
    auto again = ReadProgram(*context, printed, "printed " + name);
    EXPECT_TRUE(again.ok()) << again.status().ToString();
    if (again.ok()) EXPECT_EQ(Print(**again), printed) << name;
    auto binary = ReadProgram(*context, Bytecode(**program), name + " as bytecode", PlainBytecode::kTrust);
    EXPECT_TRUE(binary.ok()) << binary.status().ToString();
    if (binary.ok()) EXPECT_EQ(Print(**binary), printed) << name;
  }
  return count;
}

#define SKIP_WITHOUT(folder) \
  if (!fs::exists(Corpus(folder))) GTEST_SKIP() << Corpus(folder) << " is not there"

TEST(CorpusTest, JaxPrograms) {
  SKIP_WITHOUT("jax_programs");
  EXPECT_GE(RoundTrip("jax_programs", [](std::string_view, std::string_view) { return true; }), 60);
}

TEST(CorpusTest, Testdata) {
  SKIP_WITHOUT("stablehlo/testdata");
  EXPECT_GE(RoundTrip("stablehlo/testdata", [](std::string_view, std::string_view) { return true; }), 500);
}

TEST(CorpusTest, Math) {
  SKIP_WITHOUT("stablehlo/math");
  EXPECT_GE(RoundTrip("stablehlo/math", [](std::string_view, std::string_view) { return true; }), 20);
}

}  // namespace
}  // namespace treadle::stablehlo
