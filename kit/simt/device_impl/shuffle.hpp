// A shuffle of any value of up to eight bytes: which lane it reads, and the exchange.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/machine/machine.hpp"

namespace tilelab::simt {

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
