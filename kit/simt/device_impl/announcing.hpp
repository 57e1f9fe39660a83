// How a CUDA function announces an access for the statement that called it. Files that use it are compiled with frame pointers,
// because the caller's frame is found through our own.
#pragma once

#include <cstdint>

#include "simt/machine/machine.hpp"

#define TILELAB_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define TILELAB_CALLER_FRAME (*static_cast<const std::uintptr_t*>(__builtin_frame_address(0)))
// The place of a barrier or a warp operation. Code of the kit's own headers counts as the statement that called it.
#define TILELAB_STATEMENT tilelab::simt::Machine::current().statement(TILELAB_PC, TILELAB_CALLER_FRAME)
#define TILELAB_ANNOUNCE(address, size, kind)                                                                                       \
  tilelab::simt::Machine::current().access(reinterpret_cast<std::uintptr_t>(address), size, tilelab::simt::AccessKind::kind, false, \
                                           TILELAB_PC, TILELAB_CALLER_FRAME)
#define TILELAB_CHECK_ALIGNMENT(address)                                                                                                 \
  do {                                                                                                                                   \
    if (reinterpret_cast<std::uintptr_t>(address) % alignof(decltype(*(address))) != 0) {                                                \
      tilelab::simt::Machine::current().misaligned(reinterpret_cast<std::uintptr_t>(address), alignof(decltype(*(address))), TILELAB_PC, \
                                                   TILELAB_CALLER_FRAME);                                                                \
    }                                                                                                                                    \
  } while (false)
#define TILELAB_ANNOUNCE_ALIGNED(address, kind)         \
  do {                                                  \
    TILELAB_CHECK_ALIGNMENT(address);                   \
    TILELAB_ANNOUNCE(address, sizeof *(address), kind); \
  } while (false)
#define TILELAB_ANNOUNCE_ATOMIC(address, scope)                                                                          \
  do {                                                                                                                   \
    TILELAB_CHECK_ALIGNMENT(address);                                                                                    \
    tilelab::simt::Machine::current().access(reinterpret_cast<std::uintptr_t>(address), sizeof *(address),               \
                                             tilelab::simt::AccessKind::atomic, false, TILELAB_PC, TILELAB_CALLER_FRAME, \
                                             tilelab::simt::Scope::scope);                                               \
  } while (false)
