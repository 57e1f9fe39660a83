#include "program/device_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace tilelab::program {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_freed = 1u << 16;  // that are still known

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

void DeviceMemory::Mapping::make(const char* name, std::size_t size) {
  bytes = size;
  file = Descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) fail("memfd_create");
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) fail("make a memory file large");
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("seal a memory file");
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory = static_cast<char*>(mapped);
}

void DeviceMemory::Mapping::forget(std::size_t offset, std::size_t size) const {
  if (::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(size)) != 0)
    std::memset(memory + offset, 0, size);
}

DeviceMemory::DeviceMemory(std::size_t bytes)
    : total_(std::max(bytes, protocol::program_granularity) / protocol::program_granularity * protocol::program_granularity),
      spaces_{FileSpace(total_, protocol::program_granularity), FileSpace(total_, protocol::program_granularity)},
      next_{device_first + protocol::program_gap, shared_first + protocol::program_gap} {
  data_[0].make("tilelab-device", total_);
  data_[1].make("tilelab-shared", total_);
  marks_.make("tilelab-marks", total_ / 2);  // a quarter of both
}

DeviceMemory::~DeviceMemory() {
  for (const Mapping* one : {&std::as_const(data_[0]), &std::as_const(data_[1]), &std::as_const(marks_)}) {
    if (one->memory != nullptr) ::munmap(one->memory, one->bytes);
  }
}

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
  Allocation one{.index = made_++, .address = next, .bytes = bytes, .kind = kind, .at = at, .offset = *offset};
  one.marks_offset = (*offset + (shared ? total_ : 0)) / 4;
  one.content = data_[shared].memory + *offset;
  one.marks = reinterpret_cast<std::uint8_t*>(marks_.memory) + one.marks_offset;
  if (kind != MemoryKind::device) {
    std::memset(one.marks, 0x0F, (bytes + 3) / 4);
    one.is_set = true;
  }
  next += (bytes + page - 1) / page * page + protocol::program_gap;
  Allocation& kept = all_.emplace(one.address, one).first->second;
  live_.emplace(kept.address, &kept);
  return &kept;
}

void DeviceMemory::release(Allocation& one, std::uint64_t at, bool by_reset) {
  const bool shared = one.address >= shared_first;
  const std::size_t room = spaces_[shared].rounded(one.bytes);
  data_[shared].forget(one.offset, room);
  marks_.forget(one.marks_offset, room / 4);
  spaces_[shared].give_back(one.offset, one.bytes);
  one.freed_at = at;
  one.freed_by_reset = by_reset;
  live_.erase(one.address);
  freed_.push_back(one.address);
  if (freed_.size() > most_freed) {
    all_.erase(freed_.front());
    freed_.pop_front();
  }
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
