// Which lanes of a warp execute an instruction together: those that are on the same control path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
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
  // Splits the code at every boundary of a function or a loop. Between two boundaries nothing changes.
  LoopMap(std::vector<CodeLoop> loops, const std::vector<CodeExtent>& functions) : loops_(std::move(loops)) {
    std::sort(loops_.begin(), loops_.end(),
              [](const CodeLoop& a, const CodeLoop& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
    std::vector<std::uintptr_t> cuts{0, std::numeric_limits<std::uintptr_t>::max()};
    for (const CodeLoop& loop : loops_) cuts.insert(cuts.end(), {loop.first, loop.last + 1});
    for (const CodeExtent& function : functions) cuts.insert(cuts.end(), {function.first, function.end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      Stretch stretch{cuts[i], cuts[i + 1], none, static_cast<std::uint32_t>(chains_.size()), 0};
      for (std::size_t k = 0; k < functions.size(); ++k) {
        if (stretch.first >= functions[k].first && stretch.first < functions[k].end) stretch.function = static_cast<std::uint32_t>(k);
      }
      for (std::size_t k = 0; k < loops_.size(); ++k) {
        if (stretch.first >= loops_[k].first && stretch.first <= loops_[k].last) chains_.push_back(static_cast<std::uint32_t>(k));
      }
      stretch.depth = static_cast<std::uint32_t>(chains_.size()) - stretch.around;
      stretches_.push_back(stretch);
    }
  }

  const Stretch& at(std::uintptr_t pc) const {
    const auto after =
        std::upper_bound(stretches_.begin(), stretches_.end(), pc, [](std::uintptr_t at, const Stretch& one) { return at < one.first; });
    return *std::prev(after);
  }
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
  void called(const LoopMap& map, std::uintptr_t pc, std::uintptr_t caller) {
    Frame frame;
    frame.base = mix(key_, caller);
    frame.function = map.at(pc).function;
    frame.first_turn = static_cast<std::uint32_t>(turns_.size());
    frames_.push_back(frame);
    key_ = frame.base;
  }
  void returned() {
    if (frames_.size() == 1) return;
    turns_.resize(frames_.back().first_turn);
    frames_.pop_back();
    key_ = key_of(frames_.back());
  }

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
  // A lane is in a loop while its code address is inside the loop's code. An iteration begins with a jump back to its first block.
  void turn(const LoopMap& map, std::uintptr_t pc) {
    Frame& frame = frames_.back();
    const LoopMap::Stretch& stretch = map.at(pc);
    // A function without accesses and calls does not announce its beginning. Its blocks belong to no function.
    if (stretch.function != frame.function) return;
    const auto around = map.around(stretch);
    std::size_t kept = 0;
    while (frame.first_turn + kept < turns_.size() && kept < around.size() && turns_[frame.first_turn + kept].loop == around[kept]) ++kept;
    turns_.resize(frame.first_turn + kept);
    if (pc <= frame.last) {
      for (std::size_t k = kept; k-- > 0;) {
        const CodeLoop& loop = map.loop(around[k]);
        if (loop.first != pc || frame.last > loop.last) continue;
        turns_.resize(frame.first_turn + k + 1);
        turns_.back().next();
        break;
      }
    }
    for (std::size_t k = turns_.size() - frame.first_turn; k < around.size(); ++k) enter(around[k]);
    frame.last = pc;
    frame.here = stretch;
    key_ = key_of(frame);
  }
  void enter(std::uint32_t loop) { turns_.push_back({loop, mix(mix(key_of(frames_.back()), loop), 0)}); }
  // After the last of the running function's loops.
  std::uint64_t key_of(const Frame& frame) const { return turns_.size() > frame.first_turn ? turns_.back().key : frame.base; }

  std::vector<Frame> frames_;
  std::vector<Turn> turns_;  // of all frames; those of the running function are last
  std::uint64_t key_ = 0;
};

}  // namespace tilelab::simt
