#include "runner/submission/shared_arrays.hpp"

#include <algorithm>
#include <vector>

#include "runner/launch_limits.hpp"

// The dynamic shared block. Through its address we find the thread-local segment that holds every shared array. The builder
// generates the assembly file that defines it.
extern "C" __thread char tilelab_dynamic_shared[];

namespace tilelab {
namespace {

constexpr std::size_t shared_slack_bytes = 4096;  // less than the padding that the builder places behind the block

}  // namespace

void place_shared(const Image& image, std::size_t dynamic_bytes, simt::MemoryMap& memory) {
  const auto segment = reinterpret_cast<std::uintptr_t>(tilelab_dynamic_shared) - image.dynamic_offset;
  std::vector<simt::Region> arrays = image.shared;
  std::size_t span = 0;
  std::erase_if(arrays, [&](simt::Region& array) {
    if (array.dynamic) array.bytes = dynamic_bytes;
    const bool changes = array.dynamic && image.launches_children;
    span = std::max(span, array.base + (changes ? std::max(array.bytes, most_shared_bytes) : array.bytes));
    array.base += segment;
    return array.bytes == 0 && !array.dynamic;  // an empty dynamic array stays: if shared_bytes was forgotten, the finding names this array
  });
  if (image.shared.empty()) return;
  memory.set_shared(segment, span + shared_slack_bytes, std::move(arrays));
  for (const simt::AddressRange& guard : image.guards) memory.add_guard(segment + guard.first, segment + guard.end);
}

}  // namespace tilelab
