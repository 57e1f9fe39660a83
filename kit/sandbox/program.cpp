// Finds the program's path, and its PT_INTERP entry.
#include "sandbox/program.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "sandbox/failure.hpp"

namespace tilelab::sandbox {

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  std::string present;
  std::vector<std::string> candidates{name};
  if (name.find('/') == std::string::npos) {
    candidates.clear();
    for (const std::string& folder : folders) candidates.push_back(folder + "/" + name);
  }
  for (const std::string& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (access(candidate.c_str(), F_OK) == 0) present = candidate;
  }
  if (!present.empty()) throw Failure("'" + present + "' may not be executed", not_executable_status);
  throw Failure("there is no program '" + name + "'", not_found_status);
}

std::string loader_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::size_t{index} * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
    return loader.c_str();  // without its terminating zero
  }
  return {};
}

}  // namespace tilelab::sandbox
