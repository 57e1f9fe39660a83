// The __syncwarp()s of a block's warps in the current barrier interval, and which lanes they order. Shuffles, votes and matches
// do not order memory accesses and are not recorded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "executor/event.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

// A thread's accesses that another thread knows of: those of an earlier epoch, or of an earlier warp interval.
struct Limit {
  std::uint16_t thread = 0, epoch = 0;
  std::uint32_t warp_interval = 0;
};

class WarpOrder {
 public:
  void begin_interval() { ++interval_; }
  void sync(const WarpSyncEvent& sync) {
    Warp& warp = warps_[sync.warp % warps_.size()];
    if (warp.interval != interval_) {
      warp.interval = interval_;
      warp.several_masks = false;
      warp.syncs.clear();
    }
    warp.several_masks = warp.several_masks || (!warp.syncs.empty() && warp.syncs.front().mask != sync.mask);
    warp.syncs.push_back(sync);
  }
  // The number of syncs that have completed in this warp.
  std::uint32_t syncs(std::uint32_t warp) const { return current(warp) ? static_cast<std::uint32_t>(at(warp).syncs.size()) : 0; }
  // Whether syncs of this warp have different masks. Then they order different lanes, and statements are kept separately for each
  // lane.
  bool several_masks(std::uint32_t warp) const { return current(warp) && at(warp).several_masks; }
  // Whether a chain of syncs orders an access of one lane before a later access of another lane of its warp.
  bool ordered(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later, std::uint32_t later_thread) const {
    const std::uint32_t index = its_thread / 32;
    if (index != later_thread / 32 || earlier.warp_interval >= later.warp_interval || !current(index)) return false;
    const Warp& warp = at(index);
    std::uint32_t reached = 1u << (its_thread % 32);  // lanes that know of the earlier access
    for (std::size_t i = warp.several_masks ? earlier.syncs : earlier.warp_interval; i < warp.syncs.size(); ++i) {
      const WarpSyncEvent& sync = warp.syncs[i];
      if (sync.warp_interval <= earlier.warp_interval || sync.warp_interval > later.warp_interval || (sync.mask & reached) == 0) continue;
      reached |= sync.mask;
      if (((reached >> (later_thread % 32)) & 1u) != 0) return true;
    }
    return false;
  }
  // What a lane knows of the other lanes of its warp so far.
  std::vector<Limit> known_to(std::uint32_t thread) const {
    std::vector<Limit> limits;
    const std::uint32_t index = thread / 32;
    if (!current(index)) return limits;
    std::uint32_t reached = 1u << (thread % 32);  // lanes whose accesses, up to the current sync, the thread knows
    const Warp& warp = at(index);
    for (std::size_t i = warp.syncs.size(); i-- > 0 && reached != ~0u;) {
      const WarpSyncEvent& sync = warp.syncs[i];
      if ((sync.mask & reached) == 0) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (((sync.mask & ~reached) >> lane & 1u) == 0) continue;
        limits.push_back({static_cast<std::uint16_t>(index * 32 + lane), 0, sync.warp_interval});
      }
      reached |= sync.mask;
    }
    return limits;
  }

 private:
  struct Warp {
    std::uint64_t interval = 0;  // the value of interval_ when written; older contents are invalid
    bool several_masks = false;
    std::vector<WarpSyncEvent> syncs;
  };
  const Warp& at(std::uint32_t warp) const { return warps_[warp % warps_.size()]; }
  bool current(std::uint32_t warp) const { return at(warp).interval == interval_; }

  std::array<Warp, 32> warps_;
  std::uint64_t interval_ = 1;
};

}  // namespace tilelab::simt
