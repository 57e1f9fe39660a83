// Finds what goes wrong between a kernel and the kernels that it launches: launches that do not happen, and accesses of a block, after
// its launch, that nothing orders with those of the child. No thread can wait for what it has launched.
//
// A child sees what its launching thread did before the launch, and what others of the block did before a barrier that came before it.
// Looked at here is only what certainly comes after the launch: of the launching thread itself, and of others behind a later barrier.
// Not looked at: what other blocks do, atomic and volatile accesses, and blocks that use fences. Children are compared with each other
// by the race detector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

class ChildOrder final : public Observer {
 public:
  explicit ChildOrder(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space != Space::shared; }
  bool needs_every_read() const override { return false; }
  void on_child_launch(const ChildLaunch& launch) override {
    launches_[launch.by.block].push_back(launch);
    count_ = launch.number + 1;
  }
  void on_child_refused(const ChildLaunch& launch, const char* why) override {
    RawFinding finding = finding_at(Verdict::launch_error, {launch.pc, "", launch.by});
    std::string text = why;
    if (text.ends_with('.')) {  // of the configuration
      text.pop_back();
      text = "launches a kernel that does not begin: " + text;
    }
    finding.what = log_.keep(text);
    log_.report(finding);
  }
  void on_grid_begin(const GridEvent& child) override { grids_.push_back(child.launched); }
  void on_access(const Access& access) override {
    if (!later_.empty() && !grids_.empty()) compare(access);
    if (!launches_.empty()) remember(access);
  }
  void on_fence(const FenceEvent& fence) override { fenced_[fence.by.block] = true; }

 private:
  struct Later {  // an access behind launches
    Access access;
    std::uint32_t launches = 0;  // so many had happened
  };

  void remember(const Access& access) {
    if (access.kind == AccessKind::atomic || access.is_volatile) return;
    const auto found = launches_.find(access.by.block);
    if (found == launches_.end() || fenced_.contains(access.by.block)) return;
    const bool behind = std::ranges::any_of(found->second, [&](const ChildLaunch& one) {
      return !one.is_tail && (one.by.thread == access.by.thread || one.interval < access.interval);
    });
    if (!behind) return;
    for (std::uintptr_t word = access.address / 4; word <= (access.address + access.size - 1) / 4; ++word) {
      std::vector<Later>& all = later_[word];
      const bool known = std::ranges::any_of(all, [&](const Later& one) {
        return one.access.by.block == access.by.block && one.access.by.thread == access.by.thread && one.access.kind == access.kind;
      });
      if (all.size() < most_of_a_word && !known) all.push_back({access, count_});
    }
  }
  // `access` is a child's, or one of the host's own grid, which has no parent.
  void compare(const Access& access) {
    for (std::uintptr_t word = access.address / 4; word <= (access.address + access.size - 1) / 4; ++word) {
      const auto found = later_.find(word);
      if (found == later_.end()) continue;
      for (const Later& later : found->second) {
        const Access& other = later.access;
        const bool meets = other.address < access.address + access.size && access.address < other.address + other.size;
        if (!meets || (access.kind == AccessKind::read && other.kind == AccessKind::read)) continue;
        // Its own launch, then that of the grid which launched it, and so on.
        for (std::size_t grid = grids_.size(); grid != 0; grid = grids_[grid - 1].grid) {
          if (!is_after(later, grids_[grid - 1])) continue;
          report(other, access);
          break;
        }
      }
    }
  }
  bool is_after(const Later& later, const ChildLaunch& launch) const {
    if (launch.is_tail || launch.by.block != later.access.by.block || fenced_.contains(launch.by.block)) return false;
    return launch.by.thread == later.access.by.thread ? launch.number < later.launches : launch.interval < later.access.interval;
  }
  void report(const Access& later, const Access& child) {
    RawFinding finding = finding_about(Verdict::race, later);
    finding.other = {child.pc, access_name(child.kind), child.by};
    finding.offset = static_cast<std::int64_t>(std::max(later.address, child.address) - later.region->base);
    finding.size = 1;
    finding.what =
        later.kind != AccessKind::read
            ? "writes {element} after its block has launched a kernel that uses it in {other}: the launch waits for nothing, so "
              "either may come first"
            : "reads {element} after its block has launched a kernel that writes it in {other}: the launch waits for nothing, and "
              "no thread can wait for the kernels that it launches";
    log_.report(finding);
  }

  static constexpr std::size_t most_of_a_word = 8;
  FindingLog& log_;
  std::unordered_map<std::uint64_t, std::vector<ChildLaunch>> launches_;  // by block
  std::unordered_map<std::uint64_t, bool> fenced_;
  std::unordered_map<std::uintptr_t, std::vector<Later>> later_;  // by word
  std::vector<ChildLaunch> grids_;                                // what launched them, in the order in which they began
  std::uint32_t count_ = 0;
};

}  // namespace tilelab::simt
