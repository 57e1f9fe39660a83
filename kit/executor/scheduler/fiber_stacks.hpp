// Stacks for a block's threads, in one contiguous mapping, with a guard page below each stack. So "is this address on a stack" is
// one comparison. Memory is committed only when used. The stacks are made once, and every block reuses them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tilelab::simt {

class FiberStacks {
 public:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  // Room for `count` stacks. Throws std::bad_alloc.
  explicit FiberStacks(std::size_t count)
      : count_(count), guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), pitch_(guard_ + stack_bytes), bytes_(count * pitch_) {
    void* mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    base_ = reinterpret_cast<std::uintptr_t>(mapping);
    take_back_all();
  }
  ~FiberStacks() {
    forget_marks(base_, bytes_);
    munmap(reinterpret_cast<void*>(base_), bytes_);
  }
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  std::size_t count() const { return count_; }
  // The lowest free index, so threads that never wait all use the same cached stack; throws std::bad_alloc.
  std::size_t take() {
    const std::size_t index = free_.back();
    free_.pop_back();
    for (; guarded_ <= index; ++guarded_) guard(guarded_);
    forget_marks(low(index), stack_bytes);
    return index;
  }
  void give_back(std::size_t index) { free_.push_back(index); }
  void take_back_all() {
    free_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) free_[i] = count_ - 1 - i;
  }
  // Frees all stacks, and returns what take_up() needs to have those in use again as they were.
  std::vector<std::size_t> put_aside() {
    std::vector<std::size_t> aside = free_;
    take_back_all();
    return aside;
  }
  void take_up(std::vector<std::size_t> put_aside) { free_ = std::move(put_aside); }
  // What a suspended thread has on its stack, from its stack pointer up; and the way back, to the same place.
  std::vector<unsigned char> content(std::size_t index, std::uintptr_t stack_pointer) const {
    forget_marks(stack_pointer, top(index) - stack_pointer);
    std::vector<unsigned char> bytes(top(index) - stack_pointer);
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(stack_pointer), bytes.size());
    return bytes;
  }
  void restore(std::size_t index, const std::vector<unsigned char>& content) {
    forget_marks(low(index), stack_bytes);
    std::memcpy(reinterpret_cast<void*>(top(index) - content.size()), content.data(), content.size());
  }

  std::uintptr_t low(std::size_t index) const { return base_ + index * pitch_ + guard_; }
  std::uintptr_t high(std::size_t index) const { return low(index) + stack_bytes; }
  // Where a thread begins on its stack. The offset differs between stacks: else all threads' frames would use the same cache
  // sets.
  std::uintptr_t top(std::size_t index) const { return high(index) - index % 16 * 128; }
  bool is_guard(std::uintptr_t address) const { return address - base_ < bytes_ && (address - base_) % pitch_ < guard_; }

 private:
  // Clears the address sanitizer's marks. A fiber that was never resumed did not clear the marks in its frames.
  static void forget_marks([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(reinterpret_cast<void*>(address), bytes);
#endif
  }
  // Linux 6.13 has guards that do not split the mapping, for a tenth of the cost. We check that one really works, because an
  // emulator may take the call for a hint and do nothing.
  void guard(std::size_t index) {
    constexpr int guard_install = 102, populate_read = 22;  // MADV_GUARD_INSTALL, MADV_POPULATE_READ: newer than C libraries
    void* page = reinterpret_cast<void*>(base_ + index * pitch_);
    if (guards_are_light_) {
      guards_are_light_ = madvise(page, guard_, guard_install) == 0 && (index != 0 || madvise(page, guard_, populate_read) != 0);
    }
    if (!guards_are_light_ && mprotect(page, guard_, PROT_NONE) != 0) throw std::bad_alloc();
  }

  std::size_t count_, guard_, pitch_, bytes_;
  std::uintptr_t base_ = 0;
  std::size_t guarded_ = 0;       // stacks with a guard page; it is made when a stack is first taken, because most launches need few
  bool guards_are_light_ = true;  // until Linux refuses them
  std::vector<std::size_t> free_;
};

}  // namespace tilelab::simt
