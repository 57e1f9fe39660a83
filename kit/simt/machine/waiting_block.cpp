// Copies of shared memory, array by array: what lies between them may belong to others.
#include "simt/machine/waiting_block.hpp"

#include <cstring>

namespace tilelab::simt {
namespace {

template <typename Visit>
void each_shared_range(const MemoryMap& memory, Visit visit) {
  for (const Region& array : memory.shared_arrays()) visit(array.base, array.bytes);
  for (const auto& [first, end] : memory.guards()) visit(first, end - first);
}

}  // namespace

std::vector<unsigned char> shared_content(const MemoryMap& memory) {
  std::vector<unsigned char> content;
  each_shared_range(memory, [&](std::uintptr_t first, std::size_t bytes) {
    const auto* from = reinterpret_cast<const unsigned char*>(first);
    content.insert(content.end(), from, from + bytes);
  });
  return content;
}

void restore_shared(const MemoryMap& memory, const std::vector<unsigned char>& content) {
  std::size_t at = 0;
  each_shared_range(memory, [&](std::uintptr_t first, std::size_t bytes) {
    if (bytes != 0) std::memcpy(reinterpret_cast<void*>(first), content.data() + at, bytes);
    at += bytes;
  });
}

}  // namespace tilelab::simt
