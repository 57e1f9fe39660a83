// The loops of a program as ranges of code, and which of them contain an instruction. Static: made once from what the builder
// found in the compiler's output. ControlPath knows which lane is in which iteration.
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

}  // namespace tilelab::simt
