// The requests that the warps of the running block have made since their last barrier, and how far each lane is on its way through them.
// RequestCounter makes them and counts them. The machine tells a redundant read of one word here directly, because most reads are such
// reads of lanes that do what the lanes before them did: they join the request that is next on the lane's way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/event.hpp"
#include "simt/observers/control_path.hpp"
#include "simt/observers/footprint.hpp"
#include "simt/observers/loop_map.hpp"

namespace tilelab::simt {

class WarpRequests {
 public:
  static constexpr std::uint32_t no = FootprintPool::end;
  static constexpr std::size_t most = 4u << 20;  // of one warp between two barriers

  struct Request {
    std::uintptr_t instruction = 0;
    std::uint64_t path = 0;
    std::uint32_t lanes = 0;
    std::uint32_t tally = 0;   // index
    std::uint32_t words = no;  // footprint; for wide requests in shared memory, an index into Warp::wide
    std::uint8_t size = 0;     // bytes of the widest lane
    bool of_copy = false;
  };
  struct Lane {
    ControlPath path;
    std::uint32_t next = 0;    // index of its next request in the warp's list
    std::uint64_t joined = 0;  // reads of the running block that joins() has counted
  };
  using LaneAddresses = std::array<std::uintptr_t, 32>;
  struct Warp {
    std::vector<Request> requests;
    std::unordered_map<std::uint64_t, std::uint32_t> index;  // by (instruction, path); also finds requests that repeat it
    FootprintPool words;
    std::vector<LaneAddresses> wide;
    bool is_full() const { return requests.size() >= most; }
  };
  struct Block {
    std::vector<Lane> lanes;
    std::vector<Warp> warps;
  };

  explicit WarpRequests(LoopMap loops) : loops_(std::move(loops)) {}

  void make_room(std::size_t threads) {
    block_.lanes.assign(threads, {});
    block_.warps.assign((threads + 31) / 32, {});
  }
  Block put_aside() { return std::exchange(block_, Block{std::vector<Lane>(block_.lanes.size()), std::vector<Warp>(block_.warps.size())}); }
  void take_up(Block block) { block_ = std::move(block); }

  const LoopMap& loops() const { return loops_; }
  std::vector<Lane>& lanes() { return block_.lanes; }
  std::vector<Warp>& warps() { return block_.warps; }
  std::uint64_t joined_by(std::uint32_t thread) const { return block_.lanes[thread].joined; }

  // This thread runs until another one is named.
  void runs(const ThreadRef& by) {
    running_ = &block_.lanes[by.thread];
    its_warp_ = &block_.warps[by.warp()];
    its_bit_ = 1u << by.lane();
  }
  // The running thread reads one word, at a multiple of four. False: it has to be announced, and nothing has changed.
  [[gnu::always_inline]] bool joins(std::uintptr_t address, std::uintptr_t pc) {
    Lane& lane = *running_;
    Warp& warp = *its_warp_;
    if (lane.next >= warp.requests.size() || warp.is_full()) return false;
    Request& request = warp.requests[lane.next];
    if (request.instruction != pc || request.path != lane.path.key() || (request.lanes & its_bit_) != 0) return false;
    if (!warp.words.add_to_first_row(request.words, address / 4)) return false;
    request.lanes |= its_bit_;
    if (request.size < 4) [[unlikely]]
      request.size = 4;
    ++lane.next;
    ++lane.joined;
    return true;
  }
  // A basic block begins. False: its lane's path has to be looked up, and nothing has changed.
  [[gnu::always_inline]] bool goes_on(std::uintptr_t pc) { return running_->path.goes_on(loops_, pc); }

 private:
  LoopMap loops_;
  Block block_;
  Lane* running_ = nullptr;
  Warp* its_warp_ = nullptr;
  std::uint32_t its_bit_ = 0;
};

}  // namespace tilelab::simt
