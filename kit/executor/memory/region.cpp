// Names elements of regions for people.
#include "executor/memory/region.hpp"

namespace tilelab::simt {

std::string element_name(const Region& region, std::int64_t offset) {
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
