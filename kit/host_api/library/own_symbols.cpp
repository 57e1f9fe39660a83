// Implements own_symbols.hpp: reads the section headers of an ELF file of this machine.
#include "host_api/library/own_symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

namespace tilelab_host {
namespace {

// The whole file, mapped for reading; empty where that is not possible.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    struct stat about;
    if (::fstat(file, &about) == 0 && about.st_size > 0) {
      void* place = ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (place != MAP_FAILED) bytes_ = {static_cast<const char*>(place), static_cast<std::size_t>(about.st_size)};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  // `count` objects at this offset, or null where the file ends before them.
  template <typename T>
  const T* at(std::size_t offset, std::size_t count = 1) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

 private:
  std::string_view bytes_;
};

// The name of a kernel from that of its mark, `_ZZ<encoding>E19tilelab_kernel_mark`. A function with C's linkage has no parameters in
// its encoding, and its own symbol is its plain name.
std::optional<std::string> kernel_of(std::string_view mark) {
  const std::size_t end = mark.find("E19tilelab_kernel_mark");
  if (!mark.starts_with("_ZZ") || end == std::string_view::npos) return std::nullopt;
  const std::string_view encoding = mark.substr(3, end - 3);
  std::size_t digits = 0, length = 0;
  while (digits < encoding.size() && digits < 6 && std::isdigit(static_cast<unsigned char>(encoding[digits])))
    length = 10 * length + static_cast<std::size_t>(encoding[digits++] - '0');
  if (digits > 0 && digits + length == encoding.size()) return std::string(encoding.substr(digits));
  return "_Z" + std::string(encoding);
}

}  // namespace

const OwnSymbols& OwnSymbols::read() {
  static const OwnSymbols symbols = [] {
    OwnSymbols own("/proc/self/exe");  // a sandbox may have no /proc
    if (!own.symbols_.empty()) return own;
    return OwnSymbols(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)));
  }();
  return symbols;
}

OwnSymbols::OwnSymbols(const char* path) {
  const MappedFile file(path);
  const auto* head = file.at<Elf64_Ehdr>(0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return;
  const auto* sections = file.at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
  if (!sections) return;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum) continue;
    const std::size_t count = sections[i].sh_size / sizeof(Elf64_Sym);
    const Elf64_Shdr& names = sections[sections[i].sh_link];
    const auto* symbols = file.at<Elf64_Sym>(sections[i].sh_offset, count);
    const auto* text = file.at<char>(names.sh_offset, names.sh_size);
    if (!symbols || !text || names.sh_size == 0 || text[names.sh_size - 1] != '\0') return;
    for (std::size_t k = 0; k < count; ++k) {
      const int type = ELF64_ST_TYPE(symbols[k].st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || symbols[k].st_shndx == SHN_UNDEF || symbols[k].st_name >= names.sh_size) continue;
      symbols_.push_back({symbols[k].st_value, symbols[k].st_size, type == STT_FUNC, text + symbols[k].st_name});
    }
  }
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

const Symbol* OwnSymbols::at_or_before(std::uintptr_t address) const {
  const auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                      [](std::uintptr_t wanted, const Symbol& one) { return wanted < one.address; });
  return after == symbols_.begin() ? nullptr : &*std::prev(after);
}

const Symbol* OwnSymbols::function_at(std::uintptr_t address) const {
  for (const Symbol* one = at_or_before(address); one && one >= symbols_.data() && one->address == address; --one) {
    if (one->is_function) return one;
    if (one == symbols_.data()) break;
  }
  return nullptr;
}

const void* OwnSymbols::function_named(const std::string& name) const {
  const auto found = std::find_if(symbols_.begin(), symbols_.end(), [&](const Symbol& one) { return one.is_function && one.name == name; });
  return found == symbols_.end() ? nullptr : reinterpret_cast<const void*>(found->address);
}

const Symbol* OwnSymbols::variable_around(std::uintptr_t address) const {
  const Symbol* one = at_or_before(address);
  return one && !one->is_function && address - one->address < one->bytes ? one : nullptr;
}

std::optional<std::string> OwnSymbols::kernel_of_mark(std::uintptr_t address) const {
  const Symbol* mark = variable_around(address);
  return mark ? kernel_of(mark->name) : std::nullopt;
}

}  // namespace tilelab_host
