// Compilation, execution and serialisation over the C API.
#include <algorithm>
#include <thread>

#include "pjrt/program.h"
#include "pjrt/test_client.h"
#include "pjrt/wire.h"

namespace treadle::pjrt {
namespace {

constexpr std::string_view kAdd = R"(
module @add {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

constexpr std::string_view kDonate = R"(
module @donate {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

class ExecutableApi : public ClientTest {
 protected:
  static PJRT_Executable* GetExecutable(PJRT_LoadedExecutable* loaded) {
    TREADLE_ARGS(PJRT_LoadedExecutable_GetExecutable, args);
    args.loaded_executable = loaded;
    TREADLE_CALL(PJRT_LoadedExecutable_GetExecutable, args);
    return args.executable;
  }
  static void Destroy(PJRT_Executable* executable) {
    TREADLE_ARGS(PJRT_Executable_Destroy, args);
    args.executable = executable;
    TREADLE_CALL(PJRT_Executable_Destroy, args);
  }
  using ClientTest::Destroy;

  // `bytes` outlives the call.
  PJRT_Executable_DeserializeAndLoad_Args LoadArgs(const std::string& bytes) {
    TREADLE_ARGS(PJRT_Executable_DeserializeAndLoad, args);
    args.client = client_;
    args.serialized_executable = bytes.data();
    args.serialized_executable_size = bytes.size();
    args.overridden_serialized_compile_options = nullptr;
    args.overridden_serialized_compile_options_size = 0;
    args.load_options = nullptr;
    return args;
  }

  void CheckAdds(PJRT_LoadedExecutable* loaded) {
    PJRT_Buffer* a = Floats({1, 2, 3, 4});
    PJRT_Buffer* b = Floats({10, 20, 30, 40});
    PJRT_Buffer* sum = Execute(loaded, {a, b});
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(Receive<float>(sum), (std::vector<float>{11, 22, 33, 44}));
    Destroy(a);
    Destroy(b);
    Destroy(sum);
  }
};

TEST_F(ExecutableApi, CompileAndExecute) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  CheckAdds(loaded);
  Destroy(loaded);
}

TEST_F(ExecutableApi, CompileErrors) {
  PJRT_LoadedExecutable* loaded;
  ExpectError(Compile(kAdd, &loaded, "invalid compile options"), PJRT_Error_Code_INVALID_ARGUMENT,
              "PJRT_Client_Compile: failed to deserialize CompileOptionsProto");
  ExpectError(Compile(kAdd, &loaded, "", "hlo"), PJRT_Error_Code_INVALID_ARGUMENT, "Unknown program format 'hlo'");
  ExpectError(Compile(kAdd, &loaded, "", "invalid"), PJRT_Error_Code_INVALID_ARGUMENT,
              "Unknown program format 'invalid'.");
  ExpectError(Compile("this is not valid MLIR at all", &loaded), PJRT_Error_Code_INVALID_ARGUMENT);
  ExpectError(Compile("", &loaded), PJRT_Error_Code_INVALID_ARGUMENT, "@main");  // an empty module
  const auto with_layout = [](const std::string& mode) {
    return "func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = \"" + mode +
           "\"}) { return %x : tensor<2x3xf32> }";
  };
  ExpectError(Compile(with_layout("{0,1}"), &loaded), PJRT_Error_Code_UNIMPLEMENTED,
              "the layout {0,1} of result 0, tensor<2x3xf32>");
  for (const char* mode : {"{1,0}", "auto", "default"}) Destroy(MustCompile(with_layout(mode)));
  std::string unknown;
  {
    protozero::pbf_writer options(unknown);
    protozero::pbf_writer entry(options, 7);
    entry.add_string(1, "no_such_option");
  }
  ExpectError(Compile(kAdd, &loaded, unknown), PJRT_Error_Code_INVALID_ARGUMENT, "no_such_option");
  std::string elsewhere;
  {
    protozero::pbf_writer options(elsewhere);
    protozero::pbf_writer build(options, 3);
    build.add_int64(1, 7);  // device_ordinal
  }
  ExpectError(Compile(kAdd, &loaded, elsewhere), PJRT_Error_Code_INVALID_ARGUMENT, "device_id 7");
}

TEST_F(ExecutableApi, ExecuteErrorsLeaveTheClientUsable) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  PJRT_Buffer* a = Floats({1, 2, 3, 4});
  PJRT_Buffer* three = Floats({1, 2, 3});
  PJRT_Buffer* deleted = Floats({1, 2, 3, 4});
  Delete(deleted);
  ErrorText error;
  Execute(loaded, {a}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT) << error.message;
  Execute(loaded, {a, nullptr}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT) << error.message;
  Execute(loaded, {a, three}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT) << error.message;
  Execute(loaded, {a, deleted}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT) << error.message;
  EXPECT_NE(error.message.find("deleted or donated"), std::string::npos) << error.message;
  CheckAdds(loaded);
  TREADLE_ARGS(PJRT_LoadedExecutable_Delete, remove);
  remove.executable = loaded;
  TREADLE_CALL(PJRT_LoadedExecutable_Delete, remove);
  Execute(loaded, {a, a}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT) << error.message;
  for (PJRT_Buffer* buffer : {a, three, deleted}) Destroy(buffer);
  Destroy(loaded);
}

TEST_F(ExecutableApi, DonatedInputsAreDeleted) {
  PJRT_LoadedExecutable* loaded = MustCompile(kDonate);
  ASSERT_NE(loaded, nullptr);
  PJRT_Buffer* a = Floats({1, 2, 3, 4});
  PJRT_Buffer* kept = Execute(loaded, {a}, nullptr, /*keep=*/{0});
  EXPECT_FALSE(IsDeleted(a));
  EXPECT_EQ(Receive<float>(kept), (std::vector<float>{2, 4, 6, 8}));
  PJRT_Buffer* taken = Execute(loaded, {a});
  EXPECT_TRUE(IsDeleted(a));
  EXPECT_EQ(Receive<float>(taken), (std::vector<float>{2, 4, 6, 8}));
  ErrorText error;
  Execute(loaded, {a}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_INVALID_ARGUMENT);
  for (PJRT_Buffer* buffer : {a, kept, taken}) Destroy(buffer);
  Destroy(loaded);
}

// A donation may not write where somebody else looks: host memory, or a view from outside.
TEST_F(ExecutableApi, DonationNeverTouchesMemoryOfOthers) {
  PJRT_LoadedExecutable* loaded = MustCompile(kDonate);
  ASSERT_NE(loaded, nullptr);
  alignas(64) float data[4] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  auto args = FromHost(data, PJRT_Buffer_Type_F32, dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  TREADLE_CALL(PJRT_Client_BufferFromHostBuffer, args);
  PJRT_Buffer* result = Execute(loaded, {args.buffer});
  EXPECT_TRUE(IsDeleted(args.buffer));
  EXPECT_EQ(data[3], 4);
  Destroy(args.buffer);
  EXPECT_EQ(Wait(args.done_with_host_buffer).code, PJRT_Error_Code_OK);

  TREADLE_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = result;
  TREADLE_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  const auto* view = static_cast<const float*>(Address(result));
  PJRT_Buffer* second = Execute(loaded, {result});
  EXPECT_EQ(view[3], 8);
  EXPECT_EQ(Receive<float>(second)[3], 16);
  TREADLE_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = result;
  TREADLE_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  Destroy(result);
  Destroy(second);
  Destroy(loaded);
}

TEST_F(ExecutableApi, AnErrorInAnArgumentReachesTheResults) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  const int64_t dims[] = {4};
  TREADLE_ARGS(PJRT_Client_CreateErrorBuffer, args);
  args.client = client_;
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = "lost";
  args.error_message_size = 4;
  args.shape_dims = dims;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.shape_layout = nullptr;
  args.memory = DefaultMemory(devices_[0]);
  TREADLE_CALL(PJRT_Client_CreateErrorBuffer, args);
  PJRT_Buffer* good = Floats({1, 2, 3, 4});
  ErrorText error;
  PJRT_Buffer* result = Execute(loaded, {good, args.buffer}, &error);
  EXPECT_EQ(error.code, PJRT_Error_Code_DATA_LOSS);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(Ready(result).code, PJRT_Error_Code_DATA_LOSS);
  for (PJRT_Buffer* buffer : {args.buffer, good, result}) Destroy(buffer);
  Destroy(loaded);
}

TEST_F(ExecutableApi, WhatAnExecutableSaysOfItself) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  PJRT_Executable* executable = GetExecutable(loaded);
  Destroy(loaded);  // the executable may live longer
  TREADLE_ARGS(PJRT_Executable_NumOutputs, outputs);
  outputs.executable = executable;
  TREADLE_CALL(PJRT_Executable_NumOutputs, outputs);
  EXPECT_EQ(outputs.num_outputs, 1u);
  TREADLE_ARGS(PJRT_Executable_OutputElementTypes, types);
  types.executable = executable;
  TREADLE_CALL(PJRT_Executable_OutputElementTypes, types);
  ASSERT_EQ(types.num_output_types, 1u);
  EXPECT_EQ(types.output_types[0], PJRT_Buffer_Type_F32);
  TREADLE_ARGS(PJRT_Executable_OutputDimensions, dims);
  dims.executable = executable;
  TREADLE_CALL(PJRT_Executable_OutputDimensions, dims);
  ASSERT_EQ(dims.num_outputs, 1u);
  ASSERT_EQ(dims.dim_sizes[0], 1u);
  EXPECT_EQ(dims.dims[0], 4);
  TREADLE_ARGS(PJRT_Executable_OutputMemoryKinds, kinds);
  kinds.executable = executable;
  TREADLE_CALL(PJRT_Executable_OutputMemoryKinds, kinds);
  EXPECT_EQ(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]), "device");
  TREADLE_ARGS(PJRT_Executable_GetCompiledMemoryStats, stats);
  stats.executable = executable;
  stats.struct_size = offsetof(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes);
  TREADLE_CALL(PJRT_Executable_GetCompiledMemoryStats, stats);
  EXPECT_EQ(stats.argument_size_in_bytes, 32);
  EXPECT_EQ(stats.output_size_in_bytes, 16);
  EXPECT_EQ(stats.peak_memory_in_bytes, static_cast<int64_t>(0xcdcdcdcdcdcdcdcd)) << "beyond the caller's struct";
  TREADLE_ARGS(PJRT_Executable_GetCostAnalysis, cost);
  cost.executable = executable;
  TREADLE_CALL(PJRT_Executable_GetCostAnalysis, cost);
  EXPECT_EQ(cost.num_properties, 2u);
  TREADLE_ARGS(PJRT_Executable_Fingerprint, fingerprint);
  fingerprint.executable = executable;
  TREADLE_CALL(PJRT_Executable_Fingerprint, fingerprint);
  EXPECT_EQ(fingerprint.executable_fingerprint_size, 32u);
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  TREADLE_ARGS(PJRT_Executable_OptimizedProgram, text);
  text.executable = executable;
  text.program = &program;
  TREADLE_CALL(PJRT_Executable_OptimizedProgram, text);
  EXPECT_EQ(std::string(program.format, program.format_size), "mlir");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  TREADLE_CALL(PJRT_Executable_OptimizedProgram, text);
  EXPECT_NE(code.find("stablehlo.add"), std::string::npos) << code;
  program.code_size -= 1;
  ExpectError(Api()->PJRT_Executable_OptimizedProgram(&text), PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(executable);
}

