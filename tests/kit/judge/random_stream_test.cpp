// Derived keys and streams: reproducible, and of no use to whoever wants to go back.
#include "judge/random_stream.hpp"

#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::judge;

namespace {

std::string hex(const SecretKey& key) {
  std::string text;
  for (std::size_t i = 0; i < SecretKey::size; ++i) {
    for (const int nibble : {key.data()[i] >> 4, key.data()[i] & 15}) text += "0123456789abcdef"[nibble];
  }
  return text;
}

const std::string some_key(64, '7');

}  // namespace

TEST_CASE("a derived key is keyed BLAKE2b of number and name, the same on every machine", "[random_stream]") {
  // Python: hashlib.blake2b((5).to_bytes(8, "little") + b"a case", key=bytes.fromhex("77" * 32), digest_size=32).hexdigest()
  CHECK(hex(SecretKey::from_hex(some_key).derive("a case", 5)) == "73eab13801a75b528fb214f130a75084f332d7916e14c869eb0bcc477b64dfba");
}

TEST_CASE("a stream is ChaCha20's of its key, the same on every machine", "[random_stream]") {
  // The first two blocks of RFC 8439's appendix A.1: key and nonce zero.
  RandomStream random(SecretKey::from_hex(std::string(64, '0')));
  CHECK(random.bits() == 0x903df1a0ade0b876);
  CHECK(random.bits() == 0x28bd8653e56a5d40);
  for (int i = 0; i < 6; ++i) random.bits();
  CHECK(random.bits() == 0x7a385155bee7079f);
}

TEST_CASE("other names, numbers and keys give other keys, however they are cut", "[random_stream]") {
  std::set<std::string> seen;
  for (const std::uint64_t number : {0u, 1u, 256u, 1u << 31}) {
    for (const std::string& name : {std::string(), std::string("a"), std::string("ab"), std::string(1, '\0')}) {
      seen.insert(hex(SecretKey::from_hex(some_key).derive(name, number)));
    }
  }
  CHECK(seen.size() == 4 * 4);
  CHECK(hex(SecretKey::from_number(1)) != hex(SecretKey::from_number(2)));
}

TEST_CASE("a long stream does not repeat itself from block to block", "[random_stream]") {
  RandomStream random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.bits());
  CHECK(seen.size() == 1000);
}

TEST_CASE("a range's ends are both drawn, and nothing beyond", "[random_stream]") {
  RandomStream random(4);
  std::set<int> seen;
  for (int i = 0; i < 300; ++i) seen.insert(random.between(-2, 2));
  CHECK(seen == std::set{-2, -1, 0, 1, 2});
}

TEST_CASE("what is no key is refused", "[random_stream]") {
  for (const std::string& text : {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g'), std::string("1")}) {
    CHECK_THROWS_AS(SecretKey::from_hex(text), std::invalid_argument);
  }
}
