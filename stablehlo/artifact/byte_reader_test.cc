#include "stablehlo/artifact/byte_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "stablehlo/artifact/byte_writer.h"

namespace treadle::stablehlo {
namespace {

// MLIR's encoding, written from its description: as few bytes as the value needs.
std::vector<uint8_t> Encode(uint64_t value) {
  for (int extra = 0; extra < 8; ++extra) {
    const int bits = 7 * (extra + 1);
    if (value >> bits != 0) continue;
    const uint64_t coded = ((value << 1) | 1) << extra;
    std::vector<uint8_t> bytes;
    for (int i = 0; i <= extra; ++i) bytes.push_back(coded >> (8 * i));
    return bytes;
  }
  std::vector<uint8_t> bytes = {0};
  for (int i = 0; i < 8; ++i) bytes.push_back(value >> (8 * i));
  return bytes;
}

TEST(ByteWriterTest, WritesIntegersOfEveryLength) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const uint64_t delta : {-1, 0, 1}) {
      const uint64_t value = (uint64_t{1} << shift) + delta;
      ByteWriter writer;
      writer.WriteVarInt(value);
      const std::vector<uint8_t> bytes = Encode(value);
      EXPECT_EQ(writer.bytes(), std::string(bytes.begin(), bytes.end())) << value;
      ByteWriter signed_writer;
      signed_writer.WriteSignedVarInt(static_cast<int64_t>(value));
      const std::string& written = signed_writer.bytes();
      ByteReader reader({reinterpret_cast<const uint8_t*>(written.data()), written.size()});
      int64_t read;
      ASSERT_TRUE(reader.ReadSignedVarInt(read));
      EXPECT_EQ(read, static_cast<int64_t>(value));
    }
  }
}

TEST(ByteReaderTest, ReadsIntegersOfEveryLength) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const uint64_t delta : {-1, 0, 1}) {
      const uint64_t value = (uint64_t{1} << shift) + delta;
      const std::vector<uint8_t> bytes = Encode(value);
      ByteReader reader(bytes);
      uint64_t read;
      ASSERT_TRUE(reader.ReadVarInt(read)) << value;
      EXPECT_EQ(read, value);
      EXPECT_TRUE(reader.empty());
      for (size_t size = 0; size < bytes.size(); ++size) {
        ByteReader cut(llvm::ArrayRef(bytes).take_front(size));
        EXPECT_FALSE(cut.ReadVarInt(read)) << value << " in " << size << " bytes";
      }
    }
  }
}

TEST(ByteReaderTest, ReadsSignedIntegers) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, int64_t{1} << 40,
                              std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    const std::vector<uint8_t> bytes = Encode((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
    ByteReader reader(bytes);
    int64_t read;
    ASSERT_TRUE(reader.ReadSignedVarInt(read));
    EXPECT_EQ(read, value);
  }
}

TEST(ByteReaderTest, CountsAndBlobsDoNotExceedWhatIsThere) {
  const uint8_t bytes[] = {3 << 1 | 1, 'a', 'b'};
  uint64_t count;
  EXPECT_FALSE(ByteReader(bytes).ReadCount(count));
  llvm::ArrayRef<uint8_t> blob;
  EXPECT_FALSE(ByteReader(bytes).ReadBlob(blob));
  const uint8_t text[] = {'a', 'b'};
  llvm::StringRef string;
  EXPECT_FALSE(ByteReader(text).ReadCString(string));
  EXPECT_FALSE(ByteReader().ReadCString(string));
}

}  // namespace
}  // namespace treadle::stablehlo
