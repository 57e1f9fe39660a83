// Work that the host has not waited for yet, and the memory that it uses. Finds two pieces that may run at the same time, and host
//  code that looks at memory too early. Two kernels race where they touch the same bytes: see touched_runs.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/order/stream_order.hpp"
#include "program/order/touched_runs.hpp"
#include "simt/memory/byte_marks.hpp"

namespace tilelab::program {

// What one copy or one kernel does with one allocation: [first, end) in bytes.
struct Use {
  Stamp stamp;
  std::size_t first = 0, end = 0;
  bool writes = false;
  const std::string* kernel = nullptr;           // its name, which stays where it is; null: a copy
  std::uint64_t at = 0;                          // where the program asked for it
  std::size_t element_bytes = 1;                 // as a kernel sees the allocation
  std::shared_ptr<const TouchedRuns> touched{};  // all that it does there; null: not known, or as far as `writes` says
  std::uint64_t graph = 0;                       // the launch of a graph that it is a part of; 0: none
};

// An earlier use that nothing orders with a later one.
struct UseConflict {
  Use earlier;
  std::optional<TouchConflict> place;  // first: of the earlier one
};

class PendingWork {
 public:
  explicit PendingWork(const StreamOrder& order) : order_(order) {}

  // Two copies never conflict, and two kernels only where it is known which bytes they touch.
  std::optional<UseConflict> add(std::uintptr_t allocation, const Use& use);
  void forget(std::uintptr_t allocation);

  // Host code must not touch this memory before the work is done, as far as `conflicts` says: offsets from `address`.
  void guard(std::uintptr_t address, std::size_t bytes, const Use& use, const simt::HostConflicts& conflicts);
  static simt::HostConflicts conflicts_of_copy(const Use& use);
  using Range = std::pair<std::uintptr_t, std::size_t>;
  // Those that were guarded since the last call, and those that need it no longer.
  struct Guarded {
    std::vector<Range> wholly, from_writes;
  };
  Guarded take_guarded();
  std::vector<Range> take_done();
  enum class HostTouch { read, write, atomic };
  // Work that still may use this byte in a way that the host's touch disturbs, or null; `changes`: it may change the byte.
  struct Disturbed {
    const Use* use = nullptr;
    bool changes = false;
  };
  Disturbed disturbed(std::uintptr_t address, HostTouch touch) const;

 private:
  struct Guard {
    Range range;
    Use use;
    simt::HostConflicts conflicts;
  };
  static bool may_conflict(const Use& one, const Use& other);
  void drop(const Use& one);

  static constexpr std::size_t most_runs = 1u << 22;                // of all uses
  static constexpr std::size_t most_uses = 64, most_guards = 4096;  // of one allocation; of all

  const StreamOrder& order_;
  std::map<std::uintptr_t, std::deque<Use>> uses_;
  std::vector<Guard> guards_;
  std::vector<Range> guarded_;
  std::size_t runs_ = 0;
};

}  // namespace tilelab::program
