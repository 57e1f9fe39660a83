// Distinguishes a thread that waits for another thread from one that works. A waiting thread polls one place with volatile or
// atomic accesses, finds the same bytes each time, and does nothing else that differs from one iteration to the next. It decides
// nothing: the machine lets other threads run, or ends the launch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "simt/memory/memory_map.hpp"

namespace tilelab::simt {

class SpinWatch {
  static constexpr std::uint32_t polls_of_a_wait = 64;

  struct Spin {
    std::uintptr_t address = 0;
    std::uint64_t content = 0, trail = 0, others = 0;
    std::uint32_t polls = 0, still = 0;
    std::uint8_t bytes = 0;
  };

 public:
  // What a block that waits for others has polled.
  class Block {
   public:
    // A place in global memory that one of its threads polls holds something else now.
    bool has_news(const MemoryMap& memory) const {
      return std::any_of(spins_.begin(), spins_.end(), [&memory](const Spin& spin) {
        return spin.polls >= polls_of_a_wait && !memory.in_shared_span(spin.address) &&
               content_of(spin.address, spin.bytes) != spin.content;
      });
    }

   private:
    friend class SpinWatch;
    std::vector<Spin> spins_;
  };

  Block put_aside() {
    Block block;
    block.spins_ = std::exchange(spins_, {});
    for (Spin& spin : block.spins_) {
      if (spin.polls >= polls_of_a_wait) spin.content = content_of(spin.address, spin.bytes);  // it may have polled long ago
    }
    forget_trail();
    return block;
  }
  void take_up(Block block) {
    spins_ = std::move(block.spins_);
    for (Spin& spin : spins_) spin.still = 0;
    forget_trail();
  }
  void begin_block(std::size_t threads) { spins_.assign(threads, Spin{}); }
  // Any access. The addresses used between two polls distinguish one iteration of the loop from another.
  void note(std::uintptr_t address) { trail_ = trail_ * 31 + address; }
  // The thread has passed a barrier or a warp operation, or another thread runs now.
  void forget_trail() { trail_ = 0; }
  void moved_on(std::uint32_t thread) {
    spins_[thread] = Spin{};
    forget_trail();
  }

  // A volatile or atomic access to readable memory. `progress` changes whenever any thread starts, waits or returns.
  void poll(std::uint32_t thread, std::uintptr_t address, std::size_t size, std::uint64_t progress) {
    Spin& spin = spins_[thread];
    const std::uint64_t content = content_of(address, size);
    if (spin.address != address) spin = Spin{.address = address};
    ++spin.polls;
    if (spin.content != content || spin.trail != trail_ || spin.polls == 1) ++stirs_;
    spin.content = content;
    spin.bytes = static_cast<std::uint8_t>(std::min(size, sizeof content));
    spin.trail = trail_;
    if (spin.others != progress + stirs_) {
      spin.others = progress + stirs_;
      spin.still = 0;
    }
    ++spin.still;
    trail_ = 0;
  }

  std::uintptr_t polled_by(std::uint32_t thread) const { return spins_[thread].address; }
  std::uint32_t polls(std::uint32_t thread) const { return spins_[thread].polls; }  // consecutive polls of one place
  std::uint32_t still(std::uint32_t thread) const { return spins_[thread].still; }  // those since any thread did anything new

 private:
  static std::uint64_t content_of(std::uintptr_t address, std::size_t bytes) {
    std::uint64_t content = 0;
    std::memcpy(&content, reinterpret_cast<const void*>(address), std::min(bytes, sizeof content));
    return content;
  }

  std::vector<Spin> spins_;
  std::uint64_t stirs_ = 0;  // polls of any thread that differed from its previous poll
  std::uint64_t trail_ = 0;
};

}  // namespace tilelab::simt
