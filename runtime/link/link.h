// Linking of object code into this process.
//
// A kernel is linked once: the symbol of an emitted kernel contains a hash of all that its results depend on, so two
// objects that define one symbol compute the same, and the code found first serves all. One thing replaces it: code
// that was compiled quickly (Object::quick) gives way to code that was not. Linked code stays until the process ends,
// also where it was replaced, because it may be running.
#ifndef TREADLE_RUNTIME_LINK_LINK_H_
#define TREADLE_RUNTIME_LINK_LINK_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/executable.h"
#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle::link {

// A kernel and where its code is by now. Lives until the process ends. Thread-safe.
class LinkedKernel {
 public:
  TreadleKernel code() const { return code_.load(std::memory_order_acquire); }

 private:
  friend class Linker;
  std::atomic<TreadleKernel> code_{nullptr};
  bool quick_ = false;  // Linker's
};

// Changes after the code of kernels has been replaced: who keeps a code() asks for it again when this is another
// number. Costs a load.
uint64_t Generation();

// The kernels that `object` (relocatable ELF) defines under `symbols`, in that order. Links the object unless all of
// them are linked from code as good. What its code refers to is looked up among the registered symbols, the code that
// came with Treadle (kernels/builtin_code.h), the calls that compilers emit (libcalls.h) and kernels/table.h for
// `target`. INVALID_ARGUMENT for bytes that are no such object, NOT_FOUND for a symbol that it neither defines nor
// finds. Thread-safe; `object` is not used after the call.
StatusOr<std::vector<const LinkedKernel*>> LinkObject(const executable::Object& object,
                                                      std::span<const std::string> symbols,
                                                      const executable::Target& target);

// Makes `address` known as `name`: to object code, and as a kernel where an executable names it without an object.
// The first registration of a name stays. Thread-safe.
void RegisterSymbol(std::string_view name, void* address);

// A registered symbol; null where there is none. Thread-safe.
void* FindSymbol(std::string_view name);

// Objects linked so far in this process.
int64_t LinkedObjects();

}  // namespace treadle::link

#endif  // TREADLE_RUNTIME_LINK_LINK_H_
