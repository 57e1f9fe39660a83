// The module's data as a launch sees it: its variables, and the constants without a name between them.
#pragma once

#include <cstdint>
#include <map>

#include "runner/submission/image.hpp"
#include "simt/memory/memory_map.hpp"

namespace tilelab {

// Adds variables by name, and then the bytes of their sections that are in no variable's room. `marks`: of variables whose use is
// followed, by their addresses.
void add_module(const Image& image, simt::MemoryMap& memory, const std::map<std::uintptr_t, simt::ByteMarks*>& marks = {});

}  // namespace tilelab
