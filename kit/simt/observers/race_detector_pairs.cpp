// How the race detector compares the statements that access a word, in pairs, and what it reports of two that nothing orders.
#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "simt/memory/region.hpp"
#include "simt/observers/race_detector.hpp"

namespace tilelab::simt {

void RaceDetector::compare_all(Word& word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    for (std::size_t j = i; j < word.size(); ++j) {
      const bool ordered = (word.at(j).after & position_bit(i)) != 0 || (word.at(i).after & position_bit(j)) != 0;
      if (!ordered) compare(word, word.at(i), word.at(j));
    }
  }
}

bool RaceDetector::is_before(const Footprint& earlier, std::size_t position, const Footprint& write) const {
  if ((earlier.bytes & ~write.bytes) != 0) return false;
  if ((write.after & position_bit(position)) != 0) return true;
  if (threads_.in_use()) {
    const bool alike = earlier.is_volatile == write.is_volatile && earlier.is_strong == write.is_strong;
    if (write.kind != AccessKind::write && (write.kind != earlier.kind || earlier.kind != AccessKind::read || !alike)) return false;
    return not_known_to(write, earlier).empty();
  }
  const auto of_one = [&](std::uint32_t thread) { return thread == write.lowest || warps_.ordered(earlier, thread, write, write.lowest); };
  return of_one(earlier.lowest) && of_one(earlier.highest);
}

// Whether the later access is by a thread that knows of the earlier one of `its_thread`.
bool RaceDetector::follows(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later) const {
  if (earlier.completed_by.barrier != 0) return threads_.knows(later.state, earlier.completed_by);
  return threads_.knows(later.state, its_thread, earlier.state);
}

RaceDetector::ThreadRange RaceDetector::not_known_to(const Footprint& later, const Footprint& earlier) const {
  ThreadRange range{1, 0};
  const bool one = later.lowest == later.highest;
  for (std::uint32_t thread = earlier.lowest; thread <= earlier.highest; ++thread) {
    if (follows(earlier, thread, later) || (one && thread == later.lowest)) continue;
    if (range.empty()) range.lowest = thread;
    range.highest = thread;
  }
  return range;
}

void RaceDetector::prune(Word& word, Footprint& write, const Access& now) {
  std::vector<Footprint> all = std::exchange(word.more, {});
  all.insert(all.begin(), word.first);
  for (std::size_t i = all.size(); i-- > 0;) {
    const Footprint old = all[i];
    if (!is_before(old, i, write)) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      const bool ordered = (all[j].after & position_bit(i)) != 0 || (old.after & position_bit(j)) != 0;
      if (!ordered) compare(word, old, all[j]);
    }
    // Another block may race with a dropped access but not with the write, so it is recorded first.
    if (old.region->space != Space::shared && !old.committed)
      history_.commit(word.number, old, static_cast<std::uint32_t>(block_), now.interval, threads_.segment(old.state));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    for (Footprint& one : all) one.after = without_position(one.after, i);
    write.after = without_position(write.after, i);
  }
  word.first.bytes = 0;
  if (all.empty()) return;
  word.first = all.front();
  word.more.assign(all.begin() + 1, all.end());
}

// The threads of one footprint that no phase of a barrier orders before the other one.
RaceDetector::ThreadRange RaceDetector::racing_threads(const Footprint& one, const Footprint& other) const {
  if (!threads_.in_use()) return {one.lowest, one.highest};
  ThreadRange range = one.has_gaps ? ThreadRange{one.lowest, one.highest} : not_known_to(other, one);
  if (!one.has_gaps) return range;
  if (follows(one, range.lowest, other)) range.lowest = range.highest;
  if (follows(one, range.highest, other)) range.highest = range.lowest;
  if (follows(one, range.lowest, other)) return {1, 0};
  return range;
}

