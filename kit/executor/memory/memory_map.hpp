// Which memory a launch may touch: buffers in their own arenas between red zones, the block's shared arrays, and the
// module's data. Answers "whose byte is this" for every announced access, so lookups are flat tables.
//
// Red zones are ordinary readable memory: a kernel that runs a little past a buffer is reported and goes on, as on a GPU.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "executor/memory/device_heap.hpp"
#include "executor/memory/region.hpp"
#include "executor/memory/sealed_tables.hpp"

namespace tilelab::simt {

inline constexpr std::size_t red_zone_bytes = 1u << 20;

class MemoryMap {
 public:
  MemoryMap() = default;
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;
  ~MemoryMap() {
    for (const auto& [arena, bytes] : arenas_) munmap(arena, bytes);
  }

  // Maps `bytes` of zeroed memory between two red zones, aligned to 256 bytes as cudaMalloc's. Throws std::bad_alloc.
  Region& add_buffer(Region region) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t body = (region.bytes + page - 1) / page * page;
    const std::size_t around = red_zone_bytes + page;
    if (body < region.bytes || body + 2 * around < body) throw std::bad_alloc();
    // A page that nobody can use before and behind the red zones: what runs on through them ends there.
    void* arena = mmap(nullptr, body + 2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) throw std::bad_alloc();
    arenas_.emplace_back(arena, body + 2 * around);
    if (mprotect(static_cast<char*>(arena) + page, body + 2 * red_zone_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    region.base = reinterpret_cast<std::uintptr_t>(arena) + around;
    return keep(std::move(region));
  }
  // Adds memory that the caller has mapped at region.base, red zones included. No other buffer lies within two red zones of it.
  Region& add_placed(Region region) { return keep(std::move(region)); }
  // The span of the block's shared memory, and the arrays in it (bases are addresses). Dynamic ones may alias.
  void set_shared(std::uintptr_t base, std::size_t span, std::vector<Region> arrays) {
    shared_base_ = base;
    shared_span_ = span;
    shared_ = std::move(arrays);
    for (Region& array : shared_) array.span_offset = array.base - base;
    mark_words();
  }
  // From now on, a block has this much dynamic shared memory. The span stays as it is.
  void set_dynamic_bytes(std::size_t bytes) {
    for (Region& array : shared_) {
      if (array.dynamic) array.bytes = std::min(bytes, shared_span_ - array.span_offset);
    }
    mark_words();
  }
  // A variable of the module, or bytes of its sections that belong to no variable. Two that begin at one address are one.
  void add_module(Region region) {
    region.space = Space::module;
    const std::uintptr_t base = region.base;
    modules_.try_emplace(base, std::move(region));
  }
  // [first, end) belongs to the compiler: its flag that a shared array of objects was initialised.
  void add_guard(std::uintptr_t first, std::uintptr_t end) { guards_.emplace_back(first, end); }
  const std::vector<std::pair<std::uintptr_t, std::uintptr_t>>& guards() const { return guards_; }
  bool is_guard(std::uintptr_t address) const {
    return std::any_of(guards_.begin(), guards_.end(), [address](const auto& one) { return address >= one.first && address < one.second; });
  }

  // The region that contains all of [address, address + size), or null.
  const Region* find_global(std::uintptr_t address, std::size_t size) {
    const Region* buffer = find_buffer(address, size);
    return buffer != nullptr ? buffer : search_global(address, size);
  }
  // The same with one table access. It also returns null for memory that is no buffer, and for buffers not looked up there
  // before.
  const Region* find_buffer(std::uintptr_t address, std::size_t size) const {
    const Region* known = known_[stretch_of(address)];
    return known != nullptr && contains(*known, address, size) ? known : nullptr;
  }
  const Region* find_shared(std::uintptr_t address, std::size_t size) const {
    const std::size_t offset = address - shared_base_, last = offset + size - 1;  // the first is inside the span: see in_shared_span
    const std::uint8_t index = array_of_word_[offset / 4];
    const bool in_one = index != no_array && size <= 16 && last < shared_span_ && array_of_word_[last / 4] == index;
    return in_one ? shared_.data() + index : search_shared(address, size);
  }
  bool in_shared_span(std::uintptr_t address) const { return address - shared_base_ < shared_span_; }
  DeviceHeap& heap() { return heap_; }
  const DeviceHeap& heap() const { return heap_; }
  // The buffer whose arena (including red zones) contains the address, or null.
  const Region* buffer_near(std::uintptr_t address) const {
    if (heap_.in_arena(address)) return &heap_.region_near(address);
    const auto next = std::upper_bound(by_address_.begin(), by_address_.end(), address, is_before);
    if (next != by_address_.begin()) {
      const Region& region = **std::prev(next);
      if (address < region.base + region.bytes + red_zone_bytes) return &region;
    }
    return next != by_address_.end() && address >= (*next)->base - red_zone_bytes ? *next : nullptr;
  }
  // The variable of the module in whose room the address lies, or that begins soon after it; or null.
  const Region* variable_near(std::uintptr_t address) const {
    const auto after = modules_.upper_bound(address);
    if (after != modules_.begin()) {
      const Region& region = std::prev(after)->second;
      if (address - region.base < std::max(region.room, region.bytes) && region.room != 0) return &region;
    }
    const bool soon = after != modules_.end() && after->second.room != 0 && after->first - address <= before_variable_bytes;
    return soon ? &after->second : nullptr;
  }
  // The shared array that ends last at or before the address, or null.
  const Region* shared_before(std::uintptr_t address) const {
    const Region* best = nullptr;
    for (const Region& array : shared_) {
      if (array.base + array.bytes <= address + 1 && (best == nullptr || array.base > best->base)) best = &array;
    }
    return best;
  }

  // The allocations that pointers lead to, beginning with buffers and variables.
  std::set<const DeviceHeap::Allocation*> reached() const {
    constexpr std::size_t step = sizeof(std::uintptr_t);
    std::vector<std::pair<std::uintptr_t, std::size_t>> open;
    for (const Region& region : buffers_) open.emplace_back(region.base, region.bytes);
    for (const auto& [base, region] : modules_) open.emplace_back(region.base, region.bytes);
    std::set<const DeviceHeap::Allocation*> found;
    while (!open.empty()) {
      const auto [base, bytes] = open.back();
      open.pop_back();
      for (std::uintptr_t at = (base + step - 1) / step * step; at + step <= base + bytes; at += step) {
        std::uintptr_t word = 0;
        std::memcpy(&word, reinterpret_cast<const void*>(at), step);
        if (!heap_.holds(word, 1)) continue;
        const DeviceHeap::Allocation* target = heap_.near(word);
        if (found.insert(target).second) open.emplace_back(target->base, target->bytes);
      }
    }
    return found;
  }

  // Which memory there is. It stays as it is while a launch runs.
  void seal_in(SealedTables& tables) const {
    for (const Region& region : buffers_) tables.add(&region, sizeof region);
    for (const auto& [base, region] : modules_) tables.add(&region, sizeof region);
    tables.add(shared_);
    tables.add(guards_);
    tables.add(array_of_word_);
  }

  std::uintptr_t shared_base() const { return shared_base_; }
  std::size_t shared_span() const { return shared_span_; }
  std::span<const Region> shared_arrays() const { return shared_; }
  const std::deque<Region>& buffers() const { return buffers_; }
  std::deque<Region>& buffers() { return buffers_; }

 private:
  static constexpr std::uint8_t no_array = 0xFF;
  static constexpr std::size_t before_variable_bytes = 4096;  // an access so little before a variable was meant for it

  static bool is_before(std::uintptr_t address, const Region* region) { return address < region->base; }
  // Two red zones lie between any two buffers. So no stretch of red-zone length contains bytes of two buffers.
  static std::size_t stretch_of(std::uintptr_t address) { return address / red_zone_bytes % 64; }
  static bool contains(const Region& region, std::uintptr_t address, std::size_t size) {
    const std::uintptr_t offset = address - region.base;
    return offset < region.bytes && size <= region.bytes - offset;
  }
  void mark_words() {
    array_of_word_.assign((shared_span_ + 3) / 4, no_array);
    for (std::size_t i = 0; i < shared_.size() && i < no_array; ++i) {
      const std::size_t first = (shared_[i].span_offset + 3) / 4, end = (shared_[i].span_offset + shared_[i].bytes) / 4;
      for (std::size_t word = first; word < end && word < array_of_word_.size(); ++word) {
        if (array_of_word_[word] == no_array) array_of_word_[word] = static_cast<std::uint8_t>(i);
      }
    }
  }
  Region& keep(Region region) {
    region.space = Space::global;
    Region& kept = buffers_.emplace_back(std::move(region));
    by_address_.insert(std::upper_bound(by_address_.begin(), by_address_.end(), kept.base, is_before), &kept);
    return kept;
  }
  const Region* search_global(std::uintptr_t address, std::size_t size) {
    if (heap_.in_arena(address)) return heap_.holds(address, size) ? &heap_.region() : nullptr;
    const auto next = std::upper_bound(by_address_.begin(), by_address_.end(), address, is_before);
    if (next != by_address_.begin() && contains(**std::prev(next), address, size)) return known_[stretch_of(address)] = *std::prev(next);
    const auto after = modules_.upper_bound(address);
    if (after == modules_.begin()) return nullptr;
    const Region& region = std::prev(after)->second;
    return contains(region, address, size) ? &region : nullptr;
  }
  // For arrays that share a word, and for dynamic arrays that alias.
  const Region* search_shared(std::uintptr_t address, std::size_t size) const {
    for (const Region& array : shared_) {
      if (contains(array, address, size)) return &array;
    }
    return nullptr;
  }

  DeviceHeap heap_;
  std::vector<std::pair<void*, std::size_t>> arenas_;  // what add_buffer() mapped, with its bytes
  std::deque<Region> buffers_;
  std::vector<const Region*> by_address_;     // the buffers, sorted
  std::map<std::uintptr_t, Region> modules_;  // by their first bytes; no two overlap
  std::array<const Region*, 64> known_{};     // the buffer met last in stretches of this number; red zones keep two out of one
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> guards_;
  std::uintptr_t shared_base_ = 0;
  std::size_t shared_span_ = 0;
  std::vector<Region> shared_;
  std::vector<std::uint8_t> array_of_word_;  // for each word of the shared span: the array that contains all of it
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
inline std::vector<Leak> leaks_of(const MemoryMap& memory) {
  const DeviceHeap& heap = memory.heap();
  if (!heap.has_new()) return {};
  const std::set<const DeviceHeap::Allocation*> reached = memory.reached();
  std::map<std::pair<std::uintptr_t, bool>, Leak> leaks;
  std::map<std::pair<std::uintptr_t, bool>, std::set<std::uint64_t>> threads;
  for (const DeviceHeap::Allocation& one : heap.allocations()) {
    if (one.freed_by != 0 || one.allocated_by == DeviceHeap::elsewhere) continue;
    const std::pair key{one.allocated_by, !reached.contains(&one)};
    auto& whose = threads[key];
    const std::uint64_t number = one.by.block * 1024 + one.by.thread;
    const bool is_first = whose.empty() || number < *whose.begin();
    whose.insert(number);
    Leak& leak = leaks[key];
    leak.allocated_by = one.allocated_by;
    leak.is_lost = key.second;
    leak.bytes += one.bytes;
    leak.threads = whose.size();
    if (is_first) leak.by = one.by;
  }
  std::vector<Leak> all;
  for (const auto& [key, leak] : leaks) {
    if (leak.is_lost || !leaks.contains({key.first, true})) all.push_back(leak);
  }
  return all;
}

}  // namespace tilelab::simt
