// The copies and barriers of device/library_calls.hpp. Its fragments are in matrix_fragments.cpp.
#include "executor/device/library_calls.hpp"

#include <algorithm>

#include "executor/device_impl/announcing.hpp"

using tilelab::simt::CallSite;
using tilelab::simt::Machine;

namespace {

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// The part of one of `count` threads, in the widest pieces that fit.
template <typename Copy>
void copy_pieces(const void* to, const void* from, std::size_t size, unsigned rank, unsigned count, Copy copy) {
  const std::uintptr_t target = address_of(to), source = address_of(from);
  std::size_t piece = 16;
  while (piece > 1 && (target % piece != 0 || source % piece != 0 || size % piece != 0)) piece /= 2;
  for (std::size_t at = rank * piece; at < size; at += count * piece) copy(target + at, source + at, piece);
}

void copy_for(const void* barrier, const void* to, const void* from, std::size_t size, unsigned rank, unsigned count, CallSite site) {
  copy_pieces(to, from, size, rank, count, [&](std::uintptr_t target, std::uintptr_t source, std::size_t piece) {
    Machine::current().copy_for_barrier(target, source, piece, address_of(barrier), site);
  });
}

}  // namespace

inline namespace cuda_on_cpu {
namespace pipeline_on_cpu {

void copy(void* to, const void* from, std::size_t size, std::size_t zeros) {
  Machine& machine = Machine::current();
  const auto target = address_of(to), source = address_of(from);
  const CallSite site = TILELAB_SITE;
  if (size != 4 && size != 8 && size != 16) machine.trap("asks for a copy of neither 4 nor 8 nor 16 bytes", machine.statement(site));
  if (target % size != 0) machine.misaligned(target, size, site);
  if (source % size != 0) machine.misaligned(source, size, site);
  machine.copy_async(target, source, size, size - std::min(size, zeros), site);
}

void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count) {
  const CallSite site = TILELAB_SITE;
  copy_pieces(to, from, size, rank, count, [&](std::uintptr_t target, std::uintptr_t source, std::size_t piece) {
    Machine::current().copy_async(target, source, piece, piece, site);
  });
}

void check_alignment(const void* pointer, std::size_t alignment) {
  const std::uintptr_t address = address_of(pointer);
  if (alignment != 0 && address % alignment != 0) Machine::current().misaligned(address, alignment, TILELAB_SITE);
}

void commit() { Machine::current().commit_copies(); }
void wait(std::size_t prior) { Machine::current().wait_for_copies(static_cast<std::uint32_t>(prior)); }

}  // namespace pipeline_on_cpu

namespace barrier_on_cpu {

void init(void* barrier, long long expected) { Machine::current().init_barrier(address_of(barrier), expected, TILELAB_SITE); }

unsigned arrive(void* barrier, long long count, long long bytes, bool drops, bool stays_open) {
  const Machine::Arrival arrival{.count = count, .bytes = bytes, .drops = drops, .stays_open = stays_open};
  return Machine::current().arrive(address_of(barrier), arrival, TILELAB_SITE);
}
bool was_last(void* barrier) { return Machine::current().is_last_arrival(address_of(barrier)); }
void close(void* barrier) { Machine::current().close_phase(address_of(barrier)); }

void wait(void* barrier, unsigned phase, bool by_parity) {
  Machine::current().await_phase(address_of(barrier), phase, by_parity, TILELAB_SITE);
}

void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count, void* barrier) {
  copy_for(barrier, to, from, size, rank, count, TILELAB_SITE);
}

void copy_bytes(void* to, const void* from, std::size_t size, void* barrier) {
  const CallSite site = TILELAB_SITE;
  Machine& machine = Machine::current();
  for (const std::uintptr_t address : {address_of(to), address_of(from)}) {
    if (address % 16 != 0) machine.misaligned(address, 16, site);
  }
  if (size % 16 != 0) machine.trap("asks for a bulk copy of a size that is not a multiple of 16 bytes", machine.statement(site));
  copy_for(barrier, to, from, size, 0, 1, site);
  machine.arrive(address_of(barrier), {.count = 0, .bytes = -static_cast<std::int64_t>(size)}, site);
}

}  // namespace barrier_on_cpu
}  // namespace cuda_on_cpu
