// A file in memory of a fixed size, mapped here and shared with other processes. Pages that nobody touched cost nothing.
#pragma once

#include <cstddef>

#include "protocol/channel.hpp"

namespace tilelab::program {

class MappedFile {
 public:
  MappedFile() = default;
  // Throws std::system_error, std::bad_alloc.
  MappedFile(const char* name, std::size_t bytes);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  char* memory() const { return memory_; }
  int descriptor() const { return file_.get(); }
  // These bytes are zeros again. Whole pages are given back.
  void forget(std::size_t offset, std::size_t bytes) const;

 private:
  Descriptor file_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tilelab::program
