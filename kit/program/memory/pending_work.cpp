// Implements pending_work.hpp.
#include "program/memory/pending_work.hpp"

#include <algorithm>
#include <bit>

namespace tilelab::program {

StreamOrder::StreamOrder() {
  streams_[0] = {slots_++, true, {}};
  streams_[2] = {slots_++, true, {}};
}

void StreamOrder::join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

std::optional<std::uint64_t> StreamOrder::create_stream(bool blocking) {
  if (streams_.size() >= most_streams) return std::nullopt;
  // After many streams the last place in the clocks is shared. Then some work counts as ordered that is not.
  const std::size_t slot = slots_ < most_streams ? slots_++ : most_streams - 1;
  streams_[next_stream_] = {slot, blocking, {}};
  ++(blocking ? blocking_ : nonblocking_);
  return next_stream_++;
}

std::optional<std::uint64_t> StreamOrder::create_event() {
  if (events_.size() >= most_events) return std::nullopt;
  events_[next_event_] = {};
  return next_event_++;
}

bool StreamOrder::destroy_stream(std::uint64_t number) {
  const auto found = streams_.find(number);
  if (number < first_own || found == streams_.end()) return false;
  join(gone_, found->second.clock);
  streams_.erase(found);
  return true;
}

void StreamOrder::catch_up(Stream& one) {
  join(one.clock, host_);
  if (one.slot == 0) {
    for (const auto& [number, other] : streams_) {
      if (other.blocking) join(one.clock, other.clock);
    }
    join(one.clock, gone_);
  } else if (one.blocking) {
    join(one.clock, stream(0).clock);
  }
  if (one.clock.size() <= one.slot) one.clock.resize(one.slot + 1);
}

bool StreamOrder::may_overlap(std::uint64_t stream) {
  if (stream == 2 && !uses_threads_stream_) {
    uses_threads_stream_ = true;
    ++blocking_;
  }
  return nonblocking_ > 0 || blocking_ > 1;
}

Stamp StreamOrder::submit(std::uint64_t number) {
  Stream& one = stream(number);
  catch_up(one);
  return {one.slot, ++one.clock[one.slot]};
}

void StreamOrder::record(std::uint64_t event, std::uint64_t number) {
  Stream& one = stream(number);
  catch_up(one);
  events_.at(event) = one.clock;
}

void StreamOrder::wait(std::uint64_t number, std::uint64_t event) { join(stream(number).clock, events_.at(event)); }

void StreamOrder::host_waits_for_stream(std::uint64_t number) {
  Stream& one = stream(number);
  catch_up(one);
  join(host_, one.clock);
}

void StreamOrder::host_waits_for_event(std::uint64_t event) { join(host_, events_.at(event)); }

bool StreamOrder::host_has_seen(std::uint64_t event) const {
  const auto found = events_.find(event);
  if (found == events_.end()) return true;
  const Clock& until = found->second;
  for (std::size_t slot = 0; slot < until.size(); ++slot) {
    if (until[slot] != 0 && !reached(host_, {slot, until[slot]})) return false;
  }
  return true;
}

void StreamOrder::host_waits_for_all() {
  for (const auto& [number, one] : streams_) join(host_, one.clock);
  join(host_, gone_);
}

bool StreamOrder::is_before(const Stamp& work, const Stamp& later) const {
  if (work.stream == later.stream) return true;
  for (const auto& [number, one] : streams_) {
    if (one.slot == later.stream) return reached(one.clock, work);
  }
  return true;
}

namespace {

struct Bits {
  unsigned read, written, atomic;
  explicit Bits(const WordTouch& touch) : read(touch.bytes & 0xFu), written(touch.bytes >> 4 & 0xFu), atomic(touch.bytes >> 8 & 0xFu) {}
  unsigned any() const { return read | written | atomic; }
  bool changes(unsigned byte) const { return ((written | atomic) & byte) != 0; }
};

unsigned conflicting(const Bits& one, const Bits& other) {
  return (one.written & other.any()) | (other.written & one.any()) | (one.atomic & other.read) | (other.atomic & one.read);
}

void add(TouchedRuns& runs, std::size_t first, std::size_t end, const WordTouch& touch) {
  if (first == end) return;
  if (!runs.empty() && runs.back().end == first && runs.back().touch == touch)
    runs.back().end = end;
  else
    runs.push_back({first, end, touch});
}

}  // namespace

std::optional<TouchedRuns> runs_of(const WordTouch* words, std::size_t first, std::size_t end) {
  TouchedRuns runs;
  for (std::size_t at = first; at < end; ++at) {
    if (words[at].bytes == 0) continue;
    add(runs, at, at + 1, words[at]);
    if (runs.size() > most_touched_runs) return std::nullopt;
  }
  return runs;
}

std::optional<TouchedRuns> runs_of_rows(std::size_t offset, std::size_t rows, std::size_t row_bytes, std::size_t pitch, bool writes) {
  if (pitch == row_bytes) return runs_of_rows(offset, 1, rows * row_bytes, 0, writes);
  if (rows > most_touched_runs / 3) return std::nullopt;
  const auto touch = [writes](unsigned bytes) { return WordTouch{static_cast<std::uint16_t>(writes ? bytes << 4 : bytes), 0, 0}; };
  TouchedRuns runs;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = offset + row * pitch, end = at + row_bytes; at < end;) {
      const std::size_t word = at / 4;
      if (at % 4 == 0 && end - at >= 4) {
        add(runs, word, end / 4, touch(0xF));
        at = end / 4 * 4;
        continue;
      }
      const std::size_t stop = std::min(end, (word + 1) * 4);
      const WordTouch some = touch(((1u << (stop - at)) - 1u) << (at % 4));
      if (!runs.empty() && runs.back().end == word + 1) {  // the row before ends in this word
        const auto bytes = static_cast<std::uint16_t>(runs.back().touch.bytes | some.bytes);
        if (--runs.back().end == runs.back().first) runs.pop_back();
        add(runs, word, word + 1, {bytes, 0, 0});
      } else {
        add(runs, word, word + 1, some);
      }
      at = stop;
    }
  }
  return runs;
}

