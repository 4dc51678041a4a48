#include "stablehlo/artifact/artifact.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "stablehlo/dialect/dialect.h"
#include "stablehlo/sdy/sdy.h"

namespace treadle::stablehlo {
namespace {

const char* const kArtifacts[] = {"core_0_9_0", "core_0_12_0", "core_0_14_0",
                                  "core_1_0_0", "core_1_16_0", "sharded_1_13_0"};

std::string Load(const std::string& name) {
  std::ifstream file(TREADLE_TESTDATA "/" + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << "cannot read " << name;
  return bytes.str();
}

// A context without threads, whose diagnostics are kept.
class Reader {
 public:
  Reader()
      : context_(mlir::MLIRContext::Threading::DISABLED), handler_(&context_, [this](mlir::Diagnostic& diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) errors_ += diagnostic.str() + "\n";
          return mlir::success();
        }) {
    context_.loadDialect<mlir::func::FuncDialect, StablehloDialect, sdy::SdyDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> Read(llvm::StringRef bytes) {
    errors_.clear();
    return ReadPortableArtifact(context_, bytes);
  }

  mlir::MLIRContext& context() { return context_; }
  const std::string& errors() const { return errors_; }

 private:
  mlir::MLIRContext context_;
  std::string errors_;
  mlir::ScopedDiagnosticHandler handler_;
};

std::string Print(mlir::ModuleOp module, mlir::OpPrintingFlags flags = mlir::OpPrintingFlags().printGenericOpForm()) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return text;
}

class ArtifactTest : public testing::TestWithParam<const char*> {};

TEST_P(ArtifactTest, IsTheProgramOfItsText) {
  const std::string name = GetParam();
  Reader reader;
  const mlir::OwningOpRef<mlir::ModuleOp> module = reader.Read(Load(name + ".mlirbc"));
  ASSERT_TRUE(module) << reader.errors();
  const std::string text = Load(name.substr(0, name.find('_')) + ".mlir");
  const auto expected = mlir::parseSourceString<mlir::ModuleOp>(text, &reader.context());
  ASSERT_TRUE(expected) << reader.errors();
  EXPECT_EQ(Print(*module), Print(*expected));
}

TEST_P(ArtifactTest, IsRecognised) {
  const std::string bytes = Load(GetParam() + std::string(".mlirbc"));
  EXPECT_TRUE(IsPortableArtifact(bytes));
  const std::optional<ArtifactVersion> version = ProducerVersion(bytes);
  ASSERT_TRUE(version);
  const std::string expected =
      std::to_string(version->major) + "_" + std::to_string(version->minor) + "_" + std::to_string(version->patch);
  EXPECT_NE(std::string(GetParam()).find(expected), std::string::npos) << expected;
}

TEST_P(ArtifactTest, IsTheSameAfterItIsWrittenAgain) {
  const std::string bytes = Load(GetParam() + std::string(".mlirbc"));
  Reader reader;
  const mlir::OwningOpRef<mlir::ModuleOp> module = reader.Read(bytes);
  ASSERT_TRUE(module) << reader.errors();
  std::string written;
  const ArtifactOptions options = {.target = *ProducerVersion(bytes), .allow_other_dialects = true};
  ASSERT_TRUE(succeeded(WritePortableArtifact(*module, options, written))) << reader.errors();
  EXPECT_EQ(ProducerVersion(written)->ToString(), options.target.ToString());
  const mlir::OwningOpRef<mlir::ModuleOp> again = reader.Read(written);
  ASSERT_TRUE(again) << reader.errors();
  const auto locations = mlir::OpPrintingFlags().printGenericOpForm().enableDebugInfo();
  EXPECT_EQ(Print(*again, locations), Print(*module, locations));
}

TEST_P(ArtifactTest, CutOffAnywhereIsAnError) {
  const std::string bytes = Load(GetParam() + std::string(".mlirbc"));
  Reader reader;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(reader.Read(llvm::StringRef(bytes).take_front(size))) << size;
    EXPECT_FALSE(reader.errors().empty()) << size;
  }
}

// What a flipped bit makes is an error that is told, or another program.
TEST_P(ArtifactTest, FlippedBitsAreSafe) {
  const std::string bytes = Load(GetParam() + std::string(".mlirbc"));
  int valid = 0;
  for (size_t byte = 0; byte < bytes.size(); byte += 256) {
    Reader reader;  // what strange attributes leave in a context goes with it
    for (size_t i = byte; i < std::min(byte + 256, bytes.size()); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = bytes;
        flipped[i] ^= 1 << bit;
        const mlir::OwningOpRef<mlir::ModuleOp> module = reader.Read(flipped);
        if (module) {
          ++valid;
          EXPECT_FALSE(Print(*module).empty());
        } else {
          EXPECT_FALSE(reader.errors().empty()) << "byte " << i << " bit " << bit;
        }
      }
    }
  }
  EXPECT_GT(valid, 0);  // a letter of a name, say
}

