// Where a program's barriers lie between its conditions and its return statements. Static: the builder reads it from the machine code
// (grader/engines/proof/barrier_paths.py). It judges nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simt/event.hpp"

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

}  // namespace tilelab::simt
