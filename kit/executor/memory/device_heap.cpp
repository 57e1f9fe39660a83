// One mapping, from whose beginning allocations are cut one after the other.
#include "executor/memory/device_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "executor/memory/byte_marks.hpp"
#include "executor/memory/memory_map.hpp"

namespace tilelab::simt {
namespace {

using Allocation = DeviceHeap::Allocation;

std::uint64_t number_of(const ThreadRef& thread) { return thread.block * 1024 + thread.thread; }

// What pointers lead to, beginning with buffers and variables.
std::set<const Allocation*> reached_in(const MemoryMap& memory) {
  constexpr std::size_t step = sizeof(std::uintptr_t);
  std::vector<std::pair<std::uintptr_t, std::size_t>> open;
  for (const Region& region : memory.buffers()) open.emplace_back(region.base, region.bytes);
  memory.for_each_variable([&](const Region& region) { open.emplace_back(region.base, region.bytes); });
  std::set<const Allocation*> found;
  while (!open.empty()) {
    const auto [base, bytes] = open.back();
    open.pop_back();
    for (std::uintptr_t at = (base + step - 1) / step * step; at + step <= base + bytes; at += step) {
      std::uintptr_t word = 0;
      std::memcpy(&word, reinterpret_cast<const void*>(at), step);
      if (!memory.heap().holds(word, 1)) continue;
      const Allocation* target = memory.heap().near(word);
      if (found.insert(target).second) open.emplace_back(target->base, target->bytes);
    }
  }
  return found;
}

}  // namespace

DeviceHeap::~DeviceHeap() {
  if (region_.base != 0 && !lives_on()) munmap(reinterpret_cast<void*>(region_.base), region_.bytes);
}

std::uintptr_t DeviceHeap::allocate(std::size_t bytes, std::uintptr_t statement, const ThreadRef& by) {
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

void DeviceHeap::set_region(std::uintptr_t base, std::size_t bytes) {
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

void DeviceHeap::mark_unset(std::uintptr_t base, std::size_t bytes) const {
  std::memset(region_.marks->words + (base - region_.base) / 4, 0, (bytes + 3) / 4);
}

std::size_t DeviceHeap::most_entries() const { return (table_bytes_ - offsetof(Table, entries)) / sizeof(Entry); }

void DeviceHeap::live_on(std::uintptr_t base, std::size_t bytes, ByteMarks* marks, std::size_t limit) {
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

void DeviceHeap::keep() const {
  table_->count = allocations_.size();
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& one = allocations_[i];
    table_->entries[i] = {one.base - region_.base, one.bytes, one.freed_by != 0 ? 1u : 0u};
  }
}

DeviceHeap::Freed DeviceHeap::release(std::uintptr_t address, std::uintptr_t statement, const ThreadRef& by) {
  const Allocation* found = last_before(address);
  if (found == nullptr || found->base != address) return Freed::nothing_there;
  Allocation& allocation = allocations_[static_cast<std::size_t>(found - allocations_.data())];
  if (allocation.freed_by != 0) return Freed::again;
  allocation.freed_by = statement;
  allocation.freeing = by;
  live_bytes_ -= allocation.bytes;
  return Freed::yes;
}

const DeviceHeap::Allocation* DeviceHeap::last_before(std::uintptr_t address) const {
  const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                      [](std::uintptr_t at, const Allocation& one) { return at < one.base; });
  return after == allocations_.begin() ? nullptr : &*std::prev(after);
}

bool DeviceHeap::holds(std::uintptr_t address, std::size_t bytes) const {
  const Allocation* found = in_arena(address) ? last_before(address) : nullptr;
  if (found == nullptr || found->freed_by != 0) return false;
  const std::uintptr_t offset = address - found->base;
  return offset < found->bytes && bytes <= found->bytes - offset;
}

const DeviceHeap::Allocation* DeviceHeap::near(std::uintptr_t address) const {
  if (!in_arena(address) || allocations_.empty()) return nullptr;
  const Allocation* before = last_before(address);
  if (before == nullptr) return &allocations_.front();
  const Allocation* next = before == &allocations_.back() ? nullptr : before + 1;
  const std::uintptr_t end = before->base + before->bytes;
  const bool nearer_to_next = next != nullptr && address >= end && next->base - address < address - end;
  return nearer_to_next ? next : before;
}

std::vector<Leak> leaks_of(const MemoryMap& memory) {
  const DeviceHeap& heap = memory.heap();
  if (!heap.has_new()) return {};
  const std::set<const Allocation*> reached = reached_in(memory);
  std::map<std::pair<std::uintptr_t, bool>, Leak> leaks;
  std::map<std::pair<std::uintptr_t, bool>, std::set<std::uint64_t>> threads;
  for (const Allocation& one : heap.allocations()) {
    if (one.freed_by != 0 || one.allocated_by == DeviceHeap::elsewhere) continue;
    const std::pair key{one.allocated_by, !reached.contains(&one)};
    auto& whose = threads[key];
    const bool is_first = whose.empty() || number_of(one.by) < *whose.begin();
    whose.insert(number_of(one.by));
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
