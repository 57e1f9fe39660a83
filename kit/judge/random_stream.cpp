#include "judge/random_stream.hpp"

#include <sodium.h>

#include <stdexcept>

namespace tilelab::judge {
namespace {

// Little-endian, whatever the processor: the same number gives the same key everywhere.
std::array<unsigned char, 8> bytes_of(std::uint64_t number) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  return bytes;
}

}  // namespace

SecretKey SecretKey::from_hex(std::string_view digits) {
  SecretKey key;
  std::size_t length = 0;
  if (digits.size() != 2 * size || sodium_hex2bin(key.bytes_.data(), size, digits.data(), digits.size(), nullptr, &length, nullptr) != 0 ||
      length != size) {
    throw std::invalid_argument("a key is 64 hexadecimal digits");
  }
  return key;
}

SecretKey SecretKey::from_number(std::uint64_t number) { return SecretKey().derive("number", number); }

SecretKey SecretKey::derive(std::string_view name, std::uint64_t number) const {
  // The number comes first and has a fixed length, so no two pairs are written the same.
  SecretKey derived;
  const std::array<unsigned char, 8> first = bytes_of(number);
  crypto_generichash_state state;
  const bool hashed = sodium_init() >= 0 && crypto_generichash_init(&state, bytes_.data(), size, size) == 0 &&
                      crypto_generichash_update(&state, first.data(), first.size()) == 0 &&
                      crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(name.data()), name.size()) == 0 &&
                      crypto_generichash_final(&state, derived.bytes_.data(), size) == 0;
  if (!hashed) throw std::runtime_error("libsodium cannot hash");
  return derived;
}

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
