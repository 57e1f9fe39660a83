// What a kernel allocates with malloc or new. Every allocation has a red zone before and behind it, and its memory is not given out
// again in the same launch: so an access past its end or after it was freed hits nothing else, and is found.
//
// CUDA's heap has 8 MiB if a program does not ask for another size; malloc answers null behind that.
//
// In a whole program the heap outlives a launch: it lies in memory that launches share, with a table of its allocations behind it. Who
// allocated or freed what in an earlier launch is not known any more, only that somebody did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

class MemoryMap;

// Where the heap lies: each launch has a piece of this range, most likely another one than the launch before. So an address that a kernel
// kept for a later launch is known.
inline constexpr std::uintptr_t heap_first = 0x1E00'0000'0000, heap_end = 0x1F00'0000'0000;

class DeviceHeap {
 public:
  struct Allocation {
    std::uintptr_t base = 0;
    std::size_t bytes = 0;
    std::uintptr_t allocated_by = 0, freed_by = 0;  // statements; freed_by 0: nobody freed it
    ThreadRef by, freeing;                          // the threads that did so
  };
  enum class Freed { yes, nothing_there, again };
  static constexpr std::uintptr_t elsewhere = 1;                         // a statement of an earlier launch
  static constexpr std::size_t usual_bytes = 8u << 20, table_share = 3;  // one third of the memory of a heap that lives on is its table

  DeviceHeap() = default;
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  // Aligned to 16 bytes, as CUDA's. 0: there is no memory left.
  std::uintptr_t allocate(std::size_t bytes, std::uintptr_t statement, const ThreadRef& by);
  Freed release(std::uintptr_t address, std::uintptr_t statement, const ThreadRef& by);
  // Every byte of what nobody has written.
  void set_undefined(std::uint8_t byte) { undefined_ = byte; }
  // From now on the heap is in this memory of the caller's, and has what an earlier launch left there: nothing, if all bytes are 0.
  // `marks`: see byte_marks.hpp. `limit`: so much may be allocated at a time. Throws std::runtime_error where the table is damaged.
  void live_on(std::uintptr_t base, std::size_t bytes, ByteMarks* marks, std::size_t limit);
  bool lives_on() const { return table_ != nullptr; }
  // Leaves it to the next launch.
  void keep() const;
  // Whether this launch has allocated something.
  bool has_new() const { return allocations_.size() > earlier_; }
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

  static constexpr std::size_t arena_bytes = 64u << 20, gap = 64, alignment = 16;
  struct Entry {  // of the table
    std::uint64_t offset, bytes, is_freed;
  };
  struct Table {
    std::uint64_t count;
    Entry entries[1];
  };
  std::size_t most_entries() const;
  void mark_unset(std::uintptr_t base, std::size_t bytes) const;
  void set_region(std::uintptr_t base, std::size_t bytes);

  Table* table_ = nullptr;
  std::size_t table_bytes_ = 0, earlier_ = 0, limit_ = usual_bytes;
  std::vector<Allocation> allocations_;  // by address
  std::size_t used_ = 0, live_bytes_ = 0;
  bool exhausted_ = false;
  std::uint8_t undefined_ = 0xFF;  // a NaN
  Region region_, freed_region_;
};

// What a kernel allocated and nobody has freed when it ends. Of that, what no pointer in global memory leads to is lost: no later kernel
// can free it. Like a leak checker on a host, it takes every aligned word for a pointer that could be one.
// This is what one statement allocated.
struct Leak {
  std::uintptr_t allocated_by = 0;
  bool is_lost = false;
  std::size_t bytes = 0;
  std::size_t threads = 0;  // that allocated it
  ThreadRef by;             // the first of them
};

// In the order of the statements. Of a statement that lost some, only that is told.
std::vector<Leak> leaks_of(const MemoryMap& memory);

}  // namespace tilelab::simt
