#include "stablehlo/artifact/entry_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace treadle::stablehlo {
namespace {

std::vector<uint8_t> VarInt(uint64_t value) {
  if (value < 128) return {static_cast<uint8_t>(value << 1 | 1)};
  std::vector<uint8_t> bytes = {0};
  for (int i = 0; i < 8; ++i) bytes.push_back(value >> (8 * i));
  return bytes;
}

class EntryTableTest : public testing::Test {
 protected:
  EntryTableTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    container_.dialects = {"builtin", "vhlo"};
    container_.strings = {"text"};
  }

  // Adds an attribute of dialect `dialect` that consists of these numbers.
  void Add(uint32_t dialect, std::initializer_list<uint64_t> numbers) {
    std::vector<uint8_t>& bytes = storage_.emplace_back();
    for (const uint64_t number : numbers) {
      const std::vector<uint8_t> coded = VarInt(number);
      bytes.insert(bytes.end(), coded.begin(), coded.end());
    }
    container_.attributes.push_back({dialect, true, {}});
  }

  // Decodes the first attribute; errors are joined in errors_.
  mlir::Attribute First() {
    for (size_t i = 0; i < storage_.size(); ++i) container_.attributes[i].bytes = storage_[i];
    mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic& diagnostic) {
      errors_ += diagnostic.str();
      return mlir::success();
    });
    return EntryTable(container_, mlir::UnknownLoc::get(&context_)).GetAttribute(0);
  }

  mlir::MLIRContext context_;
  Container container_;
  std::vector<std::vector<uint8_t>> storage_;
  std::string errors_;
};

constexpr uint64_t kBuiltinArray = 0;
constexpr uint64_t kBuiltinUnit = 7;
constexpr uint64_t kBuiltinCallSite = 10;
constexpr uint64_t kBuiltinUnknownLoc = 15;

TEST_F(EntryTableTest, DecodesLongChainsOfLocations) {
  constexpr uint64_t kDepth = 8000;
  for (uint64_t i = 0; i < kDepth; ++i) Add(0, {kBuiltinCallSite, kDepth, i + 1});
  Add(0, {kBuiltinUnknownLoc});
  mlir::Attribute attribute = First();
  ASSERT_TRUE(attribute) << errors_;
  for (uint64_t i = 0; i < kDepth; ++i) attribute = mlir::cast<mlir::CallSiteLoc>(attribute).getCaller();
  EXPECT_TRUE(mlir::isa<mlir::UnknownLoc>(attribute));
}

TEST_F(EntryTableTest, RefusesLocationsDeeperThanThat) {
  constexpr uint64_t kDepth = 100000;
  for (uint64_t i = 0; i < kDepth; ++i) Add(0, {kBuiltinCallSite, kDepth, i + 1});
  Add(0, {kBuiltinUnknownLoc});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("nested deeper than 8192"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesDeepAttributes) {
  for (uint64_t i = 0; i < 300; ++i) Add(0, {kBuiltinArray, 1, i + 1});
  Add(0, {kBuiltinUnit});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("nested deeper than 256"), std::string::npos) << errors_;
}

// Each level holds the next one twice: 2^60 parts if they were written out.
TEST_F(EntryTableTest, RefusesAttributesThatAreHugeWhenWrittenOut) {
  for (uint64_t i = 0; i < 60; ++i) Add(0, {kBuiltinArray, 2, i + 1, i + 1});
  Add(0, {kBuiltinUnit});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("2^24 parts"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesEntriesThatContainThemselves) {
  Add(0, {kBuiltinArray, 1, 1});
  Add(0, {kBuiltinArray, 2, 2, 0});
  Add(0, {kBuiltinUnit});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("contains itself"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesLongCycles) {
  constexpr int kLength = 1000;
  for (int i = 0; i < kLength; ++i) Add(0, {kBuiltinArray, 1, static_cast<uint64_t>((i + 1) % kLength)});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("contains itself"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, NamesUnknownCodes) {
  Add(1, {99});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("unknown attribute of dialect 'vhlo', code 99"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesLengthsThatLie) {
  Add(0, {kBuiltinArray, uint64_t{1} << 60, 1});
  Add(0, {kBuiltinUnit});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("cut off"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesBytesLeftOver) {
  Add(0, {kBuiltinUnit, 1});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("left over"), std::string::npos) << errors_;
}

TEST_F(EntryTableTest, RefusesReferencesToNothing) {
  Add(0, {kBuiltinArray, 1, 5});
  EXPECT_FALSE(First());
  EXPECT_NE(errors_.find("no attribute number 5"), std::string::npos) << errors_;
}

}  // namespace
}  // namespace treadle::stablehlo
