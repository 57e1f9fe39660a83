// The control path of one lane as one number: the calls that led to its position, and the iteration of every loop around it.
// Lanes of a warp with equal numbers at the same instruction execute it together, as hardware does where paths reconverge after a
// branch.
//
// It is not "the n-th visit by this lane": lanes that skip an iteration would then be matched with earlier iterations of others.
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
    key_ = 0;
  }

  std::uint64_t key() const { return key_; }

  // A basic block begins.
  void block(const LoopMap& map, std::uintptr_t pc) {
    if (!goes_on(map, pc)) turn(map, pc);
  }
  // The same where the lane stays in the same loops. False: it may have left them, and nothing has changed.
  [[gnu::always_inline]] bool goes_on(const LoopMap& map, std::uintptr_t pc) {
    Frame& frame = frames_.back();
    if (!frame.here.contains(pc) || !(pc > frame.last || begins_again(map, frame, pc))) return false;
    frame.last = pc;
    return true;
  }
  // The function that contains `pc` begins. It will return to `caller`.
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
    std::uint64_t base = 0;  // the number of the path that led into the function
    std::uint32_t function = LoopMap::none;
    std::uint32_t first_turn = 0;
    std::uintptr_t last = 0;  // the current block
    LoopMap::Stretch here;    // of the current block; where it is empty, the stretch is looked up
  };
  // The number of the path is kept for each loop, so that an iteration of an inner loop does not compute those of the outer ones again.
  struct Turn {
    std::uint32_t loop = 0;
    std::uint64_t key = 0;  // the path's number with the loop and its iteration
    std::uint64_t next() { return key += 0x9E3779B97F4A7C15u; }
  };

  // The next iteration of the innermost loop, where the lane has not left its stretch of code. False: it is not that.
  bool begins_again(const LoopMap& map, const Frame& frame, std::uintptr_t pc) {
    if (turns_.size() <= frame.first_turn) return false;
    Turn& again = turns_.back();
    const CodeLoop& loop = map.loop(again.loop);
    if (loop.first != pc || frame.last > loop.last) return false;
    key_ = again.next();
    return true;
  }
  void turn(const LoopMap& map, std::uintptr_t pc);
  void enter(std::uint32_t loop);
  // After the last of the running function's loops.
  std::uint64_t key_of(const Frame& frame) const { return turns_.size() > frame.first_turn ? turns_.back().key : frame.base; }

  std::vector<Frame> frames_;
  std::vector<Turn> turns_;  // of all frames; those of the running function are last
  std::uint64_t key_ = 0;
};

}  // namespace tilelab::simt
