#include "simt/observers/trace_recorder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tilelab::simt {
namespace {

// An access to several elements at once (a float4) becomes one step for each. If the parts are not whole elements, as in an array
// of bytes that holds floats, each step is four bytes.
std::uint32_t part_of(const Access& access, std::uint32_t size, std::uint64_t offset) {
  const auto fits = [&](std::size_t part) { return size % part == 0 && offset % part == 0; };
  const std::size_t element = access.region->element_bytes;
  if ((element == 4 || element == 8) && fits(element)) return static_cast<std::uint32_t>(element);
  return fits(4) ? 4 : fits(2) ? 2 : 1;
}

std::uint64_t bits_at(const TraceStep& step) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(step.region->base + step.offset), step.bytes);
  return bits;
}

}  // namespace

void TraceRecorder::on_block_begin(std::uint64_t block) {
  const auto first = first_of(block);
  if (!first || *first >= paths_.size()) return;
  for (std::uint32_t at = *first; at < *first + beside_from; ++at) {
    paths_[at].restart();
    last_[at] = {};
  }
}

// One lane's instruction moves at most 16 bytes: what is longer becomes several, as RequestCounter counts it.
void TraceRecorder::on_access(const Access& access) {
  settle();
  if (const auto thread = number_of(access.by)) take(access, *thread, false);
}

// It is told as an access of the region that it missed. A thread's own variables are not shown.
void TraceRecorder::on_stray(const Access& access, const Region* nearest) {
  settle();
  const auto thread = number_of(access.by);
  if (!thread || nearest == nullptr || nearest->in_frame) return;
  Access missed = access;
  missed.region = nearest;
  take(missed, *thread, true);
}

void TraceRecorder::take(const Access& access, std::uint32_t thread, bool outside) {
  constexpr std::uint32_t widest = 16;
  const std::uint64_t first = access.address - access.region->base;
  if (access.size <= widest) return piece(access, thread, first, access.size, 0, outside);
  const auto fits = [&](std::uint32_t step) { return access.address % step == 0 && access.size % step == 0; };
  const std::uint32_t step = fits(16) ? 16 : fits(8) ? 8 : 4;
  for (std::uint32_t at = 0; at < access.size; at += step)
    piece(access, thread, first + at, std::min(step, access.size - at), at + 1, outside);
}

std::uint32_t TraceRecorder::slot_of(const Access& access, std::uint32_t size, std::uint32_t number) {
  const bool wide = access.space == Space::shared && size > 4;
  const ControlPath* path = path_of(access.by);
  const std::uint64_t key = ControlPath::mix(path ? path->key() : 0, number * 2 + (wide ? 1 : 0));
  return slots_.try_emplace(ControlPath::mix(key, access.instruction), static_cast<std::uint32_t>(slots_.size())).first->second;
}

void TraceRecorder::piece(const Access& access, std::uint32_t thread, std::uint64_t first, std::uint32_t size, std::uint32_t number,
                          bool outside) {
  if (full_) return;  // an access in pieces
  const std::uint32_t part = part_of(access, size, first), slot = slot_of(access, size, number);
  if (thread < last_.size()) last_[thread] = {access.pc, access.interval, false};
  for (std::uint32_t at = 0; at < size && has_room(thread); at += part) {
    TraceStep& step = steps_.emplace_back();
    step.kind = outside                            ? TraceStep::Kind::outside
                : access.kind == AccessKind::read  ? TraceStep::Kind::read
                : access.kind == AccessKind::write ? TraceStep::Kind::write
                                                   : TraceStep::Kind::atomic;
    step.thread = thread;
    step.interval = access.interval;
    step.region = access.region;
    step.offset = first + at;
    step.bytes = part;
    step.pc = access.pc;
    step.slot = slot;
    step.part = at / part;
    if (step.kind == TraceStep::Kind::read) step.bits = bits_at(step);
  }
}

