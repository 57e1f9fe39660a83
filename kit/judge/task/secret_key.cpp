#include "judge/task/secret_key.hpp"

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

}  // namespace tilelab::judge
