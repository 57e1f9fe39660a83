// The copies and fills behind every function that moves bytes between the host and the device: rows that need not follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "host_api/error_codes.hpp"
#include "host_api/runtime_graph_types.hpp"

namespace tilelab_host {

struct CopyOrder {
  cudaMemcpyKind kind;
  cudaStream_t stream = nullptr;
  bool async = false;
  std::uint64_t graph = 0;           // the launch of a graph that it is a part of; 0: none
  const char* planned_by = nullptr;  // only looked at: the function that was called
};

// Sizes and pitches are in bytes. `at`: where the API function returns to.
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows, std::size_t row_bytes,
                      CopyOrder order, std::uintptr_t at);
cudaError_t copy_slices(const cudaMemcpy3DParms& what, CopyOrder order, std::uintptr_t at);
cudaError_t fill_rows(const cudaMemsetParams& what, CopyOrder order, std::uintptr_t at);

// Where a copy begins in an array. `x` counts bytes.
struct ArrayPlace {
  std::size_t x = 0, y = 0, z = 0;
};
// Memory, or an array by its handle.
struct CopySide {
  const void* address;
  std::size_t pitch;  // of memory
  std::optional<ArrayPlace> in_array;
};
struct CopyExtent {
  std::size_t rows, row_bytes, slices = 1;  // slices: that the whole copy has left; this is the first of them
  bool is_line = false;                     // in arrays, the bytes run on from one row to the next
};
cudaError_t copy_sides(const CopySide& to, const CopySide& from, const CopyExtent& extent, CopyOrder order, std::uintptr_t at);

}  // namespace tilelab_host
