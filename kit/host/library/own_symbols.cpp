// Implements what host_session.hpp declares about the program's own symbols.

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

#include "host/library/host_session.hpp"

namespace tilelab_host {
namespace {

// `count` objects at this offset of a file's content, or null where it ends before them.
template <typename T>
const T* at(const std::vector<char>& file, std::size_t offset, std::size_t count = 1) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(file.data() + offset);
}

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
  std::ifstream content(path != nullptr ? path : "", std::ios::binary | std::ios::ate);
  std::vector<char> file(content ? static_cast<std::size_t>(content.tellg()) : 0);
  content.seekg(0).read(file.data(), static_cast<std::streamsize>(file.size()));
  const auto* head = content ? at<Elf64_Ehdr>(file, 0) : nullptr;
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return;
  const auto* sections = at<Elf64_Shdr>(file, head->e_shoff, head->e_shnum);
  if (!sections) return;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum) continue;
    const std::size_t count = sections[i].sh_size / sizeof(Elf64_Sym);
    const Elf64_Shdr& names = sections[sections[i].sh_link];
    const auto* symbols = at<Elf64_Sym>(file, sections[i].sh_offset, count);
    const auto* text = at<char>(file, names.sh_offset, names.sh_size);
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

const Symbol* OwnSymbols::variable_around(std::uintptr_t address) const {
  const Symbol* one = at_or_before(address);
  return one && !one->is_function && address - one->address < one->bytes ? one : nullptr;
}

std::optional<std::string> OwnSymbols::kernel_of_mark(std::uintptr_t address) const {
  const Symbol* mark = variable_around(address);
  return mark ? kernel_of(mark->name) : std::nullopt;
}

}  // namespace tilelab_host

// The section of __managed__ variables begins and ends here; the linker defines both where there is one.
extern "C" {
__attribute__((weak)) extern char __start_tilelab_managed[];
__attribute__((weak)) extern char __stop_tilelab_managed[];
// One page at the end of the section: the last variable is mapped in whole pages, and nothing else may share its page. The library is
// linked behind the program.
__attribute__((section("tilelab_managed"), aligned(4096), used)) char tilelab_managed_end[4096] = {0};
}

namespace tilelab_host {
namespace {

constexpr std::size_t section_page = 4096;
std::mutex addresses_mutex;
std::map<std::uintptr_t, std::uintptr_t> known_addresses;  // the address on the device of the variable at this address

bool is_managed(std::uintptr_t address) {
  return address != reinterpret_cast<std::uintptr_t>(tilelab_managed_end) &&
         address >= reinterpret_cast<std::uintptr_t>(__start_tilelab_managed) &&
         address < reinterpret_cast<std::uintptr_t>(__stop_tilelab_managed);
}

const Symbol* variable(const void* symbol) {
  const Symbol* found = OwnSymbols::read().variable_around(number_of(symbol));
  return found && found->address == number_of(symbol) ? found : nullptr;
}

}  // namespace

cudaError_t address_of_variable(const void* symbol, void** pointer, const Call& call) {
  (void)Session::open();  // fills `known_addresses`
  const Symbol* named = variable(symbol);
  if (!named || !pointer) return refuse(call, named ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
  const std::lock_guard lock(addresses_mutex);
  const auto before = known_addresses.find(named->address);
  std::uintptr_t address = before == known_addresses.end() ? 0 : before->second;
  if (address == 0) {
    const Reply reply = move("symbol", call, {{"name", named->name}, {"bytes", named->bytes}, {"kind", "device"}},
                             {named->address, 1, named->bytes, named->bytes});
    if (reply.error() != cudaSuccess) return reply.error();
    address = known_addresses[named->address] = reply.fields.value("address", std::uintptr_t{0});
  }
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

void map_managed_variables() {
  for (const Symbol& one : OwnSymbols::read().all()) {
    if (one.is_function || one.bytes == 0 || !is_managed(one.address) || one.address % section_page != 0) continue;
    const Reply reply =
        move("symbol", {}, {{"name", one.name}, {"bytes", one.bytes}, {"kind", "managed"}}, {one.address, 1, one.bytes, one.bytes});
    if (reply.error() != cudaSuccess || reply.descriptors.empty()) continue;
    map_shared(one.address, one.bytes, reply, reply.fields, true);
    const std::lock_guard lock(addresses_mutex);
    known_addresses[one.address] = reply.fields.value("address", std::uintptr_t{0});
  }
}

}  // namespace tilelab_host
