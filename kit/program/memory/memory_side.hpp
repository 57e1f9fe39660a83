// What the program's mistakes and replies call the side of a copy or a pointer: host, device, or memory of both.
#pragma once

#include "program/memory/device_memory.hpp"

namespace tilelab::program {

// `memory` is null for the program's own memory.
inline const char* side_of(const Allocation* memory) {
  if (memory == nullptr) return "host";
  switch (memory->kind) {
    case MemoryKind::managed: return "managed";
    case MemoryKind::pinned: return "pinned";
    default: return "device";
  }
}

}  // namespace tilelab::program
