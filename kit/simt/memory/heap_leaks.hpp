// What a kernel allocated and nobody has freed when it ends. Of that, what no pointer in global memory leads to is lost: no later kernel
// can free it. Like a leak checker on a host, it takes every aligned word for a pointer that could be one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/memory/memory_map.hpp"

namespace tilelab::simt {

// Of one statement.
struct Leak {
  std::uintptr_t allocated_by = 0;
  bool is_lost = false;
  std::size_t bytes = 0;
  std::size_t threads = 0;  // that allocated it
  ThreadRef by;             // the first of them
};

// In the order of the statements. Of a statement that lost some, only that is told.
std::vector<Leak> leaks_of(const MemoryMap& memory);

}  // namespace tilelab::simt