void RaceDetector::compare(const Word& word, const Footprint& a, const Footprint& b) {
  const bool maybe = conflict(a, b, true, true);
  if (!maybe || (same_value_ == SameValue::allowed && same_value(a, b))) return;
  // The order in a pair does not depend on which ran first: the write comes first, else the statement at the lower address.
  const auto rank = [](const Footprint& one) { return std::tuple(one.kind == AccessKind::read, one.pc, one.kind); };
  if (rank(b) < rank(a)) return compare(word, b, a);
  const bool alike = rank(a) == rank(b);
  // It is enough to compare the lowest and the highest threads: if any pair races, so does one of these.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> racing;
  const auto of_a = racing_threads(a, b), of_b = racing_threads(b, a);
  if (of_a.empty() || of_b.empty()) return;
  for (const std::uint32_t first : {of_a.lowest, of_a.highest}) {
    for (const std::uint32_t second : {of_b.lowest, of_b.highest}) {
      if (first == second || !conflict(a, b, true, first / 32 == second / 32)) continue;
      const bool by_warp = a.completed_by.barrier == 0 && b.completed_by.barrier == 0;
      if (by_warp && (warps_.ordered(a, first, b, second) || warps_.ordered(b, second, a, first))) continue;
      const std::pair<std::uint32_t, std::uint32_t> both = alike ? std::minmax({first, second}) : std::pair(first, second);
      if (!racing || both < *racing) racing = both;
    }
  }
  if (!racing) return;
  const auto common = static_cast<std::uint8_t>(a.bytes & b.bytes);
  RawFinding finding;
  finding.kind = Verdict::race;
  finding.site = {a.pc, access_name(a.kind), {block_, racing->first}};
  finding.other = {b.pc, access_name(b.kind), {block_, racing->second}};
  finding.region = a.region;
  finding.offset = static_cast<std::int64_t>(word.number * 4 - a.region->base) + std::countr_zero(common);
  finding.size = static_cast<std::uint32_t>(std::popcount(common));
  if (threads_.in_use()) finding.about = RawFinding::About::phases;
  if (a.completed_by.barrier != 0 && a.kind != AccessKind::read)
    finding.what =
        "copies {element} asynchronously while another thread uses it: that thread has to wait for the barrier or the stage of the "
        "pipeline that completes the copy";
  else if (b.completed_by.barrier != 0)
    finding.what =
        "writes {element}, which another thread's asynchronous copy may still have to read: first this thread has to wait for the "
        "barrier or the stage of the pipeline that completes the copy";
  else if (a.of_copy && a.kind != AccessKind::read)
    finding.what =
        "copies {element} asynchronously while another thread uses it: first this thread has to wait for its copy, and then "
        "a barrier has to follow";
  else if (b.of_copy)
    finding.what =
        "writes {element}, which another thread's asynchronous copy may still have to read: first that thread has to wait for "
        "its copy, and then a barrier has to follow";
  log_.report(finding);
}

// A thread's own access to what its own copy still uses: no other thread is needed to go wrong.
void RaceDetector::disturbs(const Access& access, const CopyEvent& copy) {
  const bool at_destination =
      access.address < copy.destination.address + copy.destination.size && copy.destination.address < access.address + access.size;
  const Access& other = at_destination ? copy.destination : copy.source;
  const std::uintptr_t from = std::max(access.address, other.address);
  RawFinding finding;
  finding.kind = Verdict::race;
  finding.site = {access.pc, access_name(access.kind), access.by};
  finding.other = {other.pc, access_name(other.kind), other.by};
  finding.region = access.region;
  finding.offset = static_cast<std::int64_t>(from - access.region->base);
  finding.size = 1;
  finding.what = !at_destination                   ? "writes {element}, which its own asynchronous copy may still have to read: "
                                                     "nothing has waited for the copy"
                 : access.kind == AccessKind::read ? "reads {element}, which its own asynchronous copy may still have to write: "
                                                     "nothing has waited for the copy"
                                                   : "writes {element}, which its own asynchronous copy may still have to write: "
                                                     "nothing has waited for the copy";
  log_.report(finding);
}

}  // namespace tilelab::simt
