// Defines the variables that the device headers declare `extern const`. They are all in one section, so that an address shows
// whether one of them is read.
#include "simt/submission/builtin_variables.hpp"

#define TILELAB_BUILTIN __attribute__((section("tlbuiltin"), used))

// The names and layouts are those of device/vector_types.hpp. All are initialised, so that they are placed in the same section.
namespace cuda_on_cpu {
TILELAB_BUILTIN tilelab::simt::Index3 threadIdx{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 blockIdx{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 blockDim{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 gridDim{1, 1, 1};
TILELAB_BUILTIN int warpSize = 32;
}  // namespace cuda_on_cpu

extern "C" {
extern char __start_tlbuiltin[];
extern char __stop_tlbuiltin[];
}

namespace tilelab::simt {

void set_launch_variables(const Index3& grid, const Index3& block) {
  cuda_on_cpu::gridDim = grid;
  cuda_on_cpu::blockDim = block;
}

void set_block_index(const Index3& index) { cuda_on_cpu::blockIdx = index; }
void set_thread_index(const Index3& index) { cuda_on_cpu::threadIdx = index; }

std::pair<std::uintptr_t, std::uintptr_t> builtin_variables() {
  return {reinterpret_cast<std::uintptr_t>(__start_tlbuiltin), reinterpret_cast<std::uintptr_t>(__stop_tlbuiltin)};
}

}  // namespace tilelab::simt
