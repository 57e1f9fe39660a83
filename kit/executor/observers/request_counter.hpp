// Counts memory traffic as Nsight Compute does on a GPU: requests of warps, sectors of global memory, wavefronts of shared
// memory, for each accessing instruction. It counts the source's statements; nvcc may merge accesses. Constant memory has a cache of its
// own, which serves one word at a time: what counts there is each further word that the lanes of a request read.
//
// Theory of operation. Lanes run one after another, so a warp's requests are collected until its next barrier. Each lane walks
// the list of requests that earlier lanes made, at the same instructions on the same control path, and adds its own words. A lane
// on another path finds its place through an index, or adds a new request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/control_path.hpp"
#include "executor/observers/warp_requests.hpp"

namespace tilelab::simt {

// What one instruction of the program did, over all warps of the launch.
struct RequestTally {
  std::uintptr_t pc = 0;  // of the statement
  Space space = Space::global;
  AccessKind kind = AccessKind::read;
  bool is_constant = false;            // of constant memory: nothing below is counted
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
  void on_block_begin(std::uint64_t) override {
    for (Lane& lane : warps_.lanes()) {
      lane.path.restart();
      lane.joined = 0;
    }
  }
  [[gnu::always_inline]] void on_access(const Access& access) override {
    if (!joins_next(access)) make_way(access);
  }
  void on_edge(const ThreadRef& by, std::uintptr_t pc) override { path_of(by).block(warps_.loops(), pc); }
  void on_call(const ThreadRef& by, std::uintptr_t pc, std::uintptr_t caller) override { path_of(by).called(warps_.loops(), pc, caller); }
  void on_return(const ThreadRef& by) override { path_of(by).returned(); }
  void on_barrier(const BarrierEvent&) override { settle(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { settle(); }
  void on_block_parked(std::uint64_t block) override { parked_[block] = warps_.put_aside(); }
  void on_block_resumed(std::uint64_t block) override {
    auto parked = parked_.extract(block);
    if (!parked.empty()) warps_.take_up(std::move(parked.mapped()));
  }

  // One entry for each kind of access of a statement to a space, in the order of the statements.
  std::vector<RequestTally> tallies() const {
    std::vector<RequestTally> sorted = tallies_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const RequestTally& a, const RequestTally& b) { return a.pc < b.pc; });
    return sorted;
  }
  // Phases of a warp, from one barrier to the next, in which it reads shared memory; and those of them in which it also reads global
  // memory, so that the one can go on while the other is waited for.
  std::uint64_t reading_phases() const { return reading_phases_; }
  std::uint64_t overlapped_phases() const { return overlapped_phases_; }
  // Words of constant memory beyond the first of their request. On an H200, 32 different words are 32 requests of the constant cache, and
  // one word for all lanes is one (idc__requests.sum).
  std::uint64_t constant_replays() const { return constant_replays_; }
  // Sectors of global memory that requests of this kind touch, and how many they would touch if their words were contiguous.
  std::pair<std::uint64_t, std::uint64_t> sectors(AccessKind kind) const {
    std::pair<std::uint64_t, std::uint64_t> all{};
    for (const RequestTally& one : tallies_) {
      if (one.kind != kind || one.space == Space::shared) continue;
      all.first += one.sectors;
      all.second += one.least_sectors;
    }
    return all;
  }
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
  void make_way(const Access& access) {
    if (access.unit != Unit::none) return;  // it has metrics of its own
    each_instruction(access,
                     [&](std::uint32_t at, std::uint32_t size, std::uint32_t number) { piece(access, access.address + at, size, number); });
  }
  void piece(const Access& access, std::uintptr_t address, std::uint32_t size, std::uint32_t part) {
    Warp& warp = warps_.warps()[access.by.warp()];
    if (warp.is_full()) {
      complete_ = false;
      return;
    }
    const bool wide = access.space == Space::shared && size > narrow;
    const std::uint64_t key = warps_.lanes()[access.by.thread].path.key();
    const std::uint64_t path = part == 0 && !wide ? key : ControlPath::mix(key, part * 2 + (wide ? 1 : 0));
    Request& request = warp.requests[request_of(warp, access, path)];
    if (!wide) return join(warp, request, access, address, size);
    request.lanes |= 1u << access.by.lane();
    request.size = std::max(request.size, static_cast<std::uint8_t>(size));
    if (request.words == no) {
      request.words = static_cast<std::uint32_t>(warp.wide.size());
      warp.wide.emplace_back();
    }
    warp.wide[request.words][access.by.lane()] = address;
  }
  std::uint32_t request_of(Warp& warp, const Access& access, std::uint64_t path) {
    std::uint32_t& next = warps_.lanes()[access.by.thread].next;
    if (next < warp.requests.size() && is_of(warp.requests[next], access, path)) return next++;
    // If a lane executes the same instruction again on the same path, that is another request.
    for (;; path = ControlPath::mix(path, 1)) {
      const auto [place, is_new] =
          warp.index.try_emplace(ControlPath::mix(path, access.instruction), static_cast<std::uint32_t>(warp.requests.size()));
      if (is_new) {
        Request request;
        request.instruction = access.instruction;
        request.path = path;
        request.tally = tally_of(access);
        request.of_copy = access.of_copy;
        warp.requests.push_back(request);
      } else if (!is_of(warp.requests[place->second], access, path)) {
        continue;
      }
      next = place->second + 1;
      return place->second;
    }
  }
  std::uint32_t tally_of(const Access& access) {
    // Counted by statement: one instruction of the kit may serve many statements, such as a float4's own assignment.
    const std::uintptr_t space = is_constant(access) ? 3 : static_cast<std::uintptr_t>(access.space);
    const std::uintptr_t key = (access.pc * 3 + static_cast<std::uintptr_t>(access.kind)) * 4 + space;
    const auto [place, is_new] = tally_index_.try_emplace(key, static_cast<std::uint32_t>(tallies_.size()));
    if (is_new) {
      RequestTally tally;
      tally.pc = access.pc;
      tally.space = access.space;
      tally.kind = access.kind;
      tally.is_constant = is_constant(access);
      tallies_.push_back(tally);
    }
    return place->second;
  }
  void settle() {
    for (Warp& warp : warps_.warps()) {
      bool reads_shared = false, reads_global = false;
      for (const Request& request : warp.requests) {
        RequestTally& tally = tallies_[request.tally];
        if (tally.is_constant) {
          constant_replays_ += std::max(warp.words.words(request.words), 1u) - 1;
          continue;
        }
        ++tally.requests;
        if (tally.kind == AccessKind::read) (tally.space == Space::shared ? reads_shared : reads_global) = true;
        copying_requests_ += request.of_copy && tally.kind == AccessKind::read ? 1 : 0;
        if (tally.space != Space::shared) {
          tally.sectors += warp.words.sectors(request.words);
          tally.least_sectors += std::max((warp.words.words(request.words) + 7) / 8, 1u);
        } else if (request.size > narrow) {
          settle_wide(request, warp.wide[request.words]);
        } else {
          tally.wavefronts += warp.words.most_words_of_a_bank(request.words);
          ++tally.least_wavefronts;
        }
      }
      reading_phases_ += reads_shared ? 1 : 0;
      overlapped_phases_ += reads_shared && reads_global ? 1 : 0;
      warp.wide.clear();
      warp.requests.clear();
      warp.index.clear();
      warp.words.clear();
    }
    for (Lane& lane : warps_.lanes()) lane.next = 0;
  }
  // Shared memory serves 64-bit accesses one half warp at a time, and 128-bit accesses one quarter warp at a time. It serves twice
  // as many lanes at once for loads, if each lane has its neighbour's address or that neighbour is inactive. The neighbour is the
  // lane whose number differs in the last bit, or for the whole warp in the last but one. Measured on an H200: see
  // shared_patterns_test.
  void settle_wide(const Request& request, const WarpRequests::LaneAddresses& addresses) {
    RequestTally& tally = tallies_[request.tally];
    const auto active = [&](unsigned lane) { return (request.lanes >> lane & 1) != 0; };
    const auto paired = [&](unsigned bit) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (active(lane) && active(lane ^ bit) && addresses[lane] != addresses[lane ^ bit]) return false;
      }
      return true;
    };
    unsigned together = request.size <= 8 ? 16 : 8;
    if (tally.kind == AccessKind::read && (paired(1) || paired(2))) together *= 2;
    for (unsigned first = 0; first < 32; first += together) {
      scratch_.clear();
      std::uint32_t words = no;
      for (unsigned lane = first; lane < first + together; ++lane) {
        if (active(lane)) words = scratch_.add(words, addresses[lane], request.size);
      }
      if (words == no) continue;
      tally.wavefronts += scratch_.most_words_of_a_bank(words);
      ++tally.least_wavefronts;
    }
  }

  WarpRequests warps_;
  std::vector<RequestTally> tallies_;
  std::unordered_map<std::uintptr_t, std::uint32_t> tally_index_;  // by statement, kind and space
  std::unordered_map<std::uint64_t, WarpRequests::Block> parked_;
  FootprintPool scratch_;
  std::uint64_t reading_phases_ = 0, overlapped_phases_ = 0, copying_requests_ = 0, constant_replays_ = 0;
  bool complete_ = true;
};

}  // namespace tilelab::simt
