// What tests of emitted code need: the targets that this machine can run, and objects linked into the test's process.
#ifndef TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_
#define TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle::emit {

// Every level of the host's instruction set.
std::vector<executable::Target> HostTargets();

// Code stays until the loader goes.
class ObjectLoader {
 public:
  ObjectLoader();
  ~ObjectLoader();

  // Before Add: what objects may refer to.
  void Define(const std::string& symbol, void* address);
  Status Add(std::string object);
  StatusOr<TreadleKernel> Find(const std::string& symbol);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_
