#include "judge/random_stream.hpp"

#include <sodium.h>

#include <stdexcept>

namespace tilelab::judge {

void RandomStream::refill() {
  constexpr std::size_t bytes = block_words * sizeof(std::uint64_t);
  static_assert(bytes % 64 == 0);                                                  // ChaCha20 counts in pieces of 64 bytes
  constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};  // a key makes one stream
  std::array<unsigned char, bytes> stream{};
  if (sodium_init() < 0 ||
      crypto_stream_chacha20_xor_ic(stream.data(), stream.data(), bytes, nonce.data(), blocks_ * (bytes / 64), key_.data()) != 0) {
    throw std::runtime_error("libsodium makes no random numbers");
  }
  for (std::size_t i = 0; i < block_words; ++i) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < sizeof word; ++byte) word |= std::uint64_t{stream[i * sizeof word + byte]} << (8 * byte);
    block_[i] = word;
  }
  ++blocks_;
  next_ = 0;
}

}  // namespace tilelab::judge
