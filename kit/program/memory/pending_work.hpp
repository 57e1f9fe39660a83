// Work that may still run: the order that streams and events give it, and the bytes that it touches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/memory/byte_marks.hpp"

namespace tilelab::program {

// Which work is ordered before which, by CUDA's rules: streams, events, and what the host has waited for. Work is executed as soon as
// it is submitted; this only remembers what a GPU would have been free to do.
//
// Each stream has a vector clock. Work of the legacy default stream comes after all work of other streams before it, and before all
// later work; streams that do not block are exempt.

// One piece of work: the `number`-th of its stream.
struct Stamp {
  std::size_t stream = 0;
  std::uint64_t number = 0;
};

class StreamOrder {
 public:
  static constexpr std::uint64_t first_own = 3;  // 0 and 1 are the legacy default stream, 2 the default stream of a thread
  static constexpr std::size_t most_streams = 1024, most_events = 1u << 16;

  StreamOrder() {
    streams_[0] = {slots_++, true, {}};
    streams_[2] = {slots_++, true, {}};
  }
  // nothing: there are too many
  std::optional<std::uint64_t> create_stream(bool blocking) {
    if (streams_.size() >= most_streams) return std::nullopt;
    // After many streams the last place in the clocks is shared. Then some work counts as ordered that is not.
    const std::size_t slot = slots_ < most_streams ? slots_++ : most_streams - 1;
    streams_[next_stream_] = {slot, blocking, {}};
    ++(blocking ? blocking_ : nonblocking_);
    return next_stream_++;
  }
  std::optional<std::uint64_t> create_event() {
    if (events_.size() >= most_events) return std::nullopt;
    events_[next_event_] = {};
    return next_event_++;
  }
  bool knows_stream(std::uint64_t stream) const { return streams_.contains(one_name(stream)); }
  bool knows_event(std::uint64_t event) const { return events_.contains(event); }
  // false: there is no such stream of the program's own
  bool destroy_stream(std::uint64_t number) {
    const auto found = streams_.find(number);
    if (number < first_own || found == streams_.end()) return false;
    join(gone_, found->second.clock);
    streams_.erase(found);
    return true;
  }
  bool destroy_event(std::uint64_t event) { return events_.erase(event) != 0; }

  // Whether work of this stream may run at the same time as other work, of kernels too. The legacy default stream waits for others.
  bool may_overlap(std::uint64_t stream) {
    if (stream == 2 && !uses_threads_stream_) {
      uses_threads_stream_ = true;
      ++blocking_;
    }
    return nonblocking_ > 0 || blocking_ > 1;
  }

  // The rest expects streams and events that are known.
  Stamp submit(std::uint64_t number) {
    Stream& one = stream(number);
    catch_up(one);
    return {one.slot, ++one.clock[one.slot]};
  }
  void record(std::uint64_t event, std::uint64_t number) {
    Stream& one = stream(number);
    catch_up(one);
    events_.at(event) = one.clock;
  }
  void wait(std::uint64_t number, std::uint64_t event) {
    join(stream(number).clock, events_.at(event));
  }  // later work of the stream comes after the event
  void host_waits_for_stream(std::uint64_t number) {
    Stream& one = stream(number);
    catch_up(one);
    join(host_, one.clock);
  }
  void host_waits_for_event(std::uint64_t event) { join(host_, events_.at(event)); }
  void host_waits_for_all() {
    for (const auto& [number, one] : streams_) join(host_, one.clock);
    join(host_, gone_);
  }
  // all work before the event is known to be done
  bool host_has_seen(std::uint64_t event) const {
    const auto found = events_.find(event);
    if (found == events_.end()) return true;
    const Clock& until = found->second;
    for (std::size_t slot = 0; slot < until.size(); ++slot) {
      if (until[slot] != 0 && !reached(host_, {slot, until[slot]})) return false;
    }
    return true;
  }

  // `later` is the last work of its stream
  bool is_before(const Stamp& work, const Stamp& later) const {
    if (work.stream == later.stream) return true;
    for (const auto& [number, one] : streams_) {
      if (one.slot == later.stream) return reached(one.clock, work);
    }
    return true;
  }
  bool is_done(const Stamp& work) const { return reached(host_, work); }

