// How a CUDA function announces an access for the statement that called it. Files that use it are compiled with frame pointers,
// because the caller's frame is found through our own.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "executor/machine/machine.hpp"

#define TILELAB_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define TILELAB_CALLER_FRAME (*static_cast<const std::uintptr_t*>(__builtin_frame_address(0)))
#define TILELAB_SITE \
  tilelab::simt::CallSite { TILELAB_PC, TILELAB_CALLER_FRAME }
// The place of a barrier or a warp operation. Code of the kit's own headers counts as the statement that called it.
#define TILELAB_STATEMENT tilelab::simt::Machine::current().statement(TILELAB_SITE)
#define TILELAB_ANNOUNCE(address, size, kind)                                                                                       \
  tilelab::simt::Machine::current().access(reinterpret_cast<std::uintptr_t>(address), size, tilelab::simt::AccessKind::kind, false, \
                                           TILELAB_SITE)

namespace tilelab::simt {

// In the frame of the function that the statement calls: see above.
template <typename T>
[[gnu::always_inline]] inline void announce_aligned(const T* object, AccessKind kind, CallSite site, Scope scope = Scope::device) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  if (address % alignof(T) != 0) Machine::current().misaligned(address, alignof(T), site);
  Machine::current().access(address, sizeof(T), kind, false, site, scope);
}

// A shuffle of any value of up to eight bytes: which lane it reads, and the exchange.

template <typename Value>
std::uint64_t bits_of(Value value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename Value>
Value value_of(std::uint64_t bits) {
  Value value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t own_lane() { return Machine::current().running().ref.lane(); }

// The lane that a shuffle reads. It is the lane itself if the source is outside its segment of `width` lanes (a power of two).
inline std::uint32_t shuffle_source(std::int64_t source, int width, bool wraps) {
  const std::int64_t lane = own_lane(), segment = lane / width * width;
  if (wraps) return static_cast<std::uint32_t>(segment + ((source % width) + width) % width);
  return static_cast<std::uint32_t>(source >= segment && source < segment + width ? source : lane);
}

template <typename Value>
Value shuffle(std::uintptr_t pc, unsigned mask, Value value, std::uint32_t source) {
  constexpr auto type = std::is_floating_point_v<Value> ? ExchangedType::floating
                        : !std::is_integral_v<Value>    ? ExchangedType::bits
                        : std::is_signed_v<Value>       ? ExchangedType::whole
                                                        : ExchangedType::natural;
  return value_of<Value>(
      Machine::current().exchange(pc, LaneRequest{WarpOperation::shuffle, mask, bits_of(value), source, sizeof value, type}));
}

}  // namespace tilelab::simt
