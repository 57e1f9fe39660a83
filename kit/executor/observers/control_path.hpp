// Which lanes of a warp execute an instruction together: those that are on the same control path.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilelab::simt {

// Both are addresses of coverage callbacks: `first` in the loop's first basic block, `last` in the last that jumps back to it.
struct CodeLoop {
  std::uintptr_t first = 0, last = 0;
};

// One function's code, [first, end).
struct CodeExtent {
  std::uintptr_t first = 0, end = 0;
};

// The loops of a program as ranges of code, and which of them contain an instruction. Static: made once from what the builder
// found in the compiler's output. ControlPath knows which lane is in which iteration.
class LoopMap {
 public:
  // A range of code in which every block lies in the same function and the same loops.
  struct Stretch {
    std::uintptr_t first = 0, end = 0;
    std::uint32_t function = none;  // index; none: outside every function
    std::uint32_t around = 0, depth = 0;
    bool contains(std::uintptr_t pc) const { return pc - first < end - first; }
  };
  static constexpr std::uint32_t none = ~0u;

  LoopMap() : LoopMap({}, {}) {}
  LoopMap(std::vector<CodeLoop> loops, const std::vector<CodeExtent>& functions);

  const Stretch& at(std::uintptr_t pc) const;
  // Indices of the loops that contain a stretch, outermost first.
  std::span<const std::uint32_t> around(const Stretch& stretch) const { return {chains_.data() + stretch.around, stretch.depth}; }
  const CodeLoop& loop(std::uint32_t index) const { return loops_[index]; }

 private:
  std::vector<CodeLoop> loops_;  // outer loops before inner ones
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> chains_;
};

// The control path of one lane as one number: the calls that led to its position, and the iteration of every loop around it.
// Lanes of a warp with equal numbers at the same instruction execute it together, as hardware does where paths reconverge after a
// branch.
//
// It is not "the n-th visit by this lane": lanes that skip an iteration would then be matched with earlier iterations of others.
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