 private:
  using Clock = std::vector<std::uint64_t>;  // for each stream, how many pieces of its work
  struct Stream {
    std::size_t slot;
    bool blocking = true;
    Clock clock;
  };
  static void join(Clock& clock, const Clock& other) {
    if (clock.size() < other.size()) clock.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
  }
  static bool reached(const Clock& clock, const Stamp& work) { return work.stream < clock.size() && clock[work.stream] >= work.number; }
  static std::uint64_t one_name(std::uint64_t number) { return number == 1 ? 0 : number; }
  Stream& stream(std::uint64_t number) { return streams_.at(one_name(number)); }
  void catch_up(Stream& one) {
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

  std::map<std::uint64_t, Stream> streams_;
  std::map<std::uint64_t, Clock> events_;
  Clock host_, gone_;                                       // gone_: of streams that were destroyed; their work goes on
  std::size_t slots_ = 0, blocking_ = 0, nonblocking_ = 0;  // streams besides the legacy default stream that are or were
  bool uses_threads_stream_ = false;
  std::uint64_t next_stream_ = first_own, next_event_ = 1;
};

// Compares what two pieces of work touched of one allocation, byte by byte. Knows nothing of their order: see pending_work.hpp.

using simt::TouchedRuns;
using simt::WordTouch;

inline constexpr std::size_t most_touched_runs = 1u << 20;  // of one buffer

// Of `words`, those from `first` to `end`. Nothing: there are too many runs.
std::optional<TouchedRuns> runs_of(const WordTouch* words, std::size_t first, std::size_t end);
// Rows of bytes that a copy reads or writes; `pitch` bytes lie between the beginnings of two. Nothing: there are too many.
std::optional<TouchedRuns> runs_of_rows(std::size_t offset, std::size_t rows, std::size_t row_bytes, std::size_t pitch, bool writes);

struct TouchConflict {
  std::size_t byte = 0;  // from the buffer's start
  bool first_writes = false, second_writes = false;
  std::uint16_t first_line = 0, second_line = 0;
};
// The lowest byte that both touch, where one of them writes it, and not both are atomic.
std::optional<TouchConflict> first_conflict(const TouchedRuns& first, const TouchedRuns& second);

// Work that the host has not waited for yet, and the memory that it uses. Finds two pieces that may run at the same time, and host
// code that looks at memory too early. Two kernels race where they touch the same bytes.

// What one copy or one kernel does with one allocation: [first, end) in bytes.
struct Use {
  Stamp stamp;
  std::size_t first = 0, end = 0;
  bool writes = false;
  const std::string* kernel = nullptr;           // its name, which stays where it is; null: a copy
  std::uint64_t at = 0;                          // where the program asked for it
  std::size_t element_bytes = 1;                 // as a kernel sees the allocation
  std::shared_ptr<const TouchedRuns> touched{};  // all that it does there; null: not known, or as far as `writes` says
  std::uint64_t graph = 0;                       // the launch of a graph that it is a part of; 0: none
};

// An earlier use that nothing orders with a later one.
struct UseConflict {
  Use earlier;
  std::optional<TouchConflict> place;  // first: of the earlier one
};

class PendingWork {
 public:
  explicit PendingWork(const StreamOrder& order) : order_(order) {}

  // Two copies never conflict, and two kernels only where it is known which bytes they touch.
  std::optional<UseConflict> add(std::uintptr_t allocation, const Use& use) {
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
  void forget(std::uintptr_t allocation) {
    const auto found = uses_.find(allocation);
    if (found == uses_.end()) return;
    for (const Use& one : found->second) drop(one);
    uses_.erase(found);
  }

  // Host code must not touch this memory before the work is done, as far as `conflicts` says: offsets from `address`.
  void guard(std::uintptr_t address, std::size_t bytes, const Use& use, const simt::HostConflicts& conflicts) {
    const bool is_free = conflicts.reads.end == 0 && conflicts.writes.end == 0;  // host code may do here what it likes
    if (is_free || guards_.size() >= most_guards) return;
    guards_.push_back({{address, bytes}, use, conflicts});
    guarded_.push_back({address, bytes});
  }
  static simt::HostConflicts conflicts_of_copy(const Use& use) {
    const simt::UsedRange all{use.first, use.end};
    return {.reads = use.writes ? all : simt::UsedRange{}, .writes = all, .atomics = all};
  }
  using Range = std::pair<std::uintptr_t, std::size_t>;
  // Those that were guarded since the last call, and those that need it no longer.
  struct Guarded {
    std::vector<Range> wholly, from_writes;
  };
  Guarded take_guarded() {
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
  std::vector<Range> take_done() {
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
  enum class HostTouch { read, write, atomic };
  // Work that still may use this byte in a way that the host's touch disturbs, or null; `changes`: it may change the byte.
  struct Disturbed {
    const Use* use = nullptr;
    bool changes = false;
  };
  Disturbed disturbed(std::uintptr_t address, HostTouch touch) const {
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

 private:
  struct Guard {
    Range range;
    Use use;
    simt::HostConflicts conflicts;
  };
  static bool may_conflict(const Use& one, const Use& other) {
    if (one.kernel == nullptr && other.kernel == nullptr) return false;
    if (one.touched != nullptr && other.touched != nullptr) return true;
    const bool overlaps = one.first < other.end && other.first < one.end;
    return overlaps && (one.kernel == nullptr) != (other.kernel == nullptr) && (one.writes || other.writes);
  }
  void drop(const Use& one) {
    if (one.touched != nullptr) runs_ -= one.touched->size();
  }

  static constexpr std::size_t most_runs = 1u << 22;                // of all uses
  static constexpr std::size_t most_uses = 64, most_guards = 4096;  // of one allocation; of all

  const StreamOrder& order_;
  std::map<std::uintptr_t, std::deque<Use>> uses_;
  std::vector<Guard> guards_;
  std::vector<Range> guarded_;
  std::size_t runs_ = 0;
};

}  // namespace tilelab::program