TEST_F(ExecutableApi, DevicesOfTheAssignment) {
  std::string options;
  {
    protozero::pbf_writer writer(options);
    protozero::pbf_writer build(writer, 3);
    build.add_int64(1, 1);  // device_ordinal
  }
  PJRT_LoadedExecutable* loaded = nullptr;
  ASSERT_TRUE(ExpectOk(Compile(kAdd, &loaded, options), "PJRT_Client_Compile"));
  TREADLE_ARGS(PJRT_LoadedExecutable_AddressableDevices, devices);
  devices.executable = loaded;
  TREADLE_CALL(PJRT_LoadedExecutable_AddressableDevices, devices);
  ASSERT_EQ(devices.num_addressable_devices, 1u);
  EXPECT_EQ(devices.addressable_devices[0], devices_[1]);
  TREADLE_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  assignment.executable = loaded;
  TREADLE_CALL(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  // {1: 1 replica, 2: 1 computation, 3: {1: packed [1]}}
  EXPECT_EQ(std::string(assignment.serialized_bytes, assignment.serialized_bytes_size),
            std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01\x01"));
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  TREADLE_ARGS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  ids.executable = loaded;
  TREADLE_CALL(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  EXPECT_EQ(ids.num_addressable_device_logical_ids, 1u);
  Destroy(loaded);
}

TEST_F(ExecutableApi, SerializeAndLoad) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  PJRT_Executable* executable = GetExecutable(loaded);
  TREADLE_ARGS(PJRT_Executable_Serialize, serialize);
  serialize.executable = executable;
  TREADLE_CALL(PJRT_Executable_Serialize, serialize);
  std::string bytes(serialize.serialized_bytes, serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  PJRT_Executable_DeserializeAndLoad_Args read = LoadArgs(bytes);
  TREADLE_CALL(PJRT_Executable_DeserializeAndLoad, read);
  CheckAdds(read.loaded_executable);
  Destroy(read.loaded_executable);
  TREADLE_ARGS(PJRT_Client_Load, load);
  load.client = client_;
  load.executable = executable;
  load.compile_options = nullptr;
  load.compile_options_size = 0;
  TREADLE_CALL(PJRT_Client_Load, load);
  CheckAdds(load.loaded_executable);
  Destroy(load.loaded_executable);
  bytes[bytes.size() / 2] ^= 1;
  ExpectError(Api()->PJRT_Executable_DeserializeAndLoad(&read), PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(executable);
  Destroy(loaded);
}

TEST_F(ExecutableApi, CodeForAnotherMachineIsNotLoaded) {
  PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
  ASSERT_NE(loaded, nullptr);
  PJRT_Executable* executable = GetExecutable(loaded);
  const Program& program = *executable->program;
  executable::Executable foreign = program.executable;
  foreign.target.isa = executable::IsaLevel::kV4;
  foreign.target.avx512_bf16 = foreign.target.avx512_vnni = true;
  const bool everything_runs = executable::HostRuns(foreign.target);
  const std::string bytes = Program(std::move(foreign), program.options, program.serialized_options).Serialized();
  Destroy(executable);
  Destroy(loaded);
  if (everything_runs) GTEST_SKIP() << "there is no code that this machine does not run";
  PJRT_Executable_DeserializeAndLoad_Args read = LoadArgs(bytes);
  ExpectError(Api()->PJRT_Executable_DeserializeAndLoad(&read), PJRT_Error_Code_FAILED_PRECONDITION,
              "x86-64-v4+bf16+vnni, which this machine cannot run");
}

// A program that begins with quick code: the good code comes while it runs, gives the same bits, and is what is stored.
TEST_F(ExecutableApi, QuickCodeGivesWayToGoodCode) {
  constexpr std::string_view kChain = R"(
    module @chain {
      func.func public @main(%a: tensor<20000xf32>) -> tensor<20000xf32> {
        %0 = stablehlo.exponential %a : tensor<20000xf32>
        %1 = stablehlo.multiply %0, %a : tensor<20000xf32>
        %2 = stablehlo.tanh %1 : tensor<20000xf32>
        %3 = stablehlo.add %2, %0 : tensor<20000xf32>
        return %3 : tensor<20000xf32>
      }
    })";
  PJRT_LoadedExecutable* loaded = MustCompile(kChain);
  ASSERT_NE(loaded, nullptr);
  std::vector<float> in(20000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 0.0003f * static_cast<float>(i) - 3;
  PJRT_Buffer* a = Floats(in);
  PJRT_Buffer* before = Execute(loaded, {a});
  PJRT_Executable* executable = GetExecutable(loaded);
  const executable::Executable& first = executable->program->executable;
  EXPECT_TRUE(std::ranges::any_of(first.objects, [](const executable::Object& object) { return object.quick; }));
  const std::string fingerprint = executable->program->Fingerprint();
  const auto stored = DeserializeProgram(executable->program->Serialized(), "");  // waits for the good code
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  for (const executable::Object& object : (*stored)->executable.objects) EXPECT_FALSE(object.quick);
  EXPECT_EQ((*stored)->Fingerprint(), fingerprint);
  PJRT_Buffer* after = Execute(loaded, {a});
  EXPECT_EQ(Receive<float>(after), Receive<float>(before));
  PJRT_LoadedExecutable* again = MustCompile(kChain);
  PJRT_Executable* second = GetExecutable(again);
  for (const executable::Object& object : second->program->executable.objects) EXPECT_FALSE(object.quick);
  EXPECT_EQ(second->program->Fingerprint(), fingerprint);
  for (PJRT_Buffer* buffer : {a, before, after}) Destroy(buffer);
  for (PJRT_Executable* e : {executable, second}) Destroy(e);
  for (PJRT_LoadedExecutable* e : {loaded, again}) Destroy(e);
}

TEST_F(ExecutableApi, CompileWithoutAClient) {
  TREADLE_ARGS(PJRT_Client_TopologyDescription, topology);
  topology.client = client_;
  TREADLE_CALL(PJRT_Client_TopologyDescription, topology);
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(kAdd.data());
  program.code_size = kAdd.size();
  program.format = "mlir";
  program.format_size = 4;
  TREADLE_ARGS(PJRT_Compile, args);
  args.topology = topology.topology;
  args.program = &program;
  args.compile_options = nullptr;
  args.compile_options_size = 0;
  args.client = nullptr;
  TREADLE_CALL(PJRT_Compile, args);
  TREADLE_ARGS(PJRT_Client_Load, load);
  load.client = client_;
  load.executable = args.executable;
  load.compile_options = nullptr;
  load.compile_options_size = 0;
  TREADLE_CALL(PJRT_Client_Load, load);
  CheckAdds(load.loaded_executable);
  Destroy(load.loaded_executable);
  Destroy(args.executable);
}

TEST_F(ExecutableApi, ManyThreadsCompileAndRun) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this] {
      PJRT_LoadedExecutable* loaded = MustCompile(kAdd);
      ASSERT_NE(loaded, nullptr);
      for (int round = 0; round < 50; ++round) CheckAdds(loaded);
      Destroy(loaded);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace treadle::pjrt
