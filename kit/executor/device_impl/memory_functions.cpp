// memcpy and similar functions, the heap, and the C library's functions that write through a pointer. The submission's calls are redirected
// here (see engines/cpu's list of redirections), so that their accesses are announced like any others.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "executor/device_impl/announcing.hpp"

namespace {
// A copy of up to 16 bytes is one access, because an aggregate is copied by one instruction. Longer copies are split.
void announce_range(const void* memory, std::size_t bytes, tilelab::simt::AccessKind kind, tilelab::simt::CallSite site) {
  const auto base = reinterpret_cast<std::uintptr_t>(memory);
  for (std::size_t at = 0; at < bytes; at += 16)
    tilelab::simt::Machine::current().access(base + at, std::min<std::size_t>(16, bytes - at), kind, false, site);
}

// Each byte is announced before it is read, so that a text without an end is told and not followed.
void announce_text(const char* text, tilelab::simt::CallSite site) {
  for (const char* at = text;; ++at) {
    tilelab::simt::Machine::current().access(reinterpret_cast<std::uintptr_t>(at), 1, tilelab::simt::AccessKind::read, false, site);
    if (*at == '\0') return;
  }
}
}  // namespace

#define ANNOUNCE_RANGE(memory, bytes, kind) announce_range(memory, bytes, tilelab::simt::AccessKind::kind, TILELAB_SITE)
#define TILELAB_ALLOCATE(bytes) reinterpret_cast<void*>(tilelab::simt::Machine::current().allocate(bytes, TILELAB_STATEMENT))
#define TILELAB_FREE(address) tilelab::simt::Machine::current().release(reinterpret_cast<std::uintptr_t>(address), TILELAB_STATEMENT)

extern "C" {

// Clang's pass calls the names with __tsan_ since LLVM 15. Older versions, and GCC always, call the plain names.
#define COPIES(name)                                          \
  void* name(void* to, const void* from, std::size_t bytes) { \
    ANNOUNCE_RANGE(from, bytes, read);                        \
    ANNOUNCE_RANGE(to, bytes, write);                         \
    return std::memmove(to, from, bytes);                     \
  }
#define FILLS(name)                                    \
  void* name(void* to, int value, std::size_t bytes) { \
    ANNOUNCE_RANGE(to, bytes, write);                  \
    return std::memset(to, value, bytes);              \
  }
COPIES(tilelab_memcpy)
COPIES(tilelab_memmove)
FILLS(tilelab_memset)
COPIES(__tsan_memcpy)
COPIES(__tsan_memmove)
FILLS(__tsan_memset)

// A copy of an object that Clang makes. Its addresses are checked as GCC checks them, the source first. `from_alignment` is 0 if the
// source is the initial value of a local variable: that is not the kernel's memory, so it is neither checked nor announced.
void tilelab_copy(void* to, const void* from, std::size_t bytes, std::size_t to_alignment, std::size_t from_alignment) {
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  tilelab::simt::Machine& machine = tilelab::simt::Machine::current();
  if (from_alignment != 0 && source % from_alignment != 0) machine.misaligned(source, from_alignment, TILELAB_SITE);
  if (target % to_alignment != 0) machine.misaligned(target, to_alignment, TILELAB_SITE);
  if (from_alignment != 0) ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  std::memmove(to, from, bytes);
}

// What the C library writes where a pointer says: of a number, or of a number and another.
#define SINE_AND_COSINE(name, T)                     \
  void name(T x, T* sine, T* cosine) {               \
    TILELAB_ANNOUNCE(sine, sizeof *sine, write);     \
    TILELAB_ANNOUNCE(cosine, sizeof *cosine, write); \
    *sine = std::sin(x);                             \
    *cosine = std::cos(x);                           \
  }
#define GIVES_TWO(name, T, Other, function)        \
  T name(T x, Other* other) {                      \
    TILELAB_ANNOUNCE(other, sizeof *other, write); \
    return function(x, other);                     \
  }
#define QUOTIENT(name, T)                                \
  T name(T x, T y, int* quotient) {                      \
    TILELAB_ANNOUNCE(quotient, sizeof *quotient, write); \
    return std::remquo(x, y, quotient);                  \
  }
SINE_AND_COSINE(tilelab_sincosf, float)
SINE_AND_COSINE(tilelab_sincos, double)
GIVES_TWO(tilelab_modff, float, float, std::modf)
GIVES_TWO(tilelab_modf, double, double, std::modf)
GIVES_TWO(tilelab_frexpf, float, int, std::frexp)
GIVES_TWO(tilelab_frexp, double, int, std::frexp)
QUOTIENT(tilelab_remquof, float)
QUOTIENT(tilelab_remquo, double)

float tilelab_nanf(const char* tag) {
  announce_text(tag, TILELAB_SITE);
  return std::nanf(tag);
}

double tilelab_nan(const char* tag) {
  announce_text(tag, TILELAB_SITE);
  return std::nan(tag);
}

// malloc, free, new and delete of device code.
void* tilelab_malloc(std::size_t bytes) { return TILELAB_ALLOCATE(bytes); }
void tilelab_free(void* address) { TILELAB_FREE(address); }

// new and new[]; CUDA's answer null where there is no memory left.
void* tilelab_Znwm(std::size_t bytes) { return TILELAB_ALLOCATE(bytes == 0 ? 1 : bytes); }
void* tilelab_Znam(std::size_t bytes) { return TILELAB_ALLOCATE(bytes == 0 ? 1 : bytes); }

// delete and delete[], the second of each with the object's size
void tilelab_ZdlPv(void* address) { TILELAB_FREE(address); }
void tilelab_ZdaPv(void* address) { TILELAB_FREE(address); }
void tilelab_ZdlPvm(void* address, std::size_t) { TILELAB_FREE(address); }
void tilelab_ZdaPvm(void* address, std::size_t) { TILELAB_FREE(address); }

[[noreturn]] void tilelab_cxa_throw_bad_array_new_length() {
  tilelab::simt::Machine::current().trap("asks new for an array of a length that cannot be", TILELAB_STATEMENT);
}

}  // extern "C"
