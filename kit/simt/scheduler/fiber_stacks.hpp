// Stacks for a block's threads, in one contiguous mapping, with a guard page below each stack. So "is this address on a stack" is
// one comparison. Memory is committed only when used. The stacks are made once, and every block reuses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilelab::simt {

class FiberStacks {
 public:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  // Room for `count` stacks. Throws std::bad_alloc.
  explicit FiberStacks(std::size_t count);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  std::size_t take();  // the lowest free index, so threads that never wait all use the same cached stack; throws std::bad_alloc
  void give_back(std::size_t index) { free_.push_back(index); }
  void take_back_all();
  // Frees all stacks, and returns what take_up() needs to have those in use again as they were.
  std::vector<std::size_t> put_aside();
  void take_up(std::vector<std::size_t> put_aside) { free_ = std::move(put_aside); }
  // What a suspended thread has on its stack, from its stack pointer up; and the way back, to the same place.
  std::vector<unsigned char> content(std::size_t index, std::uintptr_t stack_pointer) const;
  void restore(std::size_t index, const std::vector<unsigned char>& content);

  std::uintptr_t low(std::size_t index) const { return base_ + index * pitch_ + guard_; }
  std::uintptr_t high(std::size_t index) const { return low(index) + stack_bytes; }
  // Where a thread begins on its stack. The offset differs between stacks: else all threads' frames would use the same cache
  // sets.
  std::uintptr_t top(std::size_t index) const { return high(index) - index % 16 * 128; }
  bool is_guard(std::uintptr_t address) const { return address - base_ < bytes_ && (address - base_) % pitch_ < guard_; }

 private:
  void guard(std::size_t index);

  std::size_t count_, guard_, pitch_, bytes_;
  std::uintptr_t base_ = 0;
  std::size_t guarded_ = 0;       // stacks with a guard page; it is made when a stack is first taken, because most launches need few
  bool guards_are_light_ = true;  // until Linux refuses them
  std::vector<std::size_t> free_;
};

}  // namespace tilelab::simt
