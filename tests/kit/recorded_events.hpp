// An observer that records its events, for tests of the core.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

class RecordedEvents final : public Observer {
 public:
  struct Stray {
    Access access;
    const Region* nearest;
  };
  struct BlockEnd {
    std::uint64_t block;
    std::uint32_t interval;
  };

  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override { launches.push_back(launch); }
  void on_block_begin(std::uint64_t block) override { blocks.push_back(block); }
  void on_access(const Access& access) override { accesses.push_back(access); }
  void on_stray(const Access& access, const Region* nearest) override { strays.push_back({access, nearest}); }
  void on_index(const IndexEvent& event) override { indices.push_back(event); }
  void on_misaligned(const Access& access, std::size_t) override { misaligned.push_back(access.by); }
  void on_barrier(const BarrierEvent& event) override { barriers.push_back(event); }
  void on_absence(const AbsenceEvent& event) override { absences.push_back(event); }
  void on_undefined_lane(const LaneEvent& event) override { lanes.push_back(event); }
  void on_divergence(const DivergenceEvent& event) override { divergences.push_back(event); }
  void on_warp_sync(const WarpSyncEvent& event) override { warp_syncs.push_back(event); }
  void on_fence(const FenceEvent& event) override { fences.push_back(event.by); }
  void on_thread_ended(const ThreadRef& by) override { ended.push_back(by.thread); }
  void on_block_end(std::uint64_t block, std::uint32_t interval) override { block_ends.push_back({block, interval}); }
  void on_launch_end() override { ++launch_ends; }

  std::vector<LaunchEvent> launches;
  std::vector<std::uint64_t> blocks;
  std::vector<Access> accesses;
  std::vector<Stray> strays;
  std::vector<IndexEvent> indices;
  std::vector<ThreadRef> misaligned, fences;
  std::vector<BarrierEvent> barriers;
  std::vector<AbsenceEvent> absences;
  std::vector<LaneEvent> lanes;
  std::vector<DivergenceEvent> divergences;
  std::vector<WarpSyncEvent> warp_syncs;
  std::vector<std::uint32_t> ended;
  std::vector<BlockEnd> block_ends;
  int launch_ends = 0;
};

}  // namespace tilelab::simt
