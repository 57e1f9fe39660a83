// What a launch and a kernel become in host code. `kernel<<<grid, block, shared, stream>>>(a, b)` is written as
//
//   (::tilelab_host::configure(grid, block, shared, stream), kernel(a, b))
//
// and the body of the kernel as `{ static char tilelab_kernel_mark; ::tilelab_host::launch_kernel(&tilelab_kernel_mark, a, b); }`. So the
// compiler itself chooses overloads, deduces template arguments and converts arguments, and the mark's name in the program's symbol
// table says which instance was called.
#pragma once

#include <cstddef>

#include "error_codes.hpp"
#include "runtime_types.hpp"

namespace tilelab_host {

// The next call of a kernel in this thread is this launch; its place is where configure() returns to.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr);

struct KernelParameter {
  const void* at;
  std::size_t bytes;
};
// `called_from`: where the stub returns to. A kernel that is called like a function was not configured, and the program ends.
void launch(const void* mark, const KernelParameter* parameters, std::size_t count, const void* called_from);

template <typename... Types>
__attribute__((always_inline)) inline void launch_kernel(const void* mark, Types&... parameters) {
  const KernelParameter list[] = {
      {const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(parameters))), sizeof parameters}..., {nullptr, 0}};
  launch(mark, list, sizeof...(parameters), __builtin_return_address(0));
}

}  // namespace tilelab_host
