// Program: what a compilation yields, shared by all handles that name it.
#ifndef TREADLE_PJRT_PROGRAM_H_
#define TREADLE_PJRT_PROGRAM_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/executable.h"
#include "pjrt/better_code.h"
#include "pjrt/compile_options.h"
#include "pjrt/pjrt_c_api.h"
#include "pjrt/pjrt_c_api_extensions.h"

namespace treadle::pjrt {

// Immutable; thread-safe. The arrays are those that the C API hands out, one entry for each result or parameter.
struct Program {
  // `source`: what was compiled, if it is at hand. `better`: where the good code of an executable arrives that has
  // quick code so far; null: all is there.
  Program(executable::Executable executable, CompileOptions options, std::string serialized_options,
          std::string source = "", std::shared_ptr<const BetterCode> better = nullptr);

  const executable::Executable executable;
  const CompileOptions options;
  const std::string serialized_options;  // CompileOptionsProto, as it came

  std::vector<PJRT_Buffer_Type> result_types;
  std::vector<int64_t> result_dims;  // of all results, one after another
  std::vector<size_t> result_ranks;
  struct Kinds {
    std::vector<const char*> names;
    std::vector<size_t> sizes;
    std::vector<int> indices;  // into MemoryKinds()

    void Add(std::string_view kind);
  };
  Kinds parameter_kinds, result_kinds;
  struct Shardings {  // OpSharding of XLA, serialised; empty for programs of one device
    std::vector<std::unique_ptr<std::string>> serialized;
    std::vector<const char*> data;
    std::vector<size_t> sizes;

    void Add(const Sharding& sharding);
  };
  Shardings parameter_shardings, result_shardings;
  std::vector<PJRT_Layouts_MemoryLayout*> result_layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> parameter_layouts;
  std::vector<PJRT_NamedValue> costs;  // by the names that XLA uses

  int64_t code_bytes() const;

  // The executable, with all of its good code, and its options as bytes, made when they are first asked for.
  const std::string& Serialized() const;
  // Of what the program computes, on which machine, by which compiler.
  const std::string& Fingerprint() const;
  // The optimised StableHLO as text. UNIMPLEMENTED where neither it nor the source was kept.
  const StatusOr<std::string>& OptimizedText() const;

  const std::shared_ptr<const BetterCode> better;

 private:
  const std::string source_;
  mutable std::once_flag serialize_once_, fingerprint_once_, text_once_;
  mutable std::string serialized_, fingerprint_;
  mutable std::optional<StatusOr<std::string>> text_;
};

// The executable inside, which keeps the program alive.
inline std::shared_ptr<const executable::Executable> ExecutableOf(const std::shared_ptr<const Program>& program) {
  return {program, &program->executable};
}

// What Serialized gave, read back. `overriding_options`, unless empty, stand in for the options inside.
// INVALID_ARGUMENT: not such bytes. FAILED_PRECONDITION: made by another version or for a machine unlike this one.
StatusOr<std::shared_ptr<const Program>> DeserializeProgram(std::string_view bytes,
                                                            std::string_view overriding_options);

// `function` is the name of the C function, for messages. `first_tier`: quick code may come first (see BetterCode); for
// programs that run here at once.
StatusOr<std::shared_ptr<const Program>> CompileProgram(std::string_view function, const PJRT_Program* program,
                                                        std::string_view serialized_options,
                                                        const executable::Target& target, bool first_tier);

}  // namespace treadle::pjrt

struct PJRT_Executable {
  std::shared_ptr<const treadle::pjrt::Program> program;
};

#endif  // TREADLE_PJRT_PROGRAM_H_
