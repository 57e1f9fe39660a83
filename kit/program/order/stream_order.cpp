#include "program/order/stream_order.hpp"

#include <algorithm>

namespace tilelab::program {

StreamOrder::StreamOrder() {
  streams_[0] = {slots_++, true, {}};
  streams_[1] = streams_[0];  // only so that it is known: see stream()
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
  if (gone_.empty()) gone_.emplace_back();
  join(gone_.front(), found->second.clock);
  streams_.erase(found);
  return true;
}

void StreamOrder::catch_up(Stream& one) {
  join(one.clock, host_);
  if (one.slot == 0) {
    for (const auto& [number, other] : streams_) {
      if (other.blocking && number != 1) join(one.clock, other.clock);
    }
    for (const Clock& clock : gone_) join(one.clock, clock);
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
  for (const Clock& clock : gone_) join(host_, clock);
}

bool StreamOrder::is_before(const Stamp& work, const Stamp& later) const {
  if (work.stream == later.stream) return true;
  for (const auto& [number, one] : streams_) {
    if (one.slot == later.stream && number != 1) return reached(one.clock, work);
  }
  return true;
}

}  // namespace tilelab::program
