// Reproducible randomness: the same key gives the same numbers on every machine. The stream is ChaCha20's (libsodium), so
// whoever sees its numbers, as a kernel sees its inputs, learns neither the key nor the numbers that follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "judge/task/secret_key.hpp"

namespace tilelab::judge {

class RandomStream {
 public:
  explicit RandomStream(const SecretKey& key) : key_(key) {}
  // Of a number that is no secret: for examples, traces and tests.
  explicit RandomStream(std::uint64_t number) : key_(SecretKey::from_number(number)) {}

  std::uint64_t bits() {
    if (next_ == block_.size()) refill();
    return block_[next_++];
  }

  // From first to last, both included. The bias of the remainder is below 2^-32 for the ranges used here.
  int between(int first, int last) {
    const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(last) - first + 1);
    return static_cast<int>(first + static_cast<std::int64_t>(bits() % range));
  }

  // A multiple of 2^-23 in (-1, 1): exact in fp32.
  float signed_unit() { return static_cast<float>(static_cast<std::int64_t>(bits() >> 40) - (1 << 23)) * 0x1p-23f; }

 private:
  static constexpr std::size_t block_words = 64;

  void refill();

  SecretKey key_;
  std::array<std::uint64_t, block_words> block_{};
  std::size_t next_ = block_words;
  std::uint64_t blocks_ = 0;  // used up before this one
};

}  // namespace tilelab::judge
