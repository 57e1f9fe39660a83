// What one statement did to one word (four bytes) in one barrier interval of one block, merged over the threads that ran
// it; when two accesses conflict; and when one happened. Not here: which of them are ordered.
#pragma once

#include <cstdint>

#include "simt/event.hpp"

namespace tilelab::simt {

// Enough of an access to ask whether somebody knows that it has happened.
struct Moment {
  std::uint32_t block = 0, interval = 0;
  std::uint16_t thread = 0, epoch = 0;  // epoch: fences its thread had passed in the interval
  std::uint32_t warp_interval = 0;
};

struct Footprint {
  std::uintptr_t pc = 0;
  const Region* region = nullptr;
  std::uint64_t after = 0;       // what fences order before it: a bit per position among the word's in this interval
  std::uint64_t after_past = 0;  // and among those that earlier blocks left
  std::uint32_t warp_interval = 0;
  std::uint32_t syncs = 0;    // of its warp, that had completed before the first of them
  std::uint32_t content = 0;  // of the word, once written; only where equal values are let pass
  std::uint16_t lowest = 0, highest = 0, epoch = 0;
  AccessKind kind = AccessKind::read;
  std::uint8_t bytes = 0;  // mask of the word's four bytes
  bool is_volatile = false, block_scope = false;
  bool alone = false;  // takes no other thread in: fences order it
  bool has_content = false, several_values = false;
};

// Whether two unordered accesses to one byte race. A volatile one to the place where another thread's atomic or volatile
// one goes is how a flag is passed, and no race; but two that both write are, and so are lanes of a warp that rely on
// volatile in place of __syncwarp(). An atomic of block scope is none for other blocks.
template <typename One, typename Other>
bool conflict(const One& a, const Other& b, bool same_block, bool same_warp) {
  if ((a.bytes & b.bytes) == 0) return false;
  if (a.kind == AccessKind::read && b.kind == AccessKind::read) return false;
  const bool both_atomic = a.kind == AccessKind::atomic && b.kind == AccessKind::atomic;
  if (!same_block && (a.block_scope || b.block_scope)) return true;
  if (both_atomic) return false;
  const auto passes_a_flag = [](const auto& one) { return one.kind == AccessKind::atomic || one.is_volatile; };
  if (!passes_a_flag(a) || !passes_a_flag(b)) return true;
  if (a.is_volatile && b.is_volatile) return (a.kind == AccessKind::write && b.kind == AccessKind::write) || same_warp;
  return false;
}

// Plain writes of one value, where they overlap.
template <typename One, typename Other>
bool same_value(const One& a, const Other& b) {
  if (a.kind != AccessKind::write || b.kind != AccessKind::write) return false;
  if (!a.has_content || !b.has_content || a.several_values || b.several_values) return false;
  std::uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (((a.bytes & b.bytes) >> byte & 1) != 0) mask |= 0xFFu << (8 * byte);
  }
  return ((a.content ^ b.content) & mask) == 0;
}

constexpr std::uint64_t position_bit(std::size_t position) { return position < 64 ? std::uint64_t{1} << position : 0; }

// The mask when the element at `position` is taken out of the list.
constexpr std::uint64_t without_position(std::uint64_t mask, std::size_t position) {
  if (position >= 64) return mask;
  const std::uint64_t below = position_bit(position) - 1;
  return (mask & below) | ((mask >> 1) & ~below);
}

}  // namespace tilelab::simt
