// The barriers of device/barrier_functions.hpp.
#include "simt/device/barrier_functions.hpp"
#include "simt/device_impl/announcing.hpp"

using tilelab::simt::Machine;

inline namespace cuda_on_cpu {
namespace barrier_on_cpu {
namespace {

std::uintptr_t address_of(const void* barrier) { return reinterpret_cast<std::uintptr_t>(barrier); }

// In the widest pieces that fit.
void copy(void* to, const void* from, std::size_t size, unsigned rank, unsigned count, void* barrier, std::uintptr_t pc,
          std::uintptr_t frame) {
  Machine& machine = Machine::current();
  const std::uintptr_t target = address_of(to), source = address_of(from);
  std::size_t piece = 16;
  while (piece > 1 && (target % piece != 0 || source % piece != 0 || size % piece != 0)) piece /= 2;
  for (std::size_t at = rank * piece; at < size; at += count * piece)
    machine.copy_for_barrier(target + at, source + at, piece, address_of(barrier), pc, frame);
}

}  // namespace

void init(void* barrier, long long expected) {
  Machine::current().init_barrier(address_of(barrier), expected, TILELAB_PC, TILELAB_CALLER_FRAME);
}

unsigned arrive(void* barrier, long long count) {
  return Machine::current().arrive(address_of(barrier), {.count = count}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
unsigned arrive_and_drop(void* barrier) {
  return Machine::current().arrive(address_of(barrier), {.drops = true}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
unsigned arrive_and_expect(void* barrier, long long count, long long bytes) {
  return Machine::current().arrive(address_of(barrier), {.count = count, .bytes = bytes}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
void expect(void* barrier, long long bytes) {
  Machine::current().arrive(address_of(barrier), {.count = 0, .bytes = bytes, .stays_open = true}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
unsigned arrive_and_keep_open(void* barrier, long long count) {
  return Machine::current().arrive(address_of(barrier), {.count = count, .stays_open = true}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
bool was_last(void* barrier) { return Machine::current().is_last_arrival(address_of(barrier)); }
void close(void* barrier) { Machine::current().close_phase(address_of(barrier)); }

void wait(void* barrier, unsigned phase) {
  Machine::current().await_phase(address_of(barrier), {.phase = phase}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
bool try_wait(void* barrier, unsigned phase) {
  return Machine::current().await_phase(address_of(barrier), {.phase = phase, .tries = true}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
void wait_parity(void* barrier, bool parity) {
  Machine::current().await_phase(address_of(barrier), {.phase = parity, .by_parity = true}, TILELAB_PC, TILELAB_CALLER_FRAME);
}
bool try_wait_parity(void* barrier, bool parity) {
  return Machine::current().await_phase(address_of(barrier), {.phase = parity, .by_parity = true, .tries = true}, TILELAB_PC,
                                        TILELAB_CALLER_FRAME);
}

void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count, void* barrier) {
  copy(to, from, size, rank, count, barrier, TILELAB_PC, TILELAB_CALLER_FRAME);
}

void copy_bytes(void* to, const void* from, std::size_t size, void* barrier) {
  const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME;
  Machine& machine = Machine::current();
  for (const std::uintptr_t address : {address_of(to), address_of(from)}) {
    if (address % 16 != 0) machine.misaligned(address, 16, pc, frame);
  }
  if (size % 16 != 0) machine.trap("asks for a bulk copy of a size that is not a multiple of 16 bytes", machine.statement(pc, frame));
  copy(to, from, size, 0, 1, barrier, pc, frame);
  machine.arrive(address_of(barrier), {.count = 0, .bytes = -static_cast<std::int64_t>(size)}, pc, frame);
}

}  // namespace barrier_on_cpu
}  // namespace cuda_on_cpu
