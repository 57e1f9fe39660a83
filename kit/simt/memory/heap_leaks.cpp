// Marks what pointers lead to, beginning with buffers and variables.
#include "simt/memory/heap_leaks.hpp"

#include <cstring>
#include <map>
#include <set>
#include <utility>

namespace tilelab::simt {
namespace {

using Allocation = DeviceHeap::Allocation;

std::uint64_t number_of(const ThreadRef& thread) { return thread.block * 1024 + thread.thread; }

class Reached {
 public:
  explicit Reached(const DeviceHeap& heap) : heap_(heap) {}

  void follow(std::uintptr_t base, std::size_t bytes) {
    scan(base, bytes);
    while (!open_.empty()) {
      const Allocation* next = open_.back();
      open_.pop_back();
      scan(next->base, next->bytes);
    }
  }
  bool contains(const Allocation& one) const { return found_.contains(&one); }

 private:
  void scan(std::uintptr_t base, std::size_t bytes) {
    constexpr std::size_t step = sizeof(std::uintptr_t);
    for (std::uintptr_t at = (base + step - 1) / step * step; at + step <= base + bytes; at += step) {
      std::uintptr_t word = 0;
      std::memcpy(&word, reinterpret_cast<const void*>(at), step);
      if (!heap_.holds(word, 1)) continue;
      const Allocation* target = heap_.near(word);
      if (found_.insert(target).second) open_.push_back(target);
    }
  }

  const DeviceHeap& heap_;
  std::set<const Allocation*> found_;
  std::vector<const Allocation*> open_;
};

}  // namespace

std::vector<Leak> leaks_of(const MemoryMap& memory) {
  const DeviceHeap& heap = memory.heap();
  if (!heap.has_new()) return {};
  Reached reached(heap);
  for (const Region& region : memory.buffers()) reached.follow(region.base, region.bytes);
  memory.for_each_variable([&](const Region& region) { reached.follow(region.base, region.bytes); });

  std::map<std::pair<std::uintptr_t, bool>, Leak> leaks;
  std::map<std::pair<std::uintptr_t, bool>, std::set<std::uint64_t>> threads;
  for (const Allocation& one : heap.allocations()) {
    if (one.freed_by != 0 || one.allocated_by == DeviceHeap::elsewhere) continue;
    const std::pair key{one.allocated_by, !reached.contains(one)};
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