INSTANTIATE_TEST_SUITE_P(All, ArtifactTest, testing::ValuesIn(kArtifacts),
                         [](const auto& info) { return std::string(info.param); });

// Bytecode of `module` as if StableHLO had written it.
std::string Write(mlir::ModuleOp module, const std::string& producer = "StableHLO_v1.16.0") {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(mlir::writeBytecodeToFile(module, stream, mlir::BytecodeWriterConfig(producer))));
  return bytes;
}

// Runs on a thread with the smallest stack that hosts give theirs.
void RunOnSmallStack(const std::function<void()>& function) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 << 10);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&function)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(ReadPortableArtifactTest, ReadsDeepLocationsOnASmallStack) {
  Reader reader;
  mlir::Location location = mlir::UnknownLoc::get(&reader.context());
  const mlir::Location line = mlir::FileLineColLoc::get(&reader.context(), "model.py", 1, 2);
  for (int i = 0; i < 2000; ++i) location = mlir::CallSiteLoc::get(line, location);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  const std::string bytes = Write(*module);
  RunOnSmallStack([&] {
    const mlir::OwningOpRef<mlir::ModuleOp> read = reader.Read(bytes);
    ASSERT_TRUE(read) << reader.errors();
    EXPECT_EQ(mlir::ModuleOp(*read).getLoc(), location);
  });
}

TEST(WritePortableArtifactTest, WritesForEveryVersion) {
  Reader reader;
  const auto module = mlir::parseSourceString<mlir::ModuleOp>(Load("core.mlir"), &reader.context());
  ASSERT_TRUE(module) << reader.errors();
  std::vector<ArtifactVersion> versions;
  for (int minor = 9; minor <= 20; ++minor) versions.push_back({0, minor, 0});
  for (int minor = 0; minor <= 20; ++minor) versions.push_back({1, minor, 3});
  for (const ArtifactVersion& version : versions) {
    std::string bytes;
    ASSERT_TRUE(succeeded(WritePortableArtifact(*module, {.target = version}, bytes))) << reader.errors();
    EXPECT_EQ(ProducerVersion(bytes)->ToString(), version.ToString());
    const auto read = reader.Read(bytes);
    ASSERT_TRUE(read) << version.ToString() << ": " << reader.errors();
    EXPECT_EQ(Print(*read), Print(*module)) << version.ToString();
  }
  std::string bytes;
  for (const ArtifactVersion& version : {ArtifactVersion{0, 8, 9}, {1, 21, 0}, {2, 0, 0}}) {
    EXPECT_FALSE(succeeded(WritePortableArtifact(*module, {.target = version}, bytes))) << version.ToString();
  }
  EXPECT_TRUE(bytes.empty());
}

TEST(WritePortableArtifactTest, WritesDeepLocationsOnASmallStack) {
  Reader reader;
  mlir::Location location = mlir::UnknownLoc::get(&reader.context());
  const mlir::Location line = mlir::FileLineColLoc::get(&reader.context(), "model.py", 1, 2);
  for (int i = 0; i < 2000; ++i) location = mlir::CallSiteLoc::get(line, location);
  const mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  RunOnSmallStack([&] {
    std::string bytes;
    ASSERT_TRUE(succeeded(WritePortableArtifact(*module, {}, bytes))) << reader.errors();
    const mlir::OwningOpRef<mlir::ModuleOp> read = reader.Read(bytes);
    ASSERT_TRUE(read) << reader.errors();
    EXPECT_EQ(mlir::ModuleOp(*read).getLoc(), location);
  });
}