std::uint32_t TraceRecorder::slot_at(const ThreadRef& by, std::uintptr_t pc) {
  const ControlPath* path = path_of(by);
  return slots_.try_emplace(ControlPath::mix(path ? path->key() : 0, pc), static_cast<std::uint32_t>(slots_.size())).first->second;
}

TraceStep* TraceRecorder::add(TraceStep::Kind kind, std::uint32_t thread, std::uint32_t interval, std::uintptr_t pc) {
  if (!has_room(thread)) return nullptr;
  TraceStep& step = steps_.emplace_back();
  step.kind = kind;
  step.thread = thread;
  step.interval = interval;
  step.pc = pc;
  return &step;
}

// Threads that wait at one place, or have left by one statement, are shown together, whichever way they came.
void TraceRecorder::on_standstill(const StandstillEvent& event) {
  settle();
  for (const Standing& one : event.threads) {
    const auto thread = number_of({event.block, one.thread});
    if (!thread || *thread >= last_.size()) continue;
    const bool left = one.where == Standing::Where::left;
    if (left && std::exchange(last_[*thread].left, true)) continue;
    if (TraceStep* step = add(left ? TraceStep::Kind::leave : TraceStep::Kind::wait, *thread, event.interval, one.pc))
      step->slot = slot_at({no_block, 0}, one.pc * 2 + (left ? 1 : 0));
  }
}

void TraceRecorder::on_warp_operation(const WarpOperationEvent& event) {
  settle();
  for (const LaneResult& lane : event.lanes) {
    const ThreadRef by{event.block, event.warp * 32 + lane.lane};
    const auto thread = number_of(by);
    if (!thread) return;
    TraceStep* step = add(TraceStep::Kind::exchange, *thread, event.interval, lane.pc);
    if (step == nullptr) return;
    step->offset = lane.source;
    step->bytes = lane.bytes;
    step->bits = lane.bytes == 0 ? 0 : lane.value;
    step->function = lane.function;
    step->type = lane.type;
    step->slot = slot_at(by, lane.pc);
  }
}

// The call of a lane that its own mask leaves out is an exchange of its own that brings nothing.
void TraceRecorder::on_undefined_lane(const LaneEvent& event) {
  settle();
  const auto thread = number_of(event.by);
  if (!thread || event.why != LaneEvent::Why::mask_without_caller || *thread >= last_.size()) return;
  if (TraceStep* step = add(TraceStep::Kind::exchange, *thread, last_[*thread].interval, event.pc)) {
    step->offset = event.by.lane();
    step->function = event.function;
    step->slot = slot_at(event.by, event.pc);
  }
}

void TraceRecorder::on_thread_ended(const ThreadRef& by) {
  settle();
  const auto thread = number_of(by);
  if (!thread || *thread >= last_.size()) return;
  const Last& last = last_[*thread];
  if (TraceStep* step = add(TraceStep::Kind::stop, *thread, last.interval, last.pc)) step->slot = slot_at({no_block, 0}, last.pc * 2);
}

void TraceRecorder::on_barrier(const BarrierEvent& event) {
  settle();
  const auto first = first_of(event.block);
  if (first) add(TraceStep::Kind::barrier, *first, event.interval, event.pc);
}

void TraceRecorder::on_block_end(std::uint64_t block, std::uint32_t) {
  settle();
  if (first_of(block)) ++ended_;
}

const std::vector<TraceStep>& TraceRecorder::steps() {
  settle();
  return steps_;
}

bool TraceRecorder::has_room(std::uint32_t thread) {
  const bool is_long = thread < counts_.size() && ++counts_[thread] > most_of_a_thread_;
  full_ = full_ || is_long || steps_.size() >= most_steps_;
  return !full_;
}

// An access is announced before it happens. At the next event it has happened, and nothing else has.
void TraceRecorder::settle() {
  for (; settled_ < steps_.size(); ++settled_) {
    TraceStep& step = steps_[settled_];
    if (step.kind == TraceStep::Kind::write || step.kind == TraceStep::Kind::atomic) step.bits = bits_at(step);
  }
}

}  // namespace tilelab::simt
