// memcpy and similar functions, and the C library's functions that write through a pointer. The submission's calls are redirected
// here (see engines/cpu's list of redirections), so that their accesses are announced like any others.
#include <cmath>
#include <cstddef>
#include <cstring>

#include "simt/device_impl/announcing.hpp"

namespace {
// A copy of up to 16 bytes is one access, because an aggregate is copied by one instruction. Longer copies are split.
template <typename Announce>
void in_pieces(std::size_t bytes, Announce announce) {
  if (bytes <= 16) {
    if (bytes != 0) announce(std::size_t{0}, bytes);
    return;
  }
  for (std::size_t at = 0; at < bytes; at += 16) announce(at, bytes - at < 16 ? bytes - at : 16);
}

// Each byte is announced before it is read, so that a text without an end is told and not followed.
void announce_text(const char* text, std::uintptr_t pc, std::uintptr_t frame) {
  for (const char* at = text;; ++at) {
    tilelab::simt::Machine::current().access(reinterpret_cast<std::uintptr_t>(at), 1, tilelab::simt::AccessKind::read, false, pc, frame);
    if (*at == '\0') return;
  }
}
}  // namespace

#define ANNOUNCE_RANGE(pointer, bytes, kind)                                                                              \
  do {                                                                                                                    \
    const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME, base = reinterpret_cast<std::uintptr_t>(pointer); \
    in_pieces(bytes, [&](std::size_t at, std::size_t size) {                                                              \
      tilelab::simt::Machine::current().access(base + at, size, tilelab::simt::AccessKind::kind, false, pc, frame);       \
    });                                                                                                                   \
  } while (false)

extern "C" {

void* tilelab_memcpy(void* to, const void* from, std::size_t bytes) {
  ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memmove(to, from, bytes);
}

void* tilelab_memmove(void* to, const void* from, std::size_t bytes) {
  ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memmove(to, from, bytes);
}

void* tilelab_memset(void* to, int value, std::size_t bytes) {
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memset(to, value, bytes);
}

// A copy of an object that Clang makes. Its addresses are checked as GCC checks them, the source first. `from_alignment` is 0 if the
// source is the initial value of a local variable: that is not the kernel's memory, so it is neither checked nor announced.
void tilelab_copy(void* to, const void* from, std::size_t bytes, std::size_t to_alignment, std::size_t from_alignment) {
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  tilelab::simt::Machine& machine = tilelab::simt::Machine::current();
  if (from_alignment != 0 && source % from_alignment != 0) machine.misaligned(source, from_alignment, TILELAB_PC, TILELAB_CALLER_FRAME);
  if (target % to_alignment != 0) machine.misaligned(target, to_alignment, TILELAB_PC, TILELAB_CALLER_FRAME);
  if (from_alignment != 0) ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  std::memmove(to, from, bytes);
}

// Clang's pass calls these for copies since LLVM 15. Older versions, and GCC always, call the plain names.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memmove(to, from, bytes);
}

void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  ANNOUNCE_RANGE(from, bytes, read);
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memmove(to, from, bytes);
}

void* __tsan_memset(void* to, int value, std::size_t bytes) {
  ANNOUNCE_RANGE(to, bytes, write);
  return std::memset(to, value, bytes);
}

void tilelab_sincosf(float x, float* sine, float* cosine) {
  TILELAB_ANNOUNCE(sine, sizeof *sine, write);
  TILELAB_ANNOUNCE(cosine, sizeof *cosine, write);
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

void tilelab_sincos(double x, double* sine, double* cosine) {
  TILELAB_ANNOUNCE(sine, sizeof *sine, write);
  TILELAB_ANNOUNCE(cosine, sizeof *cosine, write);
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

float tilelab_modff(float x, float* whole) {
  TILELAB_ANNOUNCE(whole, sizeof *whole, write);
  return std::modf(x, whole);
}

double tilelab_modf(double x, double* whole) {
  TILELAB_ANNOUNCE(whole, sizeof *whole, write);
  return std::modf(x, whole);
}

float tilelab_frexpf(float x, int* exponent) {
  TILELAB_ANNOUNCE(exponent, sizeof *exponent, write);
  return std::frexp(x, exponent);
}

double tilelab_frexp(double x, int* exponent) {
  TILELAB_ANNOUNCE(exponent, sizeof *exponent, write);
  return std::frexp(x, exponent);
}

float tilelab_remquof(float x, float y, int* quotient) {
  TILELAB_ANNOUNCE(quotient, sizeof *quotient, write);
  return std::remquo(x, y, quotient);
}

double tilelab_remquo(double x, double y, int* quotient) {
  TILELAB_ANNOUNCE(quotient, sizeof *quotient, write);
  return std::remquo(x, y, quotient);
}

float tilelab_nanf(const char* tag) {
  announce_text(tag, TILELAB_PC, TILELAB_CALLER_FRAME);
  return std::nanf(tag);
}

double tilelab_nan(const char* tag) {
  announce_text(tag, TILELAB_PC, TILELAB_CALLER_FRAME);
  return std::nan(tag);
}

}  // extern "C"
