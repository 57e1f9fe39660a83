// Our own kernels that prepare a timed launch. They are compiled for this machine's GPU and loaded beside the contestants.
// Nothing of a submission is compiled with them.
#include <cstddef>

#include "protocol/timed_input.hpp"

// Fills `out` with the numbers of one buffer in one round.
extern "C" __global__ void tilelab_fill(float* out, std::size_t count, unsigned long long stream, int whole) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    out[i] = tilelab::timed_input::value(stream, i, whole != 0);
  }
}

// Sets `differs` unless `in` still holds the numbers of that buffer in that round.
extern "C" __global__ void tilelab_compare(const float* in, std::size_t count, unsigned long long stream, int whole, unsigned* differs) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (in[i] != tilelab::timed_input::value(stream, i, whole != 0)) *differs = 1;
  }
}

// Keeps the stream busy until the host has queued everything that follows and sets the flag. So the time between two events is
// device time, without the host's time. The flag lies in host memory. The kernel gives up after `most_clocks` clocks, because the
// host may wait for the device while queueing (for a module that is loaded lazily): without a limit, that would be a deadlock.
extern "C" __global__ void tilelab_hold(const volatile unsigned* flag, unsigned wanted, long long most_clocks) {
  const long long began = clock64();
  while (*flag != wanted && clock64() - began < most_clocks) {
  }
}
