#include "compiler/cache/entry.h"

#include "gtest/gtest.h"

namespace treadle::cache {
namespace {

Entry SomeEntry() { return {{"first", std::string("sec\0ond", 7), ""}, {std::string("\0\1object\xff", 9), true}}; }

TEST(EntryTest, ComesBackAsItWas) {
  for (bool quick : {false, true}) {
    Entry entry = SomeEntry();
    entry.object.quick = quick;
    const StatusOr<Entry> read = Decode(Encode(entry, "build"), "build");
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(read->keys, entry.keys);
    EXPECT_EQ(read->object.bytes, entry.object.bytes);
    EXPECT_EQ(read->object.quick, quick);
  }
}

TEST(EntryTest, EveryLengthButItsOwnIsDamage) {
  std::string bytes = Encode(SomeEntry(), "build");
  for (size_t size = 0; size < bytes.size(); ++size) {
    const StatusOr<Entry> read = Decode(std::string_view(bytes).substr(0, size), "build");
    ASSERT_EQ(read.status().code(), StatusCode::kDataLoss) << size;
  }
  for (int more = 0; more < 40; ++more) {
    bytes += '\0';
    ASSERT_EQ(Decode(bytes, "build").status().code(), StatusCode::kDataLoss) << more;
  }
}

TEST(EntryTest, EveryFlippedBitIsDamage) {
  std::string bytes = Encode(SomeEntry(), "build");
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    ASSERT_EQ(Decode(bytes, "build").status().code(), StatusCode::kDataLoss) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
  EXPECT_TRUE(Decode(bytes, "build").ok());
}

TEST(EntryTest, OfAnotherBuildIsNotRead) {
  EXPECT_EQ(Decode(Encode(SomeEntry(), "build"), "other").status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace treadle::cache
