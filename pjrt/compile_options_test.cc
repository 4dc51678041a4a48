#include "pjrt/compile_options.h"

#include <gtest/gtest.h>

#include "pjrt/wire.h"

namespace treadle::pjrt {
namespace {

// What JAX sends, in short: CompileOptionsProto with build options, a device assignment and overrides.
std::string Sample(int replicas, int partitions, std::vector<int64_t> ids, bool packed = true) {
  std::string bytes;
  protozero::pbf_writer options(bytes);
  {
    protozero::pbf_writer build(options, 3);
    build.add_int64(1, -1);
    build.add_string(3, "debug options, which are skipped");
    build.add_int64(4, replicas);
    build.add_int64(5, partitions);
    build.add_bool(6, true);
    if (!ids.empty()) {
      protozero::pbf_writer assignment(build, 9);
      assignment.add_int32(1, replicas);
      assignment.add_int32(2, partitions);
      for (int partition = 0; partition < partitions; ++partition) {
        protozero::pbf_writer computation(assignment, 3);
        for (int replica = 0; replica < replicas && !packed; ++replica) {
          computation.add_int64(1, ids[partition * replicas + replica]);
        }
        auto first = ids.begin() + partition * replicas;
        if (packed) computation.add_packed_int64(1, first, first + replicas);
      }
    }
  }
  options.add_int64(5, -1);
  {
    protozero::pbf_writer entry(options, 7);
    entry.add_string(1, "xla_flag");
    protozero::pbf_writer value(entry, 2);
    value.add_double(4, 0.5);
  }
  return bytes;
}

TEST(CompileOptions, ReadsWhatJaxSends) {
  for (bool packed : {true, false}) {
    StatusOr<CompileOptions> options = ParseCompileOptions(Sample(2, 3, {5, 4, 3, 2, 1, 0}, packed));
    ASSERT_TRUE(options.ok()) << options.status().ToString();
    EXPECT_EQ(options->num_replicas, 2);
    EXPECT_EQ(options->num_partitions, 3);
    EXPECT_EQ(options->device_ordinal, -1);
    EXPECT_EQ(std::get<double>(options->overrides.at("xla_flag")), 0.5);
    ASSERT_TRUE(options->device_assignment.has_value());
    EXPECT_EQ(options->device_assignment->at(/*replica=*/1, /*partition=*/2), 0);
    EXPECT_EQ(options->device_assignment->at(/*replica=*/0, /*partition=*/1), 3);
  }
}

TEST(CompileOptions, AssignmentRoundTrip) {
  std::string bytes;
  protozero::pbf_writer options(bytes);
  {
    protozero::pbf_writer build(options, 3);
    build.add_int64(4, 2);
    build.add_int64(5, 1);
    build.add_message(9, DeviceAssignment{2, 1, {7, 0}}.Serialize());
  }
  StatusOr<CompileOptions> read = ParseCompileOptions(bytes);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->device_assignment->device_ids, (std::vector<int64_t>{7, 0}));
}

TEST(CompileOptions, EmptyMeansOneDevice) {
  StatusOr<CompileOptions> options = ParseCompileOptions("");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->num_replicas, 1);
  EXPECT_EQ(options->num_partitions, 1);
  EXPECT_FALSE(options->device_assignment.has_value());
}

TEST(CompileOptions, RefusesWhatDoesNotFit) {
  EXPECT_EQ(ParseCompileOptions("invalid compile options").status().message(),
            "failed to deserialize CompileOptionsProto");
  EXPECT_FALSE(ParseCompileOptions(Sample(-1, 1, {})).ok());
  EXPECT_FALSE(ParseCompileOptions(Sample(1 << 30, 1 << 30, {})).ok());
  const std::string good = Sample(2, 1, {0, 1});
  for (size_t i = 0; i < good.size(); ++i) {  // no crash, whatever comes
    (void)ParseCompileOptions(good.substr(0, i)).ok();
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      (void)ParseCompileOptions(damaged).ok();
    }
  }
}

}  // namespace
}  // namespace treadle::pjrt
