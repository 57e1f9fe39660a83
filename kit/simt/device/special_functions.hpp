// A thread's clock, and where an address points. The CPU executor has no time: its clock counts steps, and runs faster in a loop
// that does nothing but read it, so that a kernel that waits for a number of cycles ends.
#pragma once

#include <cstddef>

inline namespace cuda_on_cpu {

long long clock64();
bool __isGlobal(const void* address);
bool __isShared(const void* address);
bool __isConstant(const void* address);
bool __isLocal(const void* address);
std::size_t __cvta_generic_to_global(const void* address);
std::size_t __cvta_generic_to_shared(const void* address);
void* __cvta_global_to_generic(std::size_t address);
void* __cvta_shared_to_generic(std::size_t address);

}  // namespace cuda_on_cpu
