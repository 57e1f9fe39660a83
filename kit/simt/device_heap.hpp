// What a kernel allocates with malloc or new. Every allocation has a red zone before and behind it, and its memory is not given out
// again in the same launch: so an access past its end or after it was freed hits nothing else, and is found.
//
// CUDA's heap has 8 MiB if a program does not ask for another size; malloc answers null behind that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/event.hpp"
#include "simt/region.hpp"

namespace tilelab::simt {

class DeviceHeap {
 public:
  struct Allocation {
    std::uintptr_t base = 0;
    std::size_t bytes = 0;
    std::uintptr_t allocated_by = 0, freed_by = 0;  // statements; freed_by 0: nobody freed it
    ThreadRef by, freeing;                          // the threads that did so
  };
  enum class Freed { yes, nothing_there, again };

  DeviceHeap() = default;
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  // Aligned to 16 bytes, as CUDA's. 0: there is no memory left.
  std::uintptr_t allocate(std::size_t bytes, std::uintptr_t statement, const ThreadRef& by);
  Freed release(std::uintptr_t address, std::uintptr_t statement, const ThreadRef& by);
  // Every byte of what nobody has written.
  void set_undefined(std::uint8_t byte) { undefined_ = byte; }
  // No launch may go on that has used up what can be told apart.
  bool is_exhausted() const { return exhausted_; }

  // All of the heap, for observers: an access in an allocation belongs to it.
  const Region& region() const { return region_; }
  bool in_arena(std::uintptr_t address) const { return address - region_.base < region_.bytes; }
  // Whether all of this lies in one allocation that nobody has freed.
  bool holds(std::uintptr_t address, std::size_t bytes) const;
  // The allocation that an address of the arena belongs to, or in whose red zones it lies. Null: there is none.
  const Allocation* near(std::uintptr_t address) const;
  // As region(), and says whether that allocation has been freed by now.
  const Region& region_near(std::uintptr_t address) const {
    const Allocation* allocation = near(address);
    return allocation != nullptr && allocation->freed_by != 0 ? freed_region_ : region_;
  }
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  const Allocation* last_before(std::uintptr_t address) const;

  static constexpr std::size_t heap_bytes = 8u << 20, arena_bytes = 64u << 20, gap = 64, alignment = 16;
  std::vector<Allocation> allocations_;  // by address
  std::size_t used_ = 0, live_bytes_ = 0;
  bool exhausted_ = false;
  std::uint8_t undefined_ = 0xFF;  // a NaN
  Region region_, freed_region_;
};

}  // namespace tilelab::simt
