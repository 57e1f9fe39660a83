// A named piece of memory that a kernel may use: a buffer, a shared array, the module's own data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

enum class BufferRole : std::uint8_t { input, output, inout, local };

class DeviceHeap;
struct ByteMarks;

struct Region {
  std::string name;  // "A", "As"
  Space space = Space::global;
  BufferRole role = BufferRole::local;
  std::uintptr_t base = 0;  // address of its first byte
  std::size_t bytes = 0;
  std::size_t span_offset = 0;  // of a shared array: bytes from the start of the span
  std::string element = "float";
  std::size_t element_bytes = 4;
  std::vector<std::size_t> dimensions;  // of a shared array: {16, 16}; of a matrix: {rows, row_elements}; empty: unknown
  bool dynamic = false;                 // extern __shared__
  bool texels = false;                  // of a texture or a surface: named by rows, as no pointer leads to it
  const DeviceHeap* heap = nullptr;     // all that a kernel allocates: which allocation an address belongs to
  bool in_frame = false;                // a local variable of a thread
  bool freed = false;                   // of the heap: what was freed when it was used
  bool constant = false;                // the module's constants: reads of them are not announced
  std::size_t room = 0;                 // of a variable of the module: bytes from its first byte in which nothing else lies
  ByteMarks* marks = nullptr;           // of a whole program's memory: which bytes hold a value, beyond this launch
  std::size_t named_from = 0;           // bytes from the start at which the element of index 0 lies
};

// An access to the module's `__constant__` data, which has a cache of its own.
inline bool is_constant(const Access& access) {
  return access.space == Space::module && access.region != nullptr && access.region->role == BufferRole::input;
}

// "As[3][17]", as the kernel would write it. A global buffer is a pointer in the kernel, so "A[1056]". `offset` is in bytes from
// the region's start. Before the start and past the end, the outermost index continues.
inline std::string element_name(const Region& region, std::int64_t offset) {
  if (region.name.empty() || region.element_bytes == 0) return {};
  const auto size = static_cast<std::int64_t>(region.element_bytes);
  offset -= static_cast<std::int64_t>(region.named_from);
  std::int64_t index = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  const bool one_object =
      region.space != Space::global && !region.dynamic && region.dimensions.empty() && region.bytes <= region.element_bytes;
  if (one_object && index == 0) {  // a variable or a struct, not an array
    return region.bytes <= sizeof(std::int64_t) ? region.name : region.name + " at byte " + std::to_string(offset);
  }
  if (region.dimensions.size() < 2 || (region.space == Space::global && !region.texels)) {
    return region.name + "[" + std::to_string(index) + "]";
  }
  std::string indices;
  for (std::size_t d = region.dimensions.size(); d-- > 1;) {
    const auto extent = static_cast<std::int64_t>(region.dimensions[d]);
    if (extent <= 0) return region.name + "[" + std::to_string(index) + "]";
    const std::int64_t within = ((index % extent) + extent) % extent;
    indices = "[" + std::to_string(within) + "]" + indices;
    index = (index - within) / extent;
  }
  return region.name + "[" + std::to_string(index) + "]" + indices;
}

}  // namespace tilelab::simt
