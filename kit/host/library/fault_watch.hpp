// Faults of host code: memory that it must not touch yet, or at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace tilelab_host {

// Says whether an instruction reads and writes memory in one step, as the compiler's __atomic and __sync functions do. It decodes no
// more than it needs for that: a plain load or store of std::atomic looks like any other.

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

// The pages of device memory that are mapped in the program while a DeviceWindow is open.

// Called by the handler of faults. Whether the access can be tried again: a window is open, and the address lies in living memory.
bool open_page(std::uintptr_t address);

// The blocks of memory that the program has from malloc() and new, with their sizes: a copy that is longer than its block is found even
// where the host's heap happens to bear it.

// How many bytes lie from this address to the end of its block, or of the program's own variable. Nothing where neither is known: the
// stack, memory of libraries, what was freed.
std::optional<std::size_t> room_at(std::uintptr_t address);

// The size of the last block that was asked for and not given, because the program may have no more memory; 0: there was none.
std::size_t refused_bytes();

// Notices host code that touches memory of the device, or managed and page-locked memory that a kernel or a copy may still change.
// The pages of the first are never mapped, those of the second are closed until the program waits; a fault is told to the broker.
// Other faults end the program, as they would without this.

void watch_faults();
// Calls of the program's own code that led here, the innermost first, as return addresses.
std::vector<std::uintptr_t> frames_here();
// Links file_watch.cpp, which says what of files is noticed.
void watch_files();
// Closes and opens the ranges that a reply names under "guard" and "unguard".
void guard_ranges(const nlohmann::json& reply);

}  // namespace tilelab_host
