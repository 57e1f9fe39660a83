// The input numbers of a timed launch. The device makes them before every round, and whoever verifies the outputs makes them
// again. Each round has its own seed, from a cryptographic generator on the host. A kernel can compute its round's seed from its
// inputs, but nothing about another round: the device does not hold that round's seed before the round begins. The functions are
// constexpr, so that nvcc can compile the same functions for the device.
#pragma once

#include <cstdint>

namespace tilelab::timed_input {

inline constexpr int largest_whole = 8;

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The stream of numbers for the `buffer`-th buffer of the round with this seed.
constexpr std::uint64_t stream(std::uint64_t seed, std::uint64_t buffer) { return mixed(mixed(seed) + buffer); }

// One of four rounds has whole numbers, whose sums are exact. The other rounds have random numbers, which reveal a kernel that rounds
// more than fp32 does. They are the most, because a median shows what most rounds take: whole numbers fit in eight bits, and a
// kernel that is fast on them alone must not look fast.
constexpr bool is_whole(std::uint64_t seed) { return stream(seed, ~std::uint64_t{0}) % 4 == 0; }

// ±1 to ±8, or a multiple of 2^-23 in (-1, 1).
constexpr float value(std::uint64_t stream, std::uint64_t index, bool whole) {
  const std::uint64_t bits = mixed(stream + (index + 1) * 0x9e3779b97f4a7c15);
  if (whole) {
    const float magnitude = static_cast<float>(1 + (bits & 7));
    return (bits & 8) != 0 ? magnitude : -magnitude;
  }
  return static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) * 0x1p-23f;
}

}  // namespace tilelab::timed_input
