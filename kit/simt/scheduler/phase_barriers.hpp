// The phase barriers of the running block (cuda::barrier, mbarrier), by the address of the object. They count arrivals. They know
// nothing of who waits: the scheduler does.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "simt/event.hpp"

namespace tilelab::simt {

struct PhaseBarrier {
  Phase phase;                             // the one in progress
  std::int64_t expected = 0, pending = 0;  // arrivals of a phase; those that this one still waits for
  std::int64_t bytes = 0;                  // of copies that this phase still waits for

  bool is_complete() const { return pending == 0 && bytes == 0; }
  void next_phase() {
    ++phase.number;
    pending = expected;
  }
};

class PhaseBarriers {
 public:
  bool none() const { return barriers_.empty(); }
  PhaseBarrier* find(std::uintptr_t address) {
    const auto found = barriers_.find(address);
    return found == barriers_.end() ? nullptr : &found->second;
  }
  // Each call makes a new barrier, also at an address that held one.
  void init(std::uintptr_t address, std::int64_t expected) {
    barriers_[address] = PhaseBarrier{.phase = {++count_, 0}, .expected = expected, .pending = expected, .bytes = 0};
  }

  // What lies in the object's eight bytes as long as nobody writes there.
  static std::uint64_t mark(std::uintptr_t address) { return address ^ 0x7F15'BA22'1E25'0B1Eu; }

 private:
  std::unordered_map<std::uintptr_t, PhaseBarrier> barriers_;
  std::uint32_t count_ = 0;
};

}  // namespace tilelab::simt
