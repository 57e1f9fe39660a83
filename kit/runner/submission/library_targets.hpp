// Functions of the C library that a call through a pointer may go to: pure ones, which touch no memory.
#pragma once

#include <cstdint>
#include <string>

namespace tilelab {

// Throws std::runtime_error if it is none of those.
std::uintptr_t library_target(const std::string& name);

}  // namespace tilelab
