#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace treadle {
namespace {

struct Search {
  uintptr_t here;  // an address in the file that is looked for
  std::string id;
};

std::string Hex(const unsigned char* bytes, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

size_t Align(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

// A segment of notes: each a header, a name and a description, the last two padded.
std::string IdInNotes(std::string_view notes, size_t alignment) {
  constexpr char kGnu[] = "GNU";  // with the zero byte at its end
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t description = Align(sizeof note + note.n_namesz, alignment);
    const size_t end = Align(description + note.n_descsz, alignment);
    if (description + note.n_descsz > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof note, note.n_namesz) == std::string_view(kGnu, sizeof kGnu)) {
      return Hex(reinterpret_cast<const unsigned char*>(notes.data()) + description, note.n_descsz);
    }
    if (end >= notes.size()) return {};
    notes.remove_prefix(end);
  }
  return {};
}

int Visit(dl_phdr_info* file, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool found = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = file->dlpi_phdr[i];
    found |= segment.p_type == PT_LOAD && search.here - file->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  }
  if (!found) return 0;
  for (int i = 0; i < file->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) & segment = file->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* notes = reinterpret_cast<const char*>(file->dlpi_addr + segment.p_vaddr);
    search.id = IdInNotes({notes, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
  }
  return 1;
}

}  // namespace

std::string BuildId() {
  Search search{reinterpret_cast<uintptr_t>(&BuildId), {}};
  dl_iterate_phdr(Visit, &search);
  return search.id;
}

}  // namespace treadle
