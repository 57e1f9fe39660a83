// Where the rows of a copy lie: in which allocation, or which level of an array, and whether they fit there.
#pragma once

#include <optional>

#include "program/host/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

// Rows of bytes in one allocation.
struct Rows {
  Allocation* memory = nullptr;  // null: the program's own memory
  std::size_t offset = 0, rows = 0, row_bytes = 0, pitch = 0;
  std::size_t extent() const { return (rows - 1) * pitch + row_bytes; }
};

inline bool is_of_device(std::uint64_t address) { return address >= device_first && address < memory_end; }

class RowFinder {
 public:
  explicit RowFinder(Session& session) : session_(session) {}

  // Finds the memory that `address` leads to; the program's own memory has none. A mistake is recorded and gives CUDA's error.
  std::optional<CudaError> find(const HostRequest& request, const char* key, std::uint64_t address, const char* pitch, Rows& rows);

 private:
  std::optional<CudaError> find_in_array(const HostRequest& request, const char* key, Rows& rows);
  CudaError mistake(const HostRequest& request, const char* kind, const char* key, const Allocation* one, const Rows& rows);

  Session& session_;
};

}  // namespace tilelab::program