std::optional<TouchConflict> first_conflict(const TouchedRuns& first, const TouchedRuns& second) {
  for (auto one = first.begin(), other = second.begin(); one != first.end() && other != second.end();) {
    const Bits a(one->touch), b(other->touch);
    const unsigned bytes = conflicting(a, b);
    const std::size_t word = std::max(one->first, other->first);
    if (word < std::min(one->end, other->end) && bytes != 0) {
      const auto place = static_cast<unsigned>(std::countr_zero(bytes));
      const bool changes = a.changes(1u << place), other_changes = b.changes(1u << place);
      return TouchConflict{.byte = word * 4 + place,
                           .first_writes = changes,
                           .second_writes = other_changes,
                           .first_line = changes ? one->touch.writer : one->touch.reader,
                           .second_line = other_changes ? other->touch.writer : other->touch.reader};
    }
    if (one->end <= other->end)
      ++one;
    else
      ++other;
  }
  return std::nullopt;
}

bool PendingWork::may_conflict(const Use& one, const Use& other) {
  if (one.kernel == nullptr && other.kernel == nullptr) return false;
  if (one.touched != nullptr && other.touched != nullptr) return true;
  const bool overlaps = one.first < other.end && other.first < one.end;
  return overlaps && (one.kernel == nullptr) != (other.kernel == nullptr) && (one.writes || other.writes);
}

std::optional<UseConflict> PendingWork::add(std::uintptr_t allocation, const Use& use) {
  std::deque<Use>& uses = uses_[allocation];
  std::erase_if(uses, [this](const Use& one) {
    const bool is_done = order_.is_done(one.stamp);
    if (is_done) drop(one);
    return is_done;
  });
  std::optional<UseConflict> conflict;
  for (const Use& one : uses) {
    if (!may_conflict(one, use) || order_.is_before(one.stamp, use.stamp)) continue;
    std::optional<TouchConflict> place;
    if (one.touched != nullptr && use.touched != nullptr) {
      place = first_conflict(*one.touched, *use.touched);
      if (!place) continue;
    }
    conflict = UseConflict{one, place};
    break;
  }
  uses.push_back(use);
  const std::size_t runs = use.touched != nullptr ? use.touched->size() : 0;
  if (runs_ + runs > most_runs)
    uses.back().touched = nullptr;
  else
    runs_ += runs;
  if (uses.size() > most_uses) {
    drop(uses.front());
    uses.pop_front();
  }
  return conflict;
}

void PendingWork::drop(const Use& one) {
  if (one.touched != nullptr) runs_ -= one.touched->size();
}

void PendingWork::forget(std::uintptr_t allocation) {
  const auto found = uses_.find(allocation);
  if (found == uses_.end()) return;
  for (const Use& one : found->second) drop(one);
  uses_.erase(found);
}

void PendingWork::guard(std::uintptr_t address, std::size_t bytes, const Use& use, const simt::HostConflicts& conflicts) {
  const bool is_free = conflicts.reads.end == 0 && conflicts.writes.end == 0;  // host code may do here what it likes
  if (is_free || guards_.size() >= most_guards) return;
  guards_.push_back({{address, bytes}, use, conflicts});
  guarded_.push_back({address, bytes});
}

simt::HostConflicts PendingWork::conflicts_of_copy(const Use& use) {
  const simt::UsedRange all{use.first, use.end};
  return {.reads = use.writes ? all : simt::UsedRange{}, .writes = all, .atomics = all};
}

PendingWork::Guarded PendingWork::take_guarded() {
  std::vector<Range> all = std::exchange(guarded_, {});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Guarded guarded;
  for (const Range& range : all) {
    const bool is_written = std::any_of(guards_.begin(), guards_.end(), [&](const Guard& one) {
      return one.range == range && one.conflicts.reads.end != 0 && !order_.is_done(one.use.stamp);
    });
    (is_written ? guarded.wholly : guarded.from_writes).push_back(range);
  }
  return guarded;
}

std::vector<PendingWork::Range> PendingWork::take_done() {
  std::vector<Range> done, kept;
  std::erase_if(guards_, [&](const Guard& one) {
    const bool is_done = order_.is_done(one.use.stamp);
    (is_done ? done : kept).push_back(one.range);
    return is_done;
  });
  std::erase_if(done, [&](const Range& one) { return std::find(kept.begin(), kept.end(), one) != kept.end(); });
  std::sort(done.begin(), done.end());
  done.erase(std::unique(done.begin(), done.end()), done.end());
  return done;
}

PendingWork::Disturbed PendingWork::disturbed(std::uintptr_t address, HostTouch touch) const {
  Disturbed found;
  for (const Guard& one : guards_) {
    if (address < one.range.first || order_.is_done(one.use.stamp)) continue;
    const std::size_t at = address - one.range.first;
    const auto holds = [at](const simt::UsedRange& range) { return at >= range.first && at < range.end; };
    const auto& [reads, writes, atomics] = one.conflicts;
    if (!holds(touch == HostTouch::read ? reads : touch == HostTouch::write ? writes : atomics)) continue;
    if (holds(reads)) return {&one.use, true};
    found.use = &one.use;
  }
  return found;
}

}  // namespace tilelab::program
