// A thread's clock, and where an address points. The CPU executor has no time: its clock counts steps, and runs faster in a loop
// that does nothing but read it, so that a kernel that waits for a number of cycles ends.
#pragma once

#include <cstddef>

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

long long clock64() TILELAB_DOES(return Machine::active() ? static_cast<long long>(Machine::current().clock(TILELAB_STATEMENT)) : 0);
bool __isGlobal(const void* address) TILELAB_DOES(return TILELAB_LIES(is_global, address));
bool __isShared(const void* address) TILELAB_DOES(return TILELAB_LIES(is_shared, address));
bool __isConstant(const void* address) TILELAB_DOES(return TILELAB_LIES(is_constant, address));
bool __isLocal(const void* address) TILELAB_DOES(return TILELAB_LIES(is_local, address));
std::size_t __cvta_generic_to_global(const void* address) TILELAB_DOES(return reinterpret_cast<std::size_t>(address));
std::size_t __cvta_generic_to_shared(const void* address)
    TILELAB_DOES(return Machine::active() ? reinterpret_cast<std::size_t>(address) - Machine::current().shared_base() : 0);
void* __cvta_global_to_generic(std::size_t address) TILELAB_DOES(return reinterpret_cast<void*>(address));
void* __cvta_shared_to_generic(std::size_t address)
    TILELAB_DOES(return reinterpret_cast<void*>(Machine::active() ? address + Machine::current().shared_base() : 0));

}  // namespace cuda_on_cpu
