// Where memory lies that kernels got from malloc or new: each launch has a piece of this range, most likely another one than the launch
// before. So an address that a kernel kept for a later launch is known.
#pragma once

#include <cstdint>

namespace tilelab::simt {

inline constexpr std::uintptr_t heap_first = 0x1E00'0000'0000, heap_end = 0x1F00'0000'0000;

}  // namespace tilelab::simt
