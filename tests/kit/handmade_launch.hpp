// A launch made by hand for an observer: no scheduler and no kernel, only events, in any order that a test wants.
#pragma once

#include <cstdint>

#include "executor/event.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

// One access of a thread. `at` is in bytes from the start of the shared span or of the buffer.
struct Touch {
  std::uint32_t thread = 0;
  AccessKind kind = AccessKind::read;
  std::uint64_t at = 0;
  std::uint32_t size = 4;
  std::uintptr_t pc = 1;
  std::uint32_t warp_interval = 0;
  std::uint64_t block = 0;
  bool is_volatile = false, block_scope = false;
};

class HandmadeLaunch {
 public:
  HandmadeLaunch(Observer& observer, const Region& region, unsigned threads = 64) : observer_(observer), region_(region) {
    LaunchEvent launch;
    launch.block = {threads, 1, 1};
    launch.shared_span = region.space == Space::shared ? region.span_offset + region.bytes : 0;
    observer_.on_launch_begin(launch);
  }
  void begin_block(std::uint64_t block = 0) {
    block_ = block;
    interval_ = 0;
    observer_.on_block_begin(block);
  }
  void touch(const Touch& touch) { touch_in(region_, touch); }
  void touch_in(const Region& region, const Touch& touch) {
    Access access;
    access.size = touch.size;
    access.kind = touch.kind;
    access.is_volatile = touch.is_volatile;
    access.block_scope = touch.block_scope;
    access.space = region.space;
    access.region = &region;
    access.offset = touch.at;
    access.address = region.base + touch.at - region.span_offset;
    access.pc = touch.pc;
    access.by = {block_, touch.thread};
    access.interval = interval_;
    access.warp_interval = touch.warp_interval;
    observer_.on_access(access);
  }
  // A __syncwarp() of all lanes, after which they are in warp interval 1.
  void warp_sync(std::uint32_t warp) {
    WarpSyncEvent sync;
    sync.block = block_;
    sync.warp = warp;
    sync.mask = ~0u;
    sync.warp_interval = 1;
    observer_.on_warp_sync(sync);
  }
  void fence(std::uint32_t thread, bool block_scope = false) { observer_.on_fence({{block_, thread}, 0x98, block_scope}); }
  void barrier() { observer_.on_barrier({block_, interval_++, 0x99, 0}); }
  void end_thread(std::uint32_t thread) { observer_.on_thread_ended({block_, thread}); }
  // The block waits for others, and goes on where it was.
  void park() { observer_.on_block_parked(block_); }
  void resume(std::uint64_t block, std::uint32_t interval) {
    block_ = block;
    interval_ = interval;
    observer_.on_block_resumed(block);
  }
  void grid_sync() { observer_.on_grid_sync(); }
  void end_block() { observer_.on_block_end(block_, interval_); }
  void end() { observer_.on_launch_end(); }

 private:
  Observer& observer_;
  const Region& region_;
  std::uint64_t block_ = 0;
  std::uint32_t interval_ = 0;
};

inline Region global_region(std::size_t bytes, std::size_t element_bytes = 4) {
  Region region;
  region.name = "C";
  region.role = BufferRole::output;
  region.base = 0x40000;
  region.bytes = bytes;
  region.element_bytes = element_bytes;
  return region;
}

inline Region shared_region(std::size_t bytes, std::size_t element_bytes = 4, std::size_t span_offset = 0) {
  Region region;
  region.name = "As";
  region.space = Space::shared;
  region.base = 0x10000 + span_offset;
  region.bytes = bytes;
  region.span_offset = span_offset;
  region.element_bytes = element_bytes;
  region.dimensions = {bytes / element_bytes};
  return region;
}

}  // namespace tilelab::simt
