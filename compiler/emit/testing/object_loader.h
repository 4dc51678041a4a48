// Links an object into the test's process. Code stays until the loader goes.
#ifndef TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_
#define TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "executable/kernel_abi.h"

namespace treadle::emit {

class ObjectLoader {
 public:
  ObjectLoader();
  ~ObjectLoader();

  Status Add(std::string object);
  StatusOr<TreadleKernel> Find(const std::string& symbol);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace treadle::emit

#endif  // TREADLE_COMPILER_EMIT_TESTING_OBJECT_LOADER_H_