TEST(WritePortableArtifactTest, KeepsOfRangesTheirBeginningWhereThereAreNone) {
  Reader reader;
  const mlir::Location range = mlir::FileLineColRange::get(&reader.context(), "model.py", 3, 4, 5, 6);
  const mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(range);
  const auto location_in = [&](const ArtifactVersion& version) {
    std::string bytes;
    EXPECT_TRUE(succeeded(WritePortableArtifact(*module, {.target = version}, bytes)));
    return mlir::ModuleOp(*reader.Read(bytes)).getLoc();
  };
  EXPECT_EQ(location_in({1, 9, 0}), range);
  EXPECT_EQ(location_in({1, 8, 0}), mlir::FileLineColLoc::get(&reader.context(), "model.py", 3, 4));
}

TEST(ReadPortableArtifactTest, BoundsTheNestingOfRegions) {
  Reader reader;
  const mlir::Location location = mlir::UnknownLoc::get(&reader.context());
  for (const int depth : {200, 300}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
    mlir::ModuleOp inner = *module;
    for (int i = 0; i < depth; ++i) {
      auto next = mlir::ModuleOp::create(location);
      inner.push_back(next);
      inner = next;
    }
    const std::string bytes = Write(*module);
    RunOnSmallStack([&] {
      const bool ok = static_cast<bool>(reader.Read(bytes));
      EXPECT_EQ(ok, depth == 200) << reader.errors();
    });
  }
  EXPECT_NE(reader.errors().find("nested deeper"), std::string::npos) << reader.errors();
}

TEST(ReadPortableArtifactTest, NamesWhatHoldsATensorThatIsTooLarge) {
  Reader reader;
  const auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main() {
      %0 = stablehlo.custom_call @f() : () -> tensor<4294967296x4294967296x2xf32>
      %1 = stablehlo.reshape %0 : (tensor<4294967296x4294967296x2xf32>) -> tensor<1xf32>
      return
    })",
                                                              mlir::ParserConfig(&reader.context(), false));
  ASSERT_TRUE(module) << reader.errors();
  std::string bytes;
  ASSERT_TRUE(succeeded(WritePortableArtifact(*module, {}, bytes))) << reader.errors();
  EXPECT_FALSE(reader.Read(bytes));
  EXPECT_NE(reader.errors().find("'stablehlo.custom_call' op holds 'tensor<4294967296x4294967296x2xf32>'"),
            std::string::npos)
      << reader.errors();
}

TEST(ReadPortableArtifactTest, NamesWhatItDoesNotKnow) {
  Reader reader;
  const std::string empty = Write(
      *mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&reader.context()))), "MLIR22");
  EXPECT_FALSE(IsPortableArtifact(empty));
  EXPECT_FALSE(reader.Read(empty));
  EXPECT_NE(reader.errors().find("'MLIR22'"), std::string::npos) << reader.errors();

  std::string bytes = Load("core_1_16_0.mlirbc");
  bytes.replace(bytes.find("v1.16"), 5, "v2.16");
  EXPECT_FALSE(reader.Read(bytes));
  EXPECT_NE(reader.errors().find("StableHLO_v2.16.0"), std::string::npos) << reader.errors();

  bytes = Load("core_1_16_0.mlirbc");
  bytes.replace(bytes.find("pad_v1"), 6, "pad_v7");
  EXPECT_FALSE(reader.Read(bytes));
  EXPECT_NE(reader.errors().find("'vhlo.pad_v7'"), std::string::npos) << reader.errors();

  bytes = Load("sharded_1_13_0.mlirbc");
  bytes.replace(bytes.find("sharding_group"), 14, "sharding_grope");
  EXPECT_FALSE(reader.Read(bytes));
  EXPECT_NE(reader.errors().find("'sdy.sharding_grope'"), std::string::npos) << reader.errors();

  bytes = Load("core_1_16_0.mlirbc");
  bytes[4] = static_cast<char>(99 << 1 | 1);
  EXPECT_FALSE(reader.Read(bytes));
  EXPECT_NE(reader.errors().find("bytecode version 99"), std::string::npos) << reader.errors();
}

TEST(ReadPortableArtifactTest, ReadsNewerMinorVersionsThatUseNothingNew) {
  Reader reader;
  std::string bytes = Load("core_1_16_0.mlirbc");
  bytes.replace(bytes.find("v1.16"), 5, "v1.99");
  EXPECT_TRUE(reader.Read(bytes)) << reader.errors();
}

}  // namespace
}  // namespace treadle::stablehlo
