// Counts memory traffic as Nsight Compute does on a GPU: requests of warps, sectors of global memory, wavefronts of shared
// memory, for each accessing instruction. It counts the source's statements; nvcc may merge accesses.
//
// Theory of operation. Lanes run one after another, so a warp's requests are collected until its next barrier. Each lane walks
// the list of requests that earlier lanes made, at the same instructions on the same control path, and adds its own words. A lane
// on another path finds its place through an index, or adds a new request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/event.hpp"
#include "simt/observers/control_path.hpp"
#include "simt/observers/warp_requests.hpp"

namespace tilelab::simt {

// What one instruction of the program did, over all warps of the launch.
struct RequestTally {
  std::uintptr_t pc = 0;  // of the statement
  Space space = Space::global;
  AccessKind kind = AccessKind::read;
  std::uint64_t requests = 0;          // warp-level instructions with an active lane
  std::uint64_t sectors = 0;           // global: distinct 32-byte segments, per request
  std::uint64_t wavefronts = 0;        // shared: passes over the 32 banks
  std::uint64_t least_sectors = 0;     // if the same words were contiguous
  std::uint64_t least_wavefronts = 0;  // the same for shared memory
};

class RequestCounter final : public Observer {
 public:
  explicit RequestCounter(LoopMap loops) : warps_(std::move(loops)) {}

  bool watches(Space) const override { return true; }
  bool follows_control() const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override { make_room(launch.block); }
  void on_grid_begin(const GridEvent& child) override { make_room(child.block); }
  void on_block_begin(std::uint64_t block) override;
  [[gnu::always_inline]] void on_access(const Access& access) override {
    if (!joins_next(access)) make_way(access);
  }
  void on_edge(const ThreadRef& by, std::uintptr_t pc) override { path_of(by).block(warps_.loops(), pc); }
  void on_call(const ThreadRef& by, std::uintptr_t pc, std::uintptr_t caller) override { path_of(by).called(warps_.loops(), pc, caller); }
  void on_return(const ThreadRef& by) override { path_of(by).returned(); }
  void on_barrier(const BarrierEvent&) override { settle(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { settle(); }
  void on_block_parked(std::uint64_t block) override;
  void on_block_resumed(std::uint64_t block) override;

  // One entry for each kind of access of a statement to a space, in the order of the statements.
  std::vector<RequestTally> tallies() const;
  // Phases of a warp, from one barrier to the next, in which it reads shared memory; and those of them in which it also reads global
  // memory, so that the one can go on while the other is waited for.
  std::uint64_t reading_phases() const { return reading_phases_; }
  std::uint64_t overlapped_phases() const { return overlapped_phases_; }
  // Requests of asynchronous copies: each is one instruction, and counted in global and in shared memory.
  std::uint64_t copying_requests() const { return copying_requests_; }
  // The requests that are not counted yet.
  WarpRequests& warps() { return warps_; }
  // False: a warp did more between two barriers than can be kept, so the counts are too low.
  bool complete() const { return complete_; }

 private:
  using Request = WarpRequests::Request;
  using Lane = WarpRequests::Lane;
  using Warp = WarpRequests::Warp;
  static constexpr std::uint32_t no = WarpRequests::no;

  void make_room(const Index3& block) { warps_.make_room(std::size_t{block.x} * block.y * block.z); }
  static constexpr std::uint32_t narrow = 4;  // bytes of a bank

  // Most lanes do what the lanes before them did. False: this is no such access, and it was not counted.
  [[gnu::always_inline]] bool joins_next(const Access& access) {
    Lane& lane = warps_.lanes()[access.by.thread];
    Warp& warp = warps_.warps()[access.by.warp()];
    if (access.unit != Unit::none || access.size > narrow || lane.next >= warp.requests.size()) return false;
    Request& request = warp.requests[lane.next];
    if (!is_of(request, access, lane.path.key()) || warp.is_full()) return false;
    ++lane.next;
    join(warp, request, access, access.address, access.size);
    return true;
  }
  static bool is_of(const Request& request, const Access& access, std::uint64_t path) {
    return request.instruction == access.instruction && request.path == path && (request.lanes >> access.by.lane() & 1) == 0;
  }
  static void join(Warp& warp, Request& request, const Access& access, std::uintptr_t address, std::uint32_t size) {
    request.lanes |= 1u << access.by.lane();
    request.size = std::max(request.size, static_cast<std::uint8_t>(size));
    request.words = warp.words.add_narrow(request.words, address, size);
  }
  ControlPath& path_of(const ThreadRef& by) { return warps_.lanes()[by.thread].path; }
  void make_way(const Access& access);
  void piece(const Access& access, std::uintptr_t address, std::uint32_t size, std::uint32_t part);
  std::uint32_t request_of(Warp& warp, const Access& access, std::uint64_t path);
  std::uint32_t tally_of(const Access& access);
  void settle();
  void settle_wide(const Request& request, const WarpRequests::LaneAddresses& addresses);

  WarpRequests warps_;
  std::vector<RequestTally> tallies_;
  std::unordered_map<std::uintptr_t, std::uint32_t> tally_index_;  // by statement, kind and space
  std::unordered_map<std::uint64_t, WarpRequests::Block> parked_;
  FootprintPool scratch_;
  std::uint64_t reading_phases_ = 0, overlapped_phases_ = 0, copying_requests_ = 0;
  bool complete_ = true;
};

}  // namespace tilelab::simt
