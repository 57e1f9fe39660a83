// A buffer's memory file: anonymous, shared with a runner, sealed so that a runner cannot resize it. A hostile runner may still
// change its bytes at any time. Therefore bytes() copies them once, and callers compare the copy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "protocol/channel.hpp"

namespace tilelab::judge {

class MemoryFile {
 public:
  // Holds a copy of `content`. Throws std::system_error.
  explicit MemoryFile(std::span<const std::byte> content);
  int descriptor() const { return file_.get(); }
  std::vector<std::byte> bytes() const;

 private:
  Descriptor file_;
  std::size_t size_;
};

}  // namespace tilelab::judge
