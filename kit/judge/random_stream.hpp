// Reproducible randomness: the same seed gives the same numbers with every compiler and standard library.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilelab::judge {

// SplitMix64 (Steele, Lea, Flood 2014). Not for secrets: a seed is secret, its stream is not meant to hide it.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // From first to last, both included. The bias of the remainder is below 2^-32 for the ranges used here.
  int between(int first, int last) {
    const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(last) - first + 1);
    return static_cast<int>(first + static_cast<std::int64_t>(bits() % range));
  }

  // A multiple of 2^-23 in (-1, 1): exact in fp32.
  float signed_unit() { return static_cast<float>(static_cast<std::int64_t>(bits() >> 40) - (1 << 23)) * 0x1p-23f; }

 private:
  std::uint64_t state_;
};

// A seed for one part of a whole: another name or number gives unrelated streams.
inline std::uint64_t derive_seed(std::uint64_t seed, std::string_view name, std::uint64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return RandomStream(RandomStream(seed ^ hash).bits() + number).bits();
}

}  // namespace tilelab::judge
