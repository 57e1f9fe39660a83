// Matches lanes into requests, and computes what a finished request costs.
#include "simt/observers/request_counter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilelab::simt {
namespace {

constexpr std::uint32_t widest = 16;  // the most bytes that one lane's instruction moves

std::uint32_t at_least_one(std::uint32_t count) { return std::max(count, 1u); }

}  // namespace

void RequestCounter::on_block_begin(std::uint64_t) {
  for (Lane& lane : warps_.lanes()) {
    lane.path.restart();
    lane.joined = 0;
  }
}

void RequestCounter::on_block_parked(std::uint64_t block) { parked_[block] = warps_.put_aside(); }

void RequestCounter::on_block_resumed(std::uint64_t block) {
  auto parked = parked_.extract(block);
  if (!parked.empty()) warps_.take_up(std::move(parked.mapped()));
}

void RequestCounter::make_way(const Access& access) {
  if (access.unit != Unit::none) return;  // it has metrics of its own
  if (access.size <= widest) return piece(access, access.address, access.size, 0);
  const std::uint32_t step = access.address % 16 == 0 && access.size % 16 == 0 ? 16
                             : access.address % 8 == 0 && access.size % 8 == 0 ? 8
                                                                               : 4;
  for (std::uint32_t at = 0; at < access.size; at += step) piece(access, access.address + at, std::min(step, access.size - at), at + 1);
}

void RequestCounter::piece(const Access& access, std::uintptr_t address, std::uint32_t size, std::uint32_t part) {
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

std::uint32_t RequestCounter::request_of(Warp& warp, const Access& access, std::uint64_t path) {
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

std::uint32_t RequestCounter::tally_of(const Access& access) {
  // Counted by statement: one instruction of the kit may serve many statements, such as a float4's own assignment.
  const std::uintptr_t key = (access.pc * 3 + static_cast<std::uintptr_t>(access.kind)) * 3 + static_cast<std::uintptr_t>(access.space);
  const auto [place, is_new] = tally_index_.try_emplace(key, static_cast<std::uint32_t>(tallies_.size()));
  if (is_new) {
    RequestTally tally;
    tally.pc = access.pc;
    tally.space = access.space;
    tally.kind = access.kind;
    tallies_.push_back(tally);
  }
  return place->second;
}

void RequestCounter::settle() {
  for (Warp& warp : warps_.warps()) {
    bool reads_shared = false, reads_global = false;
    for (const Request& request : warp.requests) {
      RequestTally& tally = tallies_[request.tally];
      ++tally.requests;
      if (tally.kind == AccessKind::read) (tally.space == Space::shared ? reads_shared : reads_global) = true;
      copying_requests_ += request.of_copy && tally.kind == AccessKind::read ? 1 : 0;
      if (tally.space != Space::shared) {
        tally.sectors += warp.words.sectors(request.words);
        tally.least_sectors += at_least_one((warp.words.words(request.words) + 7) / 8);
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
void RequestCounter::settle_wide(const Request& request, const WarpRequests::LaneAddresses& addresses) {
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

std::vector<RequestTally> RequestCounter::tallies() const {
  std::vector<RequestTally> sorted = tallies_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const RequestTally& a, const RequestTally& b) { return a.pc < b.pc; });
  return sorted;
}

}  // namespace tilelab::simt
