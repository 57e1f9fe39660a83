// malloc, free, new and delete as device code calls them. The submission's calls are redirected here.
#include <cstddef>
#include <cstdint>

#include "simt/device_impl/announcing.hpp"
#include "simt/machine/machine.hpp"

#define TILELAB_ALLOCATE(bytes) reinterpret_cast<void*>(tilelab::simt::Machine::current().allocate(bytes, TILELAB_STATEMENT))
#define TILELAB_FREE(address) tilelab::simt::Machine::current().release(reinterpret_cast<std::uintptr_t>(address), TILELAB_STATEMENT)

extern "C" {

void* tilelab_malloc(std::size_t bytes) { return TILELAB_ALLOCATE(bytes); }
void tilelab_free(void* address) { TILELAB_FREE(address); }

// new and new[]; CUDA's answer null where there is no memory left.
void* tilelab_Znwm(std::size_t bytes) { return TILELAB_ALLOCATE(bytes == 0 ? 1 : bytes); }
void* tilelab_Znam(std::size_t bytes) { return TILELAB_ALLOCATE(bytes == 0 ? 1 : bytes); }

// delete and delete[], the second of each with the object's size
void tilelab_ZdlPv(void* address) { TILELAB_FREE(address); }
void tilelab_ZdaPv(void* address) { TILELAB_FREE(address); }
void tilelab_ZdlPvm(void* address, std::size_t) { TILELAB_FREE(address); }
void tilelab_ZdaPvm(void* address, std::size_t) { TILELAB_FREE(address); }

[[noreturn]] void tilelab_cxa_throw_bad_array_new_length() {
  tilelab::simt::Machine::current().trap("asks new for an array of a length that cannot be", TILELAB_STATEMENT);
}

}  // extern "C"
