// Loads, stores, atomic functions, copies and fences of inline PTX: see device/inline_ptx.hpp.
#include <algorithm>
#include <bit>
#include <cstring>

#include "executor/device/inline_ptx.hpp"
#include "executor/device_impl/announcing.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using tilelab::simt::AccessKind;
using tilelab::simt::CallSite;
using tilelab::simt::Machine;
using tilelab::simt::Scope;
using tilelab::simt::Space;

enum PtxSpace : int { generic = 0, global = 1, shared = 2, local = 3, constant = 4 };

// An address of shared memory counts from the beginning of the block's, and has 32 bits.
std::uintptr_t generic_address(int space, bits address) {
  return space == shared ? Machine::current().shared_base() + (address & 0xFFFFFFFFu) : address;
}

// Announces an access, and says where it is.
void* announced(CallSite by, int space, bits address, std::size_t size, AccessKind kind, bool is_volatile) {
  Machine& machine = Machine::current();
  const std::uintptr_t at = generic_address(space, address);
  if (at % size != 0) machine.misaligned(at, size, by);
  if (space == shared)
    machine.access_in(Space::shared, at, size, kind, is_volatile, by);
  else if (space == global)
    machine.access_in(Space::global, at, size, kind, is_volatile, by);
  else
    machine.access(at, size, kind, is_volatile, by);
  return reinterpret_cast<void*>(at);
}

// The numbers are those of ptx_memory.py.
template <typename Word, typename Signed, typename Float>
Word updated(int operation, Word old, Word value, Word other) {
  switch (operation) {
    case 0: return old + value;
    case 1: return std::min(old, value);
    case 2: return std::max(old, value);
    case 3: return static_cast<Word>(std::min(static_cast<Signed>(old), static_cast<Signed>(value)));
    case 4: return static_cast<Word>(std::max(static_cast<Signed>(old), static_cast<Signed>(value)));
    case 5: return old & value;
    case 6: return old | value;
    case 7: return old ^ value;
    case 8: return value;
    case 9: return old == value ? other : old;
    case 10: return old >= value ? 0 : old + 1;
    case 11: return old == 0 || old > value ? value : old - 1;
    default: return std::bit_cast<Word>(std::bit_cast<Float>(old) + std::bit_cast<Float>(value));
  }
}

template <typename Word, typename Signed, typename Float>
bits update(CallSite by, int space, int operation, bits address, bits value, bits other) {
  Machine& machine = Machine::current();
  const std::uintptr_t at = generic_address(space, address);
  if (at % sizeof(Word) != 0) machine.misaligned(at, sizeof(Word), by);
  constexpr int scopes = 32;  // the operation is below; added to it is 0, 1 or 2 times this: for the device, the block alone, the system
  constexpr Scope scope_of[] = {Scope::device, Scope::block, Scope::system};
  const bool fits = space == generic || (space == shared) == machine.is_shared(at);
  if (!fits) machine.access_in(space == shared ? Space::shared : Space::global, at, sizeof(Word), AccessKind::atomic, false, by);
  machine.access(at, sizeof(Word), AccessKind::atomic, false, by, scope_of[operation / scopes % 3]);
  Word word;
  std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
  const Word next = updated<Word, Signed, Float>(operation % scopes, word, static_cast<Word>(value), static_cast<Word>(other));
  std::memcpy(reinterpret_cast<void*>(at), &next, sizeof next);
  return word;
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits load(int bytes, int space, bool is_volatile, bits address) {
  const auto size = static_cast<std::size_t>(bytes);
  bits value = 0;
  std::memcpy(&value, announced(TILELAB_SITE, space, address, size, AccessKind::read, is_volatile), size);
  return value;
}
uint4 load_16(int space, bool is_volatile, bits address) {
  uint4 words;
  std::memcpy(&words, announced(TILELAB_SITE, space, address, sizeof words, AccessKind::read, is_volatile), sizeof words);
  return words;
}
void store(int bytes, int space, bool is_volatile, bits address, bits value) {
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(announced(TILELAB_SITE, space, address, size, AccessKind::write, is_volatile), &value, size);
}
void store_16(int space, bool is_volatile, bits address, uint4 value) {
  std::memcpy(announced(TILELAB_SITE, space, address, sizeof value, AccessKind::write, is_volatile), &value, sizeof value);
}
bits atomic_4(int space, int operation, bits address, bits value, bits other) {
  return update<std::uint32_t, std::int32_t, float>(TILELAB_SITE, space, operation, address, value, other);
}
bits atomic_8(int space, int operation, bits address, bits value, bits other) {
  return update<std::uint64_t, std::int64_t, double>(TILELAB_SITE, space, operation, address, value, other);
}

bits to_space(int space, bits address) { return space == shared ? address - Machine::current().shared_base() : address; }
bits from_space(int space, bits address) { return generic_address(space, address); }
bool is_in_space(int space, bits address) {
  Machine& machine = Machine::current();
  switch (space) {
    case global: return machine.is_global(address);
    case shared: return machine.is_shared(address);
    case local: return machine.is_local(address);
    default: return machine.is_constant(address);
  }
}

void copy_async(bits to, bits from, unsigned size, unsigned from_size) {
  const CallSite by = TILELAB_SITE;
  Machine& machine = Machine::current();
  const std::uintptr_t target = generic_address(shared, to);
  if (target % size != 0) machine.misaligned(target, size, by);
  if (from % size != 0) machine.misaligned(from, size, by);
  if (!machine.is_shared(target)) machine.access_in(Space::shared, target, size, AccessKind::write, false, by);
  if (machine.is_shared(from) || machine.is_local(from)) machine.access_in(Space::global, from, size, AccessKind::read, false, by);
  machine.copy_async(target, from, size, std::min(size, from_size), by);
}
void commit_copies() { Machine::current().commit_copies(); }
void await_copies(unsigned latest, bool all) { Machine::current().wait_for_copies(latest, all); }

void fence(bool block_scope) { Machine::current().fence(TILELAB_STATEMENT, block_scope); }

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
