// One mapping, many stacks.
#include "simt/scheduler/fiber_stacks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tilelab::simt {
namespace {

// Clears the address sanitizer's marks. A fiber that was never resumed did not clear the marks in its frames.
void forget_marks([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(reinterpret_cast<void*>(address), bytes);
#endif
}

}  // namespace

FiberStacks::FiberStacks(std::size_t count)
    : count_(count), guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), pitch_(guard_ + stack_bytes), bytes_(count * pitch_) {
  void* mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  base_ = reinterpret_cast<std::uintptr_t>(mapping);
  take_back_all();
}

FiberStacks::~FiberStacks() {
  forget_marks(base_, bytes_);
  munmap(reinterpret_cast<void*>(base_), bytes_);
}

// Linux 6.13 has guards that do not split the mapping, for a tenth of the cost. We check that one really works, because an
// emulator may take the call for a hint and do nothing.
void FiberStacks::guard(std::size_t index) {
  constexpr int guard_install = 102, populate_read = 22;  // MADV_GUARD_INSTALL, MADV_POPULATE_READ: newer than C libraries
  void* page = reinterpret_cast<void*>(base_ + index * pitch_);
  if (guards_are_light_) {
    guards_are_light_ = madvise(page, guard_, guard_install) == 0 && (index != 0 || madvise(page, guard_, populate_read) != 0);
  }
  if (!guards_are_light_ && mprotect(page, guard_, PROT_NONE) != 0) throw std::bad_alloc();
}

std::size_t FiberStacks::take() {
  const std::size_t index = free_.back();
  free_.pop_back();
  for (; guarded_ <= index; ++guarded_) guard(guarded_);
  forget_marks(low(index), stack_bytes);
  return index;
}

std::vector<std::size_t> FiberStacks::put_aside() {
  std::vector<std::size_t> aside = free_;
  take_back_all();
  return aside;
}

std::vector<unsigned char> FiberStacks::content(std::size_t index, std::uintptr_t stack_pointer) const {
  forget_marks(stack_pointer, top(index) - stack_pointer);
  std::vector<unsigned char> bytes(top(index) - stack_pointer);
  std::memcpy(bytes.data(), reinterpret_cast<const void*>(stack_pointer), bytes.size());
  return bytes;
}

void FiberStacks::restore(std::size_t index, const std::vector<unsigned char>& content) {
  forget_marks(low(index), stack_bytes);
  std::memcpy(reinterpret_cast<void*>(top(index) - content.size()), content.data(), content.size());
}

void FiberStacks::take_back_all() {
  free_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) free_[i] = count_ - 1 - i;
}

}  // namespace tilelab::simt
