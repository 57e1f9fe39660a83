// The copy behind every function that moves bytes between the host and the device: rows that need not follow each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_api/error_codes.hpp"
#include "host_api/runtime_types.hpp"

namespace tilelab_host {

struct CopyOrder {
  cudaMemcpyKind kind;
  cudaStream_t stream = nullptr;
  bool async = false;
};

// Sizes and pitches are in bytes. `at`: where the API function returns to.
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows, std::size_t row_bytes,
                      CopyOrder order, std::uintptr_t at);

}  // namespace tilelab_host
