#include "program/memory/device_memory.hpp"

#include <algorithm>
#include <cstring>

namespace tilelab::program {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_freed = 1u << 16, most_reserved = 1u << 16;  // that are still known

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes)
    : total_(std::max(bytes, protocol::program_granularity) / protocol::program_granularity * protocol::program_granularity),
      spaces_{FileSpace(total_, protocol::program_granularity), FileSpace(total_, protocol::program_granularity)},
      data_{MappedFile("tilelab-device", total_), MappedFile("tilelab-shared", total_)},
      marks_("tilelab-marks", total_ / 2),  // a quarter of both
      touched_("tilelab-touched", total_ / 2 * sizeof(simt::WordTouch)),
      next_{device_first + protocol::program_gap, shared_first + protocol::program_gap} {}

Allocation* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind, std::uint64_t at) {
  return place(bytes, kind, at, kind == MemoryKind::managed || kind == MemoryKind::pinned);
}

Allocation* DeviceMemory::allocate_shared_variable(std::size_t bytes, std::uint64_t at) {
  return place(bytes, MemoryKind::variable, at, true);
}

Allocation* DeviceMemory::place(std::size_t bytes, MemoryKind kind, std::uint64_t at, bool shared) {
  const std::uintptr_t end = shared ? memory_end : shared_first;
  std::uintptr_t& next = next_[shared];
  if (bytes > total_ || end - next < bytes + 2 * protocol::program_gap || live_.size() >= protocol::most_program_buffers) return nullptr;
  const auto offset = spaces_[shared].take(bytes);
  if (!offset) return nullptr;
  Allocation one{.index = made_++, .address = next, .bytes = bytes, .kind = kind, .at = at};
  lay(one, *offset);
  if (kind != MemoryKind::device && kind != MemoryKind::array) {
    std::memset(one.marks, 0x0F, (bytes + 3) / 4);
    one.is_set = true;
  }
  next += (bytes + page - 1) / page * page + protocol::program_gap;
  Allocation& kept = all_.emplace(one.address, one).first->second;
  live_.emplace(kept.address, &kept);
  return &kept;
}

void DeviceMemory::lay(Allocation& one, std::size_t offset) {
  const bool shared = one.address >= shared_first;
  one.offset = offset;
  one.marks_offset = (offset + (shared ? total_ : 0)) / 4;
  one.content = data_[shared].memory() + offset;
  one.marks = reinterpret_cast<std::uint8_t*>(marks_.memory()) + one.marks_offset;
}

Allocation* DeviceMemory::reserve(std::size_t bytes, std::uint64_t at) {
  std::uintptr_t& next = next_[0];
  if (bytes > total_ || shared_first - next < bytes + 2 * protocol::program_gap || reserved_ >= most_reserved) return nullptr;
  ++reserved_;
  Allocation one{.index = made_++, .address = next, .bytes = bytes, .at = at};
  one.freed_at = 0;
  one.is_of_graph = one.was_never_live = true;
  next += (bytes + page - 1) / page * page + protocol::program_gap;
  return &all_.emplace(one.address, one).first->second;
}

bool DeviceMemory::revive(Allocation& one) {
  if (live_.size() >= protocol::most_program_buffers) return false;
  const auto offset = spaces_[0].take(one.bytes);
  if (!offset) return false;
  lay(one, *offset);
  one.freed_at.reset();
  one.is_set = one.is_on_record = one.was_never_live = false;
  live_.emplace(one.address, &one);
  return true;
}

// Freed memory is not given out again soon, so there is more of it than may be used at a time.
Allocation* DeviceMemory::open_heap(std::size_t limit) {
  constexpr std::size_t least = 128u << 20, most = 2u << 30;
  limit = std::clamp(limit, protocol::least_heap_bytes, total_);
  for (std::size_t bytes = std::clamp(16 * limit, least, std::max(most, 2 * limit)); heap_ == nullptr && bytes >= limit; bytes /= 2)
    heap_ = place(bytes + bytes / 2, MemoryKind::device, 0, false);
  if (heap_ == nullptr) return nullptr;
  heap_->kind = MemoryKind::variable;
  heap_limit_ = limit;
  return heap_;
}

void DeviceMemory::release(Allocation& one, std::uint64_t at, bool by_reset) {
  if (&one == heap_) heap_ = nullptr;
  const bool shared = one.address >= shared_first;
  const std::size_t room = spaces_[shared].rounded(one.bytes);
  data_[shared].forget(one.offset, room);
  marks_.forget(one.marks_offset, room / 4);
  spaces_[shared].give_back(one.offset, one.bytes);
  one.freed_at = at;
  one.freed_by_reset = by_reset;
  live_.erase(one.address);
  if (one.is_of_graph) return;
  freed_.push_back(one.address);
  if (freed_.size() > most_freed) {
    all_.erase(freed_.front());
    freed_.pop_front();
  }
}

const simt::WordTouch* DeviceMemory::touched(const Allocation& one) const {
  return reinterpret_cast<const simt::WordTouch*>(touched_.memory()) + one.marks_offset;
}

void DeviceMemory::forget_touched(const Allocation& one) const {
  touched_.forget(one.marks_offset * sizeof(simt::WordTouch), (one.bytes + 3) / 4 * sizeof(simt::WordTouch));
}

Allocation* DeviceMemory::near(std::uintptr_t address) {
  const auto next = all_.upper_bound(address);
  if (next == all_.begin()) return nullptr;
  Allocation& one = std::prev(next)->second;
  return address - one.address < one.bytes + protocol::program_gap / 2 ? &one : nullptr;
}

Allocation* DeviceMemory::containing(std::uintptr_t address) {
  Allocation* one = near(address);
  return one != nullptr && address - one->address < one->bytes ? one : nullptr;
}

}  // namespace tilelab::program
