// Where a program's barriers lie between its conditions and its return statements, and what a thread that missed a barrier would have
// written. The places are static: the builder reads them from the machine code (grader/engines/proof/barrier_paths.py). It judges nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

// A call that may reach a barrier, and the branches that decide whether a thread makes it. All are return addresses of calls, or
// addresses behind an instruction.
struct BarrierCall {
  std::uintptr_t pc = 0;
  std::vector<std::uintptr_t> conditions;
};

// A return statement of the kernel. `behind`: barrier calls that lie on a way to it. If a loop contains both, it is in `around`
// instead, with those calls of the loop that come before it.
struct KernelReturn {
  std::uintptr_t pc = 0;
  std::vector<std::uintptr_t> behind;
  std::vector<BarrierCall> around;
};

class BarrierPlaces {
 public:
  BarrierPlaces() = default;
  BarrierPlaces(std::vector<BarrierCall> calls, std::vector<KernelReturn> returns)
      : calls_(std::move(calls)), returns_(std::move(returns)) {}

  // Whether the absent threads went past the barrier. Otherwise they had returned before they came to it, or this is unknown.
  bool is_skipped(const AbsenceEvent& event) const {
    if (event.left_by == 0) return true;
    const auto left = std::find_if(returns_.begin(), returns_.end(), [&](const auto& one) { return one.pc == event.left_by; });
    if (left == returns_.end()) return false;
    const auto on_path = [](const AbsenceEvent::CallPath& path, std::uintptr_t pc) {
      return pc != 0 && std::find(path.begin(), path.end(), pc) != path.end();
    };
    if (std::any_of(left->behind.begin(), left->behind.end(), [&](std::uintptr_t pc) { return on_path(event.path, pc); })) return true;
    return std::any_of(left->around.begin(), left->around.end(), [&](const BarrierCall& call) {
      return on_path(event.path, call.pc) &&
             std::any_of(call.conditions.begin(), call.conditions.end(), [&](std::uintptr_t pc) { return on_path(event.last, pc); });
    });
  }

  // The branches that decide whether a thread comes along this path, from the innermost call outwards.
  std::vector<std::uintptr_t> conditions(const AbsenceEvent::CallPath& path) const {
    std::vector<std::uintptr_t> found;
    for (const std::uintptr_t pc : path) {
      const auto call = std::find_if(calls_.begin(), calls_.end(), [pc](const BarrierCall& one) { return pc != 0 && one.pc == pc; });
      if (call != calls_.end()) found.insert(found.end(), call->conditions.begin(), call->conditions.end());
    }
    return found;
  }

 private:
  std::vector<BarrierCall> calls_;
  std::vector<KernelReturn> returns_;
};

// A thread wrote one word, at this offset.
struct StoredWord {
  std::uint32_t thread = 0;
  std::int64_t offset = 0;
};

// Where `thread` would have stored in shared memory, had it come as far as the others of its block. Said only if it is certain: every
// thread that is still there has written one element in this statement, and one formula, linear in the thread's coordinates, gives all
// these elements. `present`: how many threads are still there.
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
