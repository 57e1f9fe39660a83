// 32 bytes from which a judge's randomness follows, and keys derived from them. Derivation is keyed BLAKE2b (libsodium): who
// knows any number of derived keys knows neither the key they came from nor another one derived from it.
#pragma once

#include <array>
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

}  // namespace tilelab::judge
