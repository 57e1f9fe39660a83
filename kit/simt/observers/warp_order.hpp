// The __syncwarp()s of a block's warps in the current barrier interval, and which lanes they order. Shuffles, votes and matches
// do not order memory accesses and are not recorded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/event.hpp"
#include "simt/observers/word_use.hpp"

namespace tilelab::simt {

// A thread's accesses that another thread knows of: those of an earlier epoch, or of an earlier warp interval.
struct Limit {
  std::uint16_t thread = 0, epoch = 0;
  std::uint32_t warp_interval = 0;
};

class WarpOrder {
 public:
  void begin_interval() { ++interval_; }
  void sync(const WarpSyncEvent& sync);
  // The number of syncs that have completed in this warp.
  std::uint32_t syncs(std::uint32_t warp) const { return current(warp) ? static_cast<std::uint32_t>(at(warp).syncs.size()) : 0; }
  // Whether syncs of this warp have different masks. Then they order different lanes, and statements are kept separately for each
  // lane.
  bool several_masks(std::uint32_t warp) const { return current(warp) && at(warp).several_masks; }
  // Whether a chain of syncs orders an access of one lane before a later access of another lane of its warp.
  bool ordered(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later, std::uint32_t later_thread) const;
  // What a lane knows of the other lanes of its warp so far.
  std::vector<Limit> known_to(std::uint32_t thread) const;

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
