// The functions of device/special_functions.hpp, and clock(), which the C library declares.
#include "simt/device/special_functions.hpp"
#include "simt/device_impl/announcing.hpp"

using tilelab::simt::Machine;

inline namespace cuda_on_cpu {

long long clock64() { return Machine::active() ? static_cast<long long>(Machine::current().clock(TILELAB_STATEMENT)) : 0; }

bool __isGlobal(const void* address) {
  return Machine::active() && Machine::current().is_global(reinterpret_cast<std::uintptr_t>(address));
}
bool __isShared(const void* address) {
  return Machine::active() && Machine::current().is_shared(reinterpret_cast<std::uintptr_t>(address));
}
bool __isConstant(const void* address) {
  return Machine::active() && Machine::current().is_constant(reinterpret_cast<std::uintptr_t>(address));
}
bool __isLocal(const void* address) { return Machine::active() && Machine::current().is_local(reinterpret_cast<std::uintptr_t>(address)); }

std::size_t __cvta_generic_to_global(const void* address) { return reinterpret_cast<std::size_t>(address); }
void* __cvta_global_to_generic(std::size_t address) { return reinterpret_cast<void*>(address); }
std::size_t __cvta_generic_to_shared(const void* address) {
  return Machine::active() ? reinterpret_cast<std::size_t>(address) - Machine::current().shared_base() : 0;
}
void* __cvta_shared_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(Machine::active() ? address + Machine::current().shared_base() : 0);
}

}  // namespace cuda_on_cpu

extern "C" long tilelab_clock() { return Machine::active() ? static_cast<long>(Machine::current().clock(TILELAB_STATEMENT)) : 0; }
