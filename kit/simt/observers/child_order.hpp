// Finds what goes wrong between a kernel and the kernels that it launches: launches that do not happen, and accesses of a block, after
// its launch, that nothing orders with those of the child. No thread can wait for what it has launched.
//
// A child sees what its launching thread did before the launch, and what others of the block did before a barrier that came before it.
// Looked at here is only what certainly comes after the launch: of the launching thread itself, and of others behind a later barrier.
// Not looked at: what other blocks do, atomic and volatile accesses, and blocks that use fences. Children are compared with each other
// by the race detector.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class ChildOrder final : public Observer {
 public:
  explicit ChildOrder(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space != Space::shared; }
  bool needs_every_read() const override { return false; }
  void on_child_launch(const ChildLaunch& launch) override;
  void on_child_refused(const ChildLaunch& launch, const char* why) override;
  void on_grid_begin(const GridEvent& child) override;
  void on_access(const Access& access) override;
  void on_fence(const FenceEvent& fence) override { fenced_[fence.by.block] = true; }

 private:
  struct Later {  // an access behind launches
    Access access;
    std::uint32_t launches = 0;  // so many had happened
  };

  void remember(const Access& access);
  void compare(const Access& access);
  bool is_after(const Later& later, const ChildLaunch& launch) const;
  void report(const Access& later, const Access& child);

  static constexpr std::size_t most_of_a_word = 8;
  FindingLog& log_;
  std::unordered_map<std::uint64_t, std::vector<ChildLaunch>> launches_;  // by block
  std::unordered_map<std::uint64_t, bool> fenced_;
  std::unordered_map<std::uintptr_t, std::vector<Later>> later_;  // by word
  std::vector<ChildLaunch> grids_;                                // what launched them, in the order in which they began
  std::deque<std::string> sentences_;                             // a finding points to its own
  std::uint32_t count_ = 0;
};

}  // namespace tilelab::simt
