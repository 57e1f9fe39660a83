// Statement pairs per word and barrier interval.
#include "simt/observers/race_detector.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "simt/region.hpp"

namespace tilelab::simt {
namespace {

constexpr std::uint32_t warp_of(std::uint32_t thread) { return thread / 32; }

}  // namespace

void RaceDetector::on_launch_begin(const LaunchEvent& launch) { words_.resize((launch.shared_span + 3) / 4); }

void RaceDetector::on_block_begin(std::uint64_t block) {
  block_ = block;
  ++interval_;
}

void RaceDetector::on_warp_sync(const WarpSyncEvent& sync) {
  Warp& warp = warps_[sync.warp % warps_.size()];
  if (warp.interval != interval_) {
    warp.interval = interval_;
    warp.several_masks = false;
    warp.syncs.clear();
  }
  warp.several_masks = warp.several_masks || (!warp.syncs.empty() && warp.syncs.front().mask != sync.mask);
  warp.syncs.push_back(sync);
}

void RaceDetector::on_access(const Access& access) {
  if (access.size == 4 && access.offset % 4 == 0) return touch(access.offset / 4, 0xF, access);
  const std::uint64_t end = access.offset + access.size;
  for (std::uint64_t at = access.offset; at < end;) {
    const std::uint64_t word = at / 4, word_end = std::min(end, word * 4 + 4);
    touch(word, static_cast<std::uint8_t>(((1u << (word_end - at)) - 1u) << (at % 4)), access);
    at = word_end;
  }
}

void RaceDetector::touch(std::size_t index, std::uint8_t bytes, const Access& access) {
  if (index >= words_.size()) return;
  Word& word = words_[index];
  const auto thread = static_cast<std::uint16_t>(access.by.thread);
  const bool apart = keeps_lanes_apart(access);
  const auto same = [&](const Trace& trace) { return trace.same_statement(access, bytes) && (!apart || trace.lowest == thread); };
  const auto extend = [&](Trace& trace) {
    if (thread >= trace.lowest && thread <= trace.highest) return;
    trace.lowest = std::min(trace.lowest, thread);
    trace.highest = std::max(trace.highest, thread);
    if (word.written) suspect(index);
  };
  const Warp& warp = warps_[access.by.warp()];
  const auto syncs = static_cast<std::uint32_t>(warp.interval == interval_ ? warp.syncs.size() : 0);
  const Trace fresh{access.pc, access.region, access.warp_interval, syncs, thread, thread, access.kind, bytes};
  if (word.interval != interval_) {
    word.interval = interval_;
    word.first = fresh;
    word.written = access.kind != AccessKind::read;
    word.suspect = false;
    word.more.clear();
    return;
  }
  if (same(word.first)) return extend(word.first);
  for (Trace& trace : word.more) {
    if (same(trace)) return extend(trace);
  }
  if (word.more.size() >= many_traces && access.kind == AccessKind::write) prune(index, fresh);
  word.more.push_back(fresh);
  word.written = word.written || access.kind != AccessKind::read;
  if (word.written) suspect(index);
}

void RaceDetector::suspect(std::size_t index) {
  if (words_[index].suspect) return;
  words_[index].suspect = true;
  suspects_.push_back(index);
}

void RaceDetector::close_interval() {
  for (const std::size_t index : suspects_) {
    const Word& word = words_[index];
    compare(index, word.first, word.first);
    for (std::size_t i = 0; i < word.more.size(); ++i) {
      compare(index, word.first, word.more[i]);
      for (std::size_t j = i; j < word.more.size(); ++j) compare(index, word.more[i], word.more[j]);
    }
  }
  suspects_.clear();
  ++interval_;
}

bool RaceDetector::ordered(const Trace& earlier, std::uint32_t its_thread, const Trace& later, std::uint32_t later_thread) const {
  if (warp_of(its_thread) != warp_of(later_thread) || earlier.warp_interval >= later.warp_interval) return false;
  const Warp& warp = warps_[warp_of(its_thread) % warps_.size()];
  if (warp.interval != interval_) return false;
  std::uint32_t reached = 1u << (its_thread % 32);  // lanes that know of the earlier access
  for (std::size_t i = warp.several_masks ? earlier.syncs : earlier.warp_interval; i < warp.syncs.size(); ++i) {
    const WarpSyncEvent& sync = warp.syncs[i];
    if (sync.warp_interval <= earlier.warp_interval || sync.warp_interval > later.warp_interval || (sync.mask & reached) == 0) continue;
    reached |= sync.mask;
    if (((reached >> (later_thread % 32)) & 1u) != 0) return true;
  }
  return false;
}

void RaceDetector::prune(std::size_t index, const Trace& write) {
  Word& word = words_[index];
  std::vector<Trace> all = std::exchange(word.more, {});
  all.push_back(word.first);
  const auto before = [&](const Trace& trace) {
    return (trace.bytes & ~write.bytes) == 0 && (trace.lowest == write.lowest || ordered(trace, trace.lowest, write, write.lowest)) &&
           (trace.highest == write.lowest || ordered(trace, trace.highest, write, write.lowest));
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i; j < all.size(); ++j) {
      if (before(all[i]) || before(all[j])) compare(index, all[i], all[j]);
    }
  }
  std::erase_if(all, before);
  word.first = all.empty() ? write : all.back();
  if (!all.empty()) all.pop_back();
  word.more = std::move(all);
}

void RaceDetector::compare(std::size_t word, const Trace& a, const Trace& b) {
  const auto common = static_cast<std::uint8_t>(a.bytes & b.bytes);
  if (common == 0) return;
  if (a.kind == AccessKind::read && b.kind == AccessKind::read) return;
  if (a.kind == AccessKind::atomic && b.kind == AccessKind::atomic) return;
  // One order for a pair of statements, whichever ran first: the write, else the earlier code, comes first.
  const auto rank = [](const Trace& trace) { return std::tuple(trace.kind == AccessKind::read, trace.pc, trace.kind); };
  if (rank(b) < rank(a)) return compare(word, b, a);
  const bool alike = rank(a) == rank(b);
  // The threads of a trace between its lowest and highest need not be looked at: if any pair races, so does one of these.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> racing;
  for (const std::uint32_t first : {a.lowest, a.highest}) {
    for (const std::uint32_t second : {b.lowest, b.highest}) {
      if (first == second) continue;
      if (ordered(a, first, b, second) || ordered(b, second, a, first)) continue;
      const std::pair<std::uint32_t, std::uint32_t> both = alike ? std::minmax({first, second}) : std::pair(first, second);
      if (!racing || both < *racing) racing = both;
    }
  }
  if (!racing) return;
  RawFinding finding;
  finding.kind = FindingKind::race;
  finding.site = {a.pc, access_name(a.kind), {block_, racing->first}};
  finding.other = {b.pc, access_name(b.kind), {block_, racing->second}};
  finding.region = a.region;
  finding.offset = static_cast<std::int64_t>(word * 4) + std::countr_zero(common) - static_cast<std::int64_t>(a.region->span_offset);
  finding.size = static_cast<std::uint32_t>(std::popcount(common));
  log_.report(finding);
}

}  // namespace tilelab::simt
