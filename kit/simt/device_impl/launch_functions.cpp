// What kernels call to launch others.
#include "simt/device/launch_functions.hpp"
#include "simt/device_impl/announcing.hpp"

using tilelab::simt::ChildGrid;
using tilelab::simt::Machine;

static_assert(sizeof(__child_configuration) == sizeof(ChildGrid::Configuration));

inline namespace cuda_on_cpu {

int __child_grid(const __child_configuration* configuration, void (*run)(void*), const void* arguments, std::size_t bytes) {
  return Machine::current().launch_child(reinterpret_cast<std::uintptr_t>(configuration), reinterpret_cast<std::uintptr_t>(run),
                                         reinterpret_cast<std::uintptr_t>(arguments), bytes, TILELAB_PC, TILELAB_CALLER_FRAME);
}

bool __never() { return false; }

int __last_launch_error(bool forget) { return Machine::current().last_launch_error(forget); }

cudaStream_t __new_stream() { return reinterpret_cast<cudaStream_t>(Machine::current().new_stream()); }

}  // namespace cuda_on_cpu
