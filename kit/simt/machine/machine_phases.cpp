// What threads do with the phase barriers of their block. Each operation is announced as an access to the barrier's object, so that
// a race with init() is found like any other.
#include <algorithm>
#include <cstring>
#include <vector>

#include "simt/machine/machine.hpp"

namespace tilelab::simt {
namespace {

constexpr std::size_t object_bytes = 8;

}  // namespace

void Machine::init_barrier(std::uintptr_t address, std::int64_t expected, std::uintptr_t pc, std::uintptr_t frame) {
  if (address % object_bytes != 0) misaligned(address, object_bytes, pc, frame);
  if (expected < 0 || expected > (1 << 20) - 1)
    trap("initialises a barrier with a count that is negative or too large", statement(pc, frame));
  if (phases_.none()) announcer_.announce(&Observer::on_phases_begin);
  access(address, object_bytes, AccessKind::write, false, pc, frame);
  const std::uint64_t mark = PhaseBarriers::mark(address);
  std::memcpy(reinterpret_cast<void*>(address), &mark, sizeof mark);
  phases_.init(address, expected);
  scheduler_.wake(address);
}

// A thread that comes before init() waits for it: the race is found by its rules, in whatever order threads run.
PhaseBarrier& Machine::barrier_at(std::uintptr_t address, AccessKind kind, std::uintptr_t pc, std::uintptr_t frame) {
  if (address % object_bytes != 0) misaligned(address, object_bytes, pc, frame);
  spins_.moved_on(scheduler_.running().ref.thread);
  while (phases_.find(address) == nullptr) scheduler_.sleep(address, statement(pc, frame), false);
  access(address, object_bytes, kind, kind == AccessKind::read, pc, frame, Scope::block);
  std::uint64_t mark = 0;
  std::memcpy(&mark, reinterpret_cast<const void*>(address), sizeof mark);
  if (mark != PhaseBarriers::mark(address)) trap("uses a barrier whose memory was overwritten", statement(pc, frame));
  return *phases_.find(address);
}

std::uint32_t Machine::arrive(std::uintptr_t address, const Arrival& arrival, std::uintptr_t pc, std::uintptr_t frame) {
  PhaseBarrier& barrier = barrier_at(address, AccessKind::atomic, pc, frame);
  const Phase phase = barrier.phase;
  if (arrival.count > barrier.pending) trap("arrives more often than the barrier expects in one phase", statement(pc, frame));
  if (arrival.count > 0) announcer_.announce(&Observer::on_phase_arrival, scheduler_.running().ref, phase);
  barrier.pending -= arrival.count;
  barrier.bytes += arrival.bytes;
  if (arrival.drops) barrier.expected -= arrival.count;
  if (!arrival.stays_open) end_phase_if_complete(barrier, address);
  return phase.number;
}

// The thread that came last runs the completion function: it knows what came before all arrivals.
bool Machine::is_last_arrival(std::uintptr_t address) {
  const PhaseBarrier* barrier = phases_.find(address);
  if (barrier == nullptr || !barrier->is_complete()) return false;
  announcer_.announce(&Observer::on_phase_awaited, scheduler_.running().ref, barrier->phase);
  return true;
}

// What the completion function did comes before the phase's end, too.
void Machine::close_phase(std::uintptr_t address) {
  if (PhaseBarrier* barrier = phases_.find(address)) {
    announcer_.announce(&Observer::on_phase_arrival, scheduler_.running().ref, barrier->phase);
    end_phase_if_complete(*barrier, address);
  }
}

void Machine::end_phase_if_complete(PhaseBarrier& barrier, std::uintptr_t address) {
  if (!barrier.is_complete()) return;
  barrier.next_phase();
  scheduler_.wake(address);
}

bool Machine::await_phase(std::uintptr_t address, const Awaited& awaited, std::uintptr_t pc, std::uintptr_t frame) {
  spend(pc);
  PhaseBarrier* barrier = &barrier_at(address, AccessKind::read, pc, frame);
  const auto has_ended = [&] {
    return awaited.by_parity ? (barrier->phase.number & 1u) != (awaited.phase & 1u) : barrier->phase.number != awaited.phase;
  };
  const std::uint32_t of = barrier->phase.barrier;
  while (!has_ended()) {
    scheduler_.sleep(address, statement(pc, frame), awaited.tries);
    barrier = phases_.find(address);
    if (awaited.tries && !has_ended()) return false;
  }
  access_.warp_interval = scheduler_.running().warp_interval;
  if (barrier->phase.barrier != of || barrier->phase.number == 0) return true;  // a barrier that has no earlier phase
  announcer_.announce(&Observer::on_phase_awaited, scheduler_.running().ref, Phase{of, barrier->phase.number - 1});
  return true;
}

void Machine::copy_for_barrier(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::uintptr_t address, std::uintptr_t pc,
                               std::uintptr_t frame) {
  PhaseBarrier& barrier = barrier_at(address, AccessKind::read, pc, frame);
  const Phase phase = barrier.phase;
  access_.completed_by = phase;
  copy_async(to, from, size, size, pc, frame);
  access_.completed_by = {};
}

void Machine::tell_stuck() {
  const auto& block = scheduler_.running().ref.block;
  const auto elsewhere = scheduler_.elsewhere();
  std::vector<std::uintptr_t> told;
  for (const auto& sleeper : scheduler_.asleep()) {
    if (std::find(told.begin(), told.end(), sleeper.object) != told.end()) continue;
    told.push_back(sleeper.object);
    StuckEvent stuck;
    stuck.waiting = stuck.other = {block, sleeper.thread};
    stuck.pc = sleeper.pc;
    if (elsewhere) {
      stuck.other.thread = elsewhere->thread;
      stuck.other_pc = elsewhere->pc;
      stuck.other_has_left = elsewhere->pc == 0;
    }
    if (memory_.in_shared_span(sleeper.object)) stuck.region = memory_.find_shared(sleeper.object, object_bytes);
    if (stuck.region != nullptr) stuck.offset = static_cast<std::int64_t>(sleeper.object - stuck.region->base);
    if (const PhaseBarrier* barrier = phases_.find(sleeper.object)) {
      stuck.ready = true;
      stuck.expected = barrier->expected;
      stuck.arrived = barrier->expected - barrier->pending;
      stuck.missing_bytes = barrier->bytes;
    }
    announcer_.announce(&Observer::on_stuck, stuck);
  }
}

}  // namespace tilelab::simt
