// Where one lane is: the calls that led here and the iteration of every loop around it, as one number. Lanes of a warp
// with equal numbers at the same instruction run it together, as hardware does where paths meet again after a branch.
//
// Not "the n-th visit by this lane": lanes that skip an iteration would then be matched with others' earlier ones.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/observers/loop_map.hpp"

namespace tilelab::simt {

class ControlPath {
 public:
  void restart() {
    frames_.assign(1, {});
    turns_.clear();
    here_ = {};
    key_ = 0;
  }

  std::uint64_t key() const { return key_; }

  // A basic block begins.
  void block(const LoopMap& map, std::uintptr_t pc) {
    Frame& frame = frames_.back();
    if (here_.contains(pc) && pc > frame.last)
      frame.last = pc;
    else
      turn(map, pc);
  }
  // The function that holds `pc` begins; `caller` is where it returns to.
  void called(const LoopMap& map, std::uintptr_t pc, std::uintptr_t caller);
  void returned();

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {  // splitmix64's finalizer
    hash = (hash ^ value) + 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
  }

 private:
  struct Frame {
    std::uint64_t base = 0;  // of the path that led into the function
    std::uint32_t function = LoopMap::none;
    std::uint32_t first_turn = 0;
    std::uintptr_t last = 0;  // the block it is in
  };
  struct Turn {
    std::uint32_t loop = 0;
    std::uint64_t count = 0;
  };

  void turn(const LoopMap& map, std::uintptr_t pc);
  void rekey();

  std::vector<Frame> frames_;
  std::vector<Turn> turns_;  // of all frames, the running function's last
  LoopMap::Stretch here_;
  std::uint64_t key_ = 0;
};

}  // namespace tilelab::simt
