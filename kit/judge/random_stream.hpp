// 32 bytes from which a judge's randomness follows, and keys derived from them. Derivation is keyed BLAKE2b (libsodium): who
// knows any number of derived keys knows neither the key they came from nor another one derived from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilelab::judge {

class SecretKey {
 public:
  static constexpr std::size_t size = 32;

  // Of 64 hexadecimal digits. Throws std::invalid_argument.
  static SecretKey from_hex(std::string_view digits);
  // No secret at all: for examples, traces and tests, which are to be the same for everybody.
  static SecretKey from_number(std::uint64_t number);

  // The key of one part of a whole: another name or another number gives an unrelated one.
  SecretKey derive(std::string_view name, std::uint64_t number) const;

  const unsigned char* data() const { return bytes_.data(); }

 private:
  std::array<unsigned char, size> bytes_{};
};

// Reproducible randomness: the same key gives the same numbers on every machine. The stream is ChaCha20's (libsodium), so
// whoever sees its numbers, as a kernel sees its inputs, learns neither the key nor the numbers that follow.
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

  // A whole number from `least` to `largest`, or its negative.
  int of_either_sign(int largest, int least = 1) {
    const int magnitude = between(least, largest);
    return between(0, 1) != 0 ? magnitude : -magnitude;
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
