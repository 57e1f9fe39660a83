// What the rows of copies and barriers in device/library_calls.hpp do.
#include <algorithm>

#include "executor/device_impl/announcing.hpp"

#define TILELAB_DOES(...) \
  {                       \
    __VA_ARGS__;          \
  }

using namespace tilelab::simt;

namespace {

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

void check_aligned(const void* pointer, std::size_t alignment, CallSite site) {
  const std::uintptr_t address = address_of(pointer);
  if (alignment != 0 && address % alignment != 0) Machine::current().misaligned(address, alignment, site);
}

void copy_whole(void* to, const void* from, std::size_t size, std::size_t zeros, CallSite site) {
  Machine& machine = Machine::current();
  if (size != 4 && size != 8 && size != 16) machine.trap("asks for a copy of neither 4 nor 8 nor 16 bytes", machine.statement(site));
  check_aligned(to, size, site);
  check_aligned(from, size, site);
  machine.copy_async(address_of(to), address_of(from), size, size - std::min(size, zeros), site);
}

struct Share {
  unsigned rank, count;  // of the threads that copy together
};

// The part of one thread, in the widest pieces that fit. Without a barrier, a wait completes it.
void copy_pieces(void* to, const void* from, std::size_t size, Share share, CallSite site, const void* barrier = nullptr) {
  Machine& machine = Machine::current();
  const std::uintptr_t target = address_of(to), source = address_of(from);
  std::size_t piece = 16;
  while (piece > 1 && (target % piece != 0 || source % piece != 0 || size % piece != 0)) piece /= 2;
  for (std::size_t at = share.rank * piece; at < size; at += share.count * piece) {
    if (barrier == nullptr)
      machine.copy_async(target + at, source + at, piece, piece, site);
    else
      machine.copy_for_barrier(target + at, source + at, piece, address_of(barrier), site);
  }
}

void copy_bulk(void* to, const void* from, std::size_t size, const void* barrier, CallSite site) {
  Machine& machine = Machine::current();
  check_aligned(to, 16, site);
  check_aligned(from, 16, site);
  if (size % 16 != 0) machine.trap("asks for a bulk copy of a size that is not a multiple of 16 bytes", machine.statement(site));
  copy_pieces(to, from, size, {0, 1}, site, barrier);
  machine.arrive(address_of(barrier), {.count = 0, .bytes = -static_cast<std::int64_t>(size)}, site);
}

}  // namespace

#include "executor/device/library_calls.hpp"
