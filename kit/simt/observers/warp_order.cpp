// Follows chains of __syncwarp()s.
#include "simt/observers/warp_order.hpp"

namespace tilelab::simt {

void WarpOrder::sync(const WarpSyncEvent& sync) {
  Warp& warp = warps_[sync.warp % warps_.size()];
  if (warp.interval != interval_) {
    warp.interval = interval_;
    warp.several_masks = false;
    warp.syncs.clear();
  }
  warp.several_masks = warp.several_masks || (!warp.syncs.empty() && warp.syncs.front().mask != sync.mask);
  warp.syncs.push_back(sync);
}

bool WarpOrder::ordered(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later, std::uint32_t later_thread) const {
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

std::vector<Limit> WarpOrder::known_to(std::uint32_t thread) const {
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

}  // namespace tilelab::simt
