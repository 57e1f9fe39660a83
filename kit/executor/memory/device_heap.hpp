// What a kernel allocates with malloc or new. Every allocation has a red zone before and behind it, and its memory is not given out
// again in the same launch: so an access past its end or after it was freed hits nothing else, and is found.
//
// CUDA's heap has 8 MiB if a program does not ask for another size; malloc answers null behind that.
//
// In a whole program the heap outlives a launch: it lies in memory that launches share, with a table of its allocations behind it. Who
// allocated or freed what in an earlier launch is not known any more, only that somebody did.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/byte_marks.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

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
  ~DeviceHeap() {
    if (region_.base != 0 && !lives_on()) munmap(reinterpret_cast<void*>(region_.base), region_.bytes);
  }
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  // Aligned to 16 bytes, as CUDA's. 0: there is no memory left.
  std::uintptr_t allocate(std::size_t bytes, std::uintptr_t statement, const ThreadRef& by) {
    if (bytes == 0 || live_bytes_ > limit_ || bytes > limit_ - live_bytes_) return 0;
    if (region_.base == 0) {
      const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
      const std::uintptr_t slot = (now * 0x9E3779B97F4A7C15) >> 32 & ((heap_end - heap_first) / arena_bytes - 1);  // 2^14 of them
      void* const wish = reinterpret_cast<void*>(heap_first + slot * arena_bytes);  // elsewhere, if it is taken
      void* arena = mmap(wish, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (arena == MAP_FAILED) throw std::bad_alloc();
      set_region(reinterpret_cast<std::uintptr_t>(arena), arena_bytes);
    }
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    if (whole + gap > region_.bytes - used_ || (lives_on() && allocations_.size() >= most_entries())) {
      exhausted_ = true;
      return 0;
    }
    const std::uintptr_t base = region_.base + used_;
    used_ += whole + gap;
    live_bytes_ += bytes;
    std::memset(reinterpret_cast<void*>(base), undefined_, bytes);
    if (region_.marks != nullptr) mark_unset(base, bytes);
    allocations_.push_back({base, bytes, statement, 0, by, {}});
    return base;
  }
  Freed release(std::uintptr_t address, std::uintptr_t statement, const ThreadRef& by) {
    const Allocation* found = last_before(address);
    if (found == nullptr || found->base != address) return Freed::nothing_there;
    Allocation& allocation = allocations_[static_cast<std::size_t>(found - allocations_.data())];
    if (allocation.freed_by != 0) return Freed::again;
    allocation.freed_by = statement;
    allocation.freeing = by;
    live_bytes_ -= allocation.bytes;
    return Freed::yes;
  }
  // Every byte of what nobody has written.
  void set_undefined(std::uint8_t byte) { undefined_ = byte; }
  // From now on the heap is in this memory of the caller's, and has what an earlier launch left there: nothing, if all bytes are 0.
  // `marks`: see byte_marks.hpp. `limit`: so much may be allocated at a time. Throws std::runtime_error where the table is damaged.
  void live_on(std::uintptr_t base, std::size_t bytes, ByteMarks* marks, std::size_t limit) {
    table_bytes_ = bytes / table_share / alignment * alignment;
    set_region(base, bytes - table_bytes_ - gap);
    region_.marks = freed_region_.marks = marks;
    limit_ = limit;
    table_ = reinterpret_cast<Table*>(base + bytes - table_bytes_);
    if (table_->count > most_entries()) throw std::runtime_error("the table of the heap is damaged");
    std::size_t live_end = gap;
    for (std::uint64_t i = 0; i < table_->count; ++i) {
      const Entry& one = table_->entries[i];
      if (one.offset < used_ || one.offset > region_.bytes || one.bytes > region_.bytes - one.offset)
        throw std::runtime_error("the table of the heap is damaged");
      used_ = one.offset + (one.bytes + alignment - 1) / alignment * alignment + gap;
      if (one.is_freed == 0) {
        live_bytes_ += one.bytes;
        live_end = used_;
      }
      allocations_.push_back({base + one.offset, one.bytes, elsewhere, one.is_freed != 0 ? elsewhere : 0, {}, {}});
    }
    // What is freed at the end is given out again once there is little room.
    if (used_ > region_.bytes / 2 || allocations_.size() > most_entries() / 2) {
      while (!allocations_.empty() && allocations_.back().freed_by != 0) allocations_.pop_back();
      used_ = live_end;
    }
    earlier_ = allocations_.size();
  }
  bool lives_on() const { return table_ != nullptr; }
  // Leaves it to the next launch.
  void keep() const {
    table_->count = allocations_.size();
    for (std::size_t i = 0; i < allocations_.size(); ++i) {
      const Allocation& one = allocations_[i];
      table_->entries[i] = {one.base - region_.base, one.bytes, one.freed_by != 0 ? 1u : 0u};
    }
  }
  // Whether this launch has allocated something.
  bool has_new() const { return allocations_.size() > earlier_; }
  // No launch may go on that has used up what can be told apart.
  bool is_exhausted() const { return exhausted_; }

  // All of the heap, for observers: an access in an allocation belongs to it.
  const Region& region() const { return region_; }
  bool in_arena(std::uintptr_t address) const { return address - region_.base < region_.bytes; }
  // Whether all of this lies in one allocation that nobody has freed.
  bool holds(std::uintptr_t address, std::size_t bytes) const {
    const Allocation* found = in_arena(address) ? last_before(address) : nullptr;
    if (found == nullptr || found->freed_by != 0) return false;
    const std::uintptr_t offset = address - found->base;
    return offset < found->bytes && bytes <= found->bytes - offset;
  }
  // The allocation that an address of the arena belongs to, or in whose red zones it lies. Null: there is none.
  const Allocation* near(std::uintptr_t address) const {
    if (!in_arena(address) || allocations_.empty()) return nullptr;
    const Allocation* before = last_before(address);
    if (before == nullptr) return &allocations_.front();
    const Allocation* next = before == &allocations_.back() ? nullptr : before + 1;
    const std::uintptr_t end = before->base + before->bytes;
    const bool nearer_to_next = next != nullptr && address >= end && next->base - address < address - end;
    return nearer_to_next ? next : before;
  }
  // As region(), and says whether that allocation has been freed by now.
  const Region& region_near(std::uintptr_t address) const {
    const Allocation* allocation = near(address);
    return allocation != nullptr && allocation->freed_by != 0 ? freed_region_ : region_;
  }
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  const Allocation* last_before(std::uintptr_t address) const {
    const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                        [](std::uintptr_t at, const Allocation& one) { return at < one.base; });
    return after == allocations_.begin() ? nullptr : &*std::prev(after);
  }

  static constexpr std::size_t arena_bytes = 64u << 20, gap = 64, alignment = 16;
  struct Entry {  // of the table
    std::uint64_t offset, bytes, is_freed;
  };
  struct Table {
    std::uint64_t count;
    Entry entries[1];
  };
  std::size_t most_entries() const { return (table_bytes_ - offsetof(Table, entries)) / sizeof(Entry); }
  void mark_unset(std::uintptr_t base, std::size_t bytes) const {
    std::memset(region_.marks->words + (base - region_.base) / 4, 0, (bytes + 3) / 4);
  }
  void set_region(std::uintptr_t base, std::size_t bytes) {
    region_.name = "the heap";
    region_.space = Space::global;
    region_.role = BufferRole::inout;
    region_.base = base;
    region_.bytes = bytes;
    region_.element = "byte";
    region_.element_bytes = 1;
    region_.heap = this;
    freed_region_ = region_;
    freed_region_.freed = true;
    used_ = gap;
  }

  Table* table_ = nullptr;
  std::size_t table_bytes_ = 0, earlier_ = 0, limit_ = usual_bytes;
  std::vector<Allocation> allocations_;  // by address
  std::size_t used_ = 0, live_bytes_ = 0;
  bool exhausted_ = false;
  std::uint8_t undefined_ = 0xFF;  // a NaN
  Region region_, freed_region_;
};

}  // namespace tilelab::simt
