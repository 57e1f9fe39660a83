// Which element of shared memory a thread would have written, had it come as far as the others of its block. Said only if it is certain:
// every thread that is still there has written one element in this statement, and one formula, linear in the thread's coordinates,
// gives all these elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simt/event.hpp"

namespace tilelab::simt {

// A thread wrote one word, at this offset.
struct StoredWord {
  std::uint32_t thread = 0;
  std::int64_t offset = 0;
};

// Where `thread` would have stored. `present`: how many threads are still there.
inline std::optional<std::int64_t> missed_store(const std::vector<StoredWord>& stores, const Index3& block, std::uint32_t thread,
                                                std::uint32_t present) {
  if (stores.size() != present || stores.size() < 2) return std::nullopt;
  struct Place {
    std::int64_t at[3];
  };
  const auto place = [&](std::uint32_t linear) {
    return Place{{linear % block.x, linear / block.x % block.y, linear / block.x / block.y}};
  };
  const Place first = place(stores[0].thread), wanted = place(thread);
  std::int64_t slope[3] = {}, expected = stores[0].offset;
  for (int axis = 0; axis < 3; ++axis) {
    bool known = wanted.at[axis] == first.at[axis];
    for (const StoredWord& one : stores) {
      const Place other = place(one.thread);
      const std::int64_t step = other.at[axis] - first.at[axis];
      if (step == 0 || other.at[(axis + 1) % 3] != first.at[(axis + 1) % 3] || other.at[(axis + 2) % 3] != first.at[(axis + 2) % 3])
        continue;
      if ((one.offset - stores[0].offset) % step != 0) return std::nullopt;
      slope[axis] = (one.offset - stores[0].offset) / step;
      known = true;
      break;
    }
    if (!known) return std::nullopt;
    expected += slope[axis] * (wanted.at[axis] - first.at[axis]);
  }
  std::vector<bool> seen;
  for (const StoredWord& one : stores) {
    const Place other = place(one.thread);
    std::int64_t offset = stores[0].offset;
    for (int axis = 0; axis < 3; ++axis) offset += slope[axis] * (other.at[axis] - first.at[axis]);
    if (offset != one.offset) return std::nullopt;
    if (one.thread >= seen.size()) seen.resize(one.thread + 1);
    if (seen[one.thread]) return std::nullopt;  // it wrote twice
    seen[one.thread] = true;
    if (one.offset == expected) return std::nullopt;  // another thread wrote it
  }
  return expected;
}

}  // namespace tilelab::simt
