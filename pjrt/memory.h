// PJRT_Memory: a kind of memory of one device. All kinds are the same RAM here; JAX tells arrays apart by them.
#ifndef TREADLE_PJRT_MEMORY_H_
#define TREADLE_PJRT_MEMORY_H_

#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "pjrt/pjrt_c_api.h"
#include "pjrt/pjrt_c_api_extensions.h"

struct PJRT_MemoryDescription {
  std::string_view kind;
  int kind_id;
};

namespace treadle::pjrt {

// The first is the default one. JAX insists on the name "device" for it.
std::span<const PJRT_MemoryDescription> MemoryKinds();

// Position of a kind among them; that of the default one for "" and for kinds that are not known.
int MemoryKindIndex(std::string_view kind);

// Data that the client keeps with an object, by key. The client looks its own memory object up here on every dispatch,
// so a lookup takes no lock; there are few keys. Thread-safe; Set destroys what it replaces.
class UserData {
 public:
  using Deleter = void (*)(void*);

  UserData() = default;
  ~UserData();
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;

  void* Get(const void* key) const;
  void Set(const void* key, void* value, Deleter deleter);

 private:
  struct Entry {
    const void* key;
    std::atomic<void*> value;
    Deleter deleter;  // guarded by setting_
    Entry* next;
  };
  Entry* Find(const void* key) const;

  std::atomic<Entry*> first_{nullptr};  // entries stay until the end
  std::mutex setting_;
};

// The first word of a memory is public (since minor 105), so PJRT_Memory is a base and no opaque handle.
struct MemorySpace : PJRT_Memory {
  MemorySpace(int id, const PJRT_MemoryDescription& description, PJRT_Device* device, int device_id);

  const int id;
  const PJRT_MemoryDescription& description;
  PJRT_Device* const device;
  const std::string text;
  UserData user_data;
};

inline MemorySpace* ToMemorySpace(PJRT_Memory* memory) { return static_cast<MemorySpace*>(memory); }

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_MEMORY_H_
