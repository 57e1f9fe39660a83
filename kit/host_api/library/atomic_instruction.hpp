// Says whether an instruction reads and writes memory in one step, as the compiler's __atomic and __sync functions do. It decodes no
// more than it needs for that: a plain load or store of std::atomic looks like any other.
#pragma once

#include <cstdint>
#include <cstring>

namespace tilelab_host {

// `code`: where the instruction begins; it can be read.
inline bool is_atomic_instruction(const unsigned char* code) {
#if defined(__x86_64__)
  constexpr unsigned char lock = 0xF0,
                          exchange = 0x86;  // exchange: xchg, which locks by itself; with 1 in the last bit for more than a byte
  const auto is_prefix = [](unsigned char byte) {
    return byte == 0x66 || byte == 0x67 || byte == 0x2E || byte == 0x36 || byte == 0x3E || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
           byte == 0xF2 || byte == 0xF3;
  };
  while (is_prefix(*code)) ++code;
  if (*code == lock) return true;
  if ((*code & 0xF0) == 0x40) ++code;  // REX
  return (*code & 0xFE) == exchange;
#elif defined(__aarch64__)
  std::uint32_t word = 0;
  std::memcpy(&word, code, sizeof word);
  const bool is_exclusive = (word & 0x3F00'0000) == 0x0800'0000;  // LDXR, STXR and CAS, but for the next
  const bool is_ordered =
      (word & 0x3F80'0000) == 0x0880'0000 && (word & 0x0020'0000) == 0;  // LDAR, STLR: a plain load or store with an order
  const bool is_update = (word & 0x3F20'0C00) == 0x3820'0000;            // LDADD, SWP and similar ones
  return (is_exclusive && !is_ordered) || is_update;
#else
  (void)code;
  return false;
#endif
}

}  // namespace tilelab_host
