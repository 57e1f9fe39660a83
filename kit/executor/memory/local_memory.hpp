// What threads load and store in local arrays that no GPU keeps in registers: it puts them into local memory, which lies where
// global memory lies. The builder says which those are (FrameGuards). Where it knows no frames, as on 64-bit ARM, locals count that spread
// over more than four times the 255 registers of a thread: generously, as frames here also hold what a GPU would not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilelab::simt {

class LocalMemory {
 private:
  struct Thread;

 public:
  using Block = std::vector<Thread>;  // of a block that waits for others
  static constexpr std::size_t register_bytes = std::size_t{4} * 255 * 4;

  void begin_block(std::size_t threads) {
    settle();
    threads_.assign(threads, {});
  }
  void note(std::uint32_t thread, std::uintptr_t address, std::size_t size, bool is_read, bool in_memory) {
    Thread& one = threads_[thread];
    one.in_memory |= in_memory;
    if (address < one.low) [[unlikely]]
      one.low = address;
    if (address + size > one.high) [[unlikely]]
      one.high = address + size;
    (is_read ? one.loaded : one.stored) += size;
  }
  Block put_aside() { return std::exchange(threads_, {}); }
  void take_up(Block block) {
    settle();
    threads_ = std::move(block);
  }
  // What this thread of the running block has loaded and stored so far that counts.
  std::uint64_t counted_bytes(std::uint32_t thread) const {
    const Thread& one = threads_[thread];
    return one.counts() ? one.loaded + one.stored : 0;
  }
  void end_launch() {
    settle();
    threads_.clear();
  }

  std::uint64_t loaded_bytes() const { return loaded_; }
  std::uint64_t stored_bytes() const { return stored_; }

 private:
  struct Thread {
    std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
    std::uint64_t loaded = 0, stored = 0;
    bool in_memory = false;
    bool counts() const { return in_memory || (high >= low && high - low > register_bytes); }
  };

  void settle() {
    for (const Thread& one : threads_) {
      if (!one.counts()) continue;
      loaded_ += one.loaded;
      stored_ += one.stored;
    }
  }

  std::vector<Thread> threads_;
  std::uint64_t loaded_ = 0, stored_ = 0;
};

}  // namespace tilelab::simt
