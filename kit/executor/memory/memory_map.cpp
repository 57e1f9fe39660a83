// Makes the arenas and look-up tables of MemoryMap.
#include "executor/memory/memory_map.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <iterator>
#include <new>

namespace tilelab::simt {
namespace {
constexpr std::size_t before_variable_bytes = 4096;  // an access so little before a variable was meant for it

bool is_before(std::uintptr_t address, const Region* region) { return address < region->base; }
}  // namespace

Region& MemoryMap::add_buffer(Region region) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t body = (region.bytes + page - 1) / page * page;
  const std::size_t around = red_zone_bytes + page;
  if (body < region.bytes || body + 2 * around < body) throw std::bad_alloc();
  // A page that nobody can use before and behind the red zones: what runs on through them ends there.
  void* arena = mmap(nullptr, body + 2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(static_cast<char*>(arena) + page, body + 2 * red_zone_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  region.base = reinterpret_cast<std::uintptr_t>(arena) + around;
  return keep(std::move(region));
}

Region& MemoryMap::add_placed(Region region) { return keep(std::move(region)); }

Region& MemoryMap::keep(Region region) {
  region.space = Space::global;
  Region& kept = buffers_.emplace_back(std::move(region));
  by_address_.insert(std::upper_bound(by_address_.begin(), by_address_.end(), kept.base, is_before), &kept);
  return kept;
}

void MemoryMap::set_shared(std::uintptr_t base, std::size_t span, std::vector<Region> arrays) {
  shared_base_ = base;
  shared_span_ = span;
  shared_ = std::move(arrays);
  for (Region& array : shared_) array.span_offset = array.base - base;
  mark_words();
}

void MemoryMap::set_dynamic_bytes(std::size_t bytes) {
  for (Region& array : shared_) {
    if (array.dynamic) array.bytes = std::min(bytes, shared_span_ - array.span_offset);
  }
  mark_words();
}

void MemoryMap::mark_words() {
  array_of_word_.assign((shared_span_ + 3) / 4, no_array);
  for (std::size_t i = 0; i < shared_.size() && i < no_array; ++i) {
    const std::size_t first = (shared_[i].span_offset + 3) / 4, end = (shared_[i].span_offset + shared_[i].bytes) / 4;
    for (std::size_t word = first; word < end && word < array_of_word_.size(); ++word) {
      if (array_of_word_[word] == no_array) array_of_word_[word] = static_cast<std::uint8_t>(i);
    }
  }
}

void MemoryMap::add_module(Region region) {
  region.space = Space::module;
  const std::uintptr_t base = region.base;
  modules_.try_emplace(base, std::move(region));
}

const Region* MemoryMap::search_global(std::uintptr_t address, std::size_t size) {
  if (heap_.in_arena(address)) return heap_.holds(address, size) ? &heap_.region() : nullptr;
  const auto next = std::upper_bound(by_address_.begin(), by_address_.end(), address, is_before);
  if (next != by_address_.begin() && contains(**std::prev(next), address, size)) return known_[stretch_of(address)] = *std::prev(next);
  const auto after = modules_.upper_bound(address);
  if (after == modules_.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  return contains(region, address, size) ? &region : nullptr;
}

// For arrays that share a word, and for dynamic arrays that alias.
const Region* MemoryMap::search_shared(std::uintptr_t address, std::size_t size) const {
  for (const Region& array : shared_) {
    if (contains(array, address, size)) return &array;
  }
  return nullptr;
}

const Region* MemoryMap::buffer_near(std::uintptr_t address) const {
  if (heap_.in_arena(address)) return &heap_.region_near(address);
  const auto next = std::upper_bound(by_address_.begin(), by_address_.end(), address, is_before);
  if (next != by_address_.begin()) {
    const Region& region = **std::prev(next);
    if (address < region.base + region.bytes + red_zone_bytes) return &region;
  }
  return next != by_address_.end() && address >= (*next)->base - red_zone_bytes ? *next : nullptr;
}

const Region* MemoryMap::variable_near(std::uintptr_t address) const {
  const auto after = modules_.upper_bound(address);
  if (after != modules_.begin()) {
    const Region& region = std::prev(after)->second;
    if (address - region.base < std::max(region.room, region.bytes) && region.room != 0) return &region;
  }
  const bool soon = after != modules_.end() && after->second.room != 0 && after->first - address <= before_variable_bytes;
  return soon ? &after->second : nullptr;
}

const Region* MemoryMap::shared_before(std::uintptr_t address) const {
  const Region* best = nullptr;
  for (const Region& array : shared_) {
    if (array.base + array.bytes <= address + 1 && (best == nullptr || array.base > best->base)) best = &array;
  }
  return best;
}

}  // namespace tilelab::simt
