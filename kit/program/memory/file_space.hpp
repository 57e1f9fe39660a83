// Which parts of a memory file are in use. Parts begin at multiples of a granularity.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace tilelab::program {

class FileSpace {
 public:
  FileSpace(std::size_t bytes, std::size_t granularity) : granularity_(granularity), free_bytes_(bytes / granularity * granularity) {
    if (free_bytes_ != 0) free_[0] = free_bytes_;
  }
  std::size_t rounded(std::size_t bytes) const { return (bytes + granularity_ - 1) / granularity_ * granularity_; }
  // The lowest place where there is room, or nothing. `bytes` is not 0.
  std::optional<std::size_t> take(std::size_t bytes) {
    if (bytes > free_bytes_) return std::nullopt;
    const std::size_t wanted = rounded(bytes);
    for (auto one = free_.begin(); one != free_.end(); ++one) {
      const auto [offset, room] = *one;
      if (room < wanted) continue;
      free_.erase(one);
      if (room > wanted) free_[offset + wanted] = room - wanted;
      free_bytes_ -= wanted;
      return offset;
    }
    return std::nullopt;
  }
  void give_back(std::size_t offset, std::size_t bytes) {
    std::size_t size = rounded(bytes);
    free_bytes_ += size;
    auto next = free_.upper_bound(offset);
    if (next != free_.end() && next->first == offset + size) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += size;
        return;
      }
    }
    free_[offset] = size;
  }
  std::size_t free_bytes() const { return free_bytes_; }

 private:
  std::size_t granularity_, free_bytes_;
  std::map<std::size_t, std::size_t> free_;  // offset: bytes
};

}  // namespace tilelab::program
