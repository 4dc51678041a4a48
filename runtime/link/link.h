// Linking of object code into this process.
//
// A kernel is linked once: the symbol of an emitted kernel contains a hash of all that its code depends on, so two
// objects that define one symbol define the same code, and the address found first serves all. Linked code stays until
// the process ends.
#ifndef TREADLE_RUNTIME_LINK_LINK_H_
#define TREADLE_RUNTIME_LINK_LINK_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "executable/kernel_abi.h"
#include "executable/target.h"

namespace treadle::link {

// The kernels that `object` (relocatable ELF) defines under `symbols`, in that order. Links the object unless all of
// them are linked. What its code refers to is looked up among the registered symbols, the calls that compilers emit
// (libcalls.h) and kernels/table.h for `target`. INVALID_ARGUMENT for bytes that are no such object, NOT_FOUND for a
// symbol that it neither defines nor finds. Thread-safe; `object` is not used after the call.
StatusOr<std::vector<TreadleKernel>> LinkObject(std::string_view object, std::span<const std::string> symbols,
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
