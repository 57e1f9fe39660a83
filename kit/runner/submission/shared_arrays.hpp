// The kernel's shared arrays as a launch sees them: static ones, and the dynamic one, which has the size that the launch asks for.
#pragma once

#include <cstddef>

#include "runner/submission/image.hpp"
#include "simt/memory/memory_map.hpp"

namespace tilelab {

void place_shared(const Image& image, std::size_t dynamic_bytes, simt::MemoryMap& memory);

}  // namespace tilelab
