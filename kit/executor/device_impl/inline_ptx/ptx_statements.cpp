// Loads, stores and copies of inline PTX, and what it asks of the thread and its warp: see device/inline_ptx.hpp.
#include <cstring>

#include "executor/device/inline_ptx.hpp"
#include "executor/device_impl/announcing.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using namespace tilelab::simt;

enum PtxSpace : int { generic = 0, global = 1, shared = 2 };

// An address of shared memory counts from the beginning of the block's, and has 32 bits.
std::uintptr_t generic_address(int space, bits address) {
  return space == shared ? Machine::current().shared_base() + (address & 0xFFFFFFFFu) : address;
}

// Where an access goes. One that lies elsewhere than its statement says misses every region.
std::uintptr_t place_of(CallSite by, int space, bits address, std::size_t size, AccessKind kind, bool is_volatile = false) {
  Machine& machine = Machine::current();
  const std::uintptr_t at = generic_address(space, address);
  if (at % size != 0) machine.misaligned(at, size, by);
  if (space == shared)
    machine.check_space(Space::shared, at, size, kind, is_volatile, by);
  else if (space == global)
    machine.check_space(Space::global, at, size, kind, is_volatile, by);
  return at;
}

void* announced(CallSite by, int space, bits address, std::size_t size, AccessKind kind, bool is_volatile) {
  const std::uintptr_t at = place_of(by, space, address, size, kind, is_volatile);
  Machine::current().access(at, size, kind, is_volatile, by);
  return reinterpret_cast<void*>(at);
}

constexpr unsigned multiprocessors = 132;

bits ask(std::uintptr_t pc, WarpOperation operation, bits mask, bits value, std::uint32_t source = 0) {
  return Machine::current().exchange(pc, LaneRequest{operation, static_cast<std::uint32_t>(mask), value, source});
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits load(int bytes, int space, bool is_volatile, bits address) {
  const auto size = static_cast<std::size_t>(bytes);
  bits value = 0;
  std::memcpy(&value, announced(TILELAB_SITE, space, address, size, AccessKind::read, is_volatile), size);
  return value;
}
uint4 load_16(int space, bool is_volatile, bits address) {
  uint4 words;
  std::memcpy(&words, announced(TILELAB_SITE, space, address, sizeof words, AccessKind::read, is_volatile), sizeof words);
  return words;
}
void store(int bytes, int space, bool is_volatile, bits address, bits value) {
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(announced(TILELAB_SITE, space, address, size, AccessKind::write, is_volatile), &value, size);
}
void store_16(int space, bool is_volatile, bits address, uint4 value) {
  std::memcpy(announced(TILELAB_SITE, space, address, sizeof value, AccessKind::write, is_volatile), &value, sizeof value);
}
void* place(int space, bits address, unsigned size, int kind) {
  return reinterpret_cast<void*>(place_of(TILELAB_SITE, space, address, size, static_cast<AccessKind>(kind)));
}

// The numbers are those of ptx_reader.py.
bits special_register(int which) {
  const Machine& machine = Machine::current();
  const ThreadRef by = machine.running().ref;
  const auto& launch = machine.launch();
  const unsigned lane = by.lane(), own = 1u << lane, below = own - 1u;
  switch (which) {
    case 0: return lane;
    case 1: return by.warp();
    case 2: return (launch.block.x * launch.block.y * launch.block.z + 31) / 32;
    case 3: return by.block % multiprocessors;
    case 4: return multiprocessors;
    case 5: return own;
    case 6: return below;
    case 7: return below | own;
    case 8: return ~(below | own);
    case 9: return ~below;
    case 10: return launch.dynamic_shared_bytes;
    default: return launch.static_shared_bytes + launch.dynamic_shared_bytes;
  }
}

bits shuffle(int mode, bits value, bits lane_operand, bits clamp, bits mask) {
  const auto lane = static_cast<int>(Machine::current().running().ref.lane());
  const int by = static_cast<int>(lane_operand & 31), last = static_cast<int>(clamp & 31), segment = static_cast<int>(clamp >> 8 & 31);
  const int highest = (lane & segment) | (last & ~segment), lowest = lane & segment;
  const int source = mode == 0 ? lane - by : mode == 1 ? lane + by : mode == 2 ? lane ^ by : lowest | (by & ~segment);
  const bool inside = mode == 0 ? source >= highest : source <= highest;
  const bits read =
      ask(TILELAB_STATEMENT, WarpOperation::shuffle, mask, value & 0xFFFFFFFFu, static_cast<std::uint32_t>(inside ? source : lane));
  return (read & 0xFFFFFFFFu) | (inside ? bits{1} << 32 : 0);
}

bits match_all(bits value, bits mask) { return ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, value); }

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
