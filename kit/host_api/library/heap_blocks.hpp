// The blocks of memory that the program has from malloc() and new, with their sizes: a copy that is longer than its block is found even
// where the host's heap happens to bear it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilelab_host {

// How many bytes lie from this address to the end of its block, or of the program's own variable. Nothing where neither is known: the
// stack, memory of libraries, what was freed.
std::optional<std::size_t> room_at(std::uintptr_t address);

// The size of the last block that was asked for and not given, because the program may have no more memory; 0: there was none.
std::size_t refused_bytes();

}  // namespace tilelab_host
