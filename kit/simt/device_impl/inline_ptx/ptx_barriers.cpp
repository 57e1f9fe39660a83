// The mbarriers of inline PTX, and the copies that they complete: see device/inline_ptx.hpp.
#include <bit>
#include <type_traits>

#include "simt/device/inline_ptx.hpp"
#include "simt/device_impl/announcing.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using tilelab::simt::Machine;

constexpr std::size_t bulk_alignment = 16;

std::uintptr_t place_of(bool in_shared, bits address) {
  return in_shared ? Machine::current().shared_base() + (address & 0xFFFFFFFFu) : address;
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

void init_mbarrier(bool in_shared, bits address, bits count) {
  Machine::current().init_barrier(place_of(in_shared, address), static_cast<std::uint32_t>(count), TILELAB_PC, TILELAB_CALLER_FRAME);
}

bits arrive_at_mbarrier(bool in_shared, bits address, bits count, bits bytes, bool drops) {
  const Machine::Arrival arrival{.count = static_cast<std::uint32_t>(count), .bytes = static_cast<std::uint32_t>(bytes), .drops = drops};
  return Machine::current().arrive(place_of(in_shared, address), arrival, TILELAB_PC, TILELAB_CALLER_FRAME);
}

void expect_at_mbarrier(bool in_shared, bits address, bits bytes) {
  const Machine::Arrival nothing{.count = 0, .bytes = static_cast<std::uint32_t>(bytes), .stays_open = true};
  Machine::current().arrive(place_of(in_shared, address), nothing, TILELAB_PC, TILELAB_CALLER_FRAME);
}

bits await_mbarrier(bool in_shared, bits address, bits phase, bool by_parity, bool tries) {
  const Machine::Awaited awaited{.phase = static_cast<std::uint32_t>(phase), .by_parity = by_parity, .tries = tries};
  return Machine::current().await_phase(place_of(in_shared, address), awaited, TILELAB_PC, TILELAB_CALLER_FRAME) ? 1 : 0;
}

void copy_bulk(bits to, bits from, bits size, bits barrier) {
  Machine& machine = Machine::current();
  const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME;
  const std::uintptr_t target = place_of(true, to), source = from, at = place_of(true, barrier);
  for (const std::uintptr_t end : {target, source}) {
    if (end % bulk_alignment != 0) machine.misaligned(end, bulk_alignment, pc, frame);
  }
  const auto bytes = static_cast<std::uint32_t>(size);
  if (bytes % bulk_alignment != 0)
    machine.trap("asks for a bulk copy of a size that is not a multiple of 16 bytes", machine.statement(pc, frame));
  machine.copy_for_barrier(target, source, bytes, at, pc, frame);
  machine.arrive(at, {.count = 0, .bytes = -static_cast<std::int64_t>(bytes)}, pc, frame);
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
