// The loops of a program as ranges of code, and which of them lie around an instruction. Static: made once from what
// the builder found in the compiler's output; which lane is in which iteration is ControlPath's to know.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilelab::simt {

// Both are where basic blocks announce themselves: the first of the loop, and the last that jumps back to it.
struct CodeLoop {
  std::uintptr_t first = 0, last = 0;
};

// One function's code, [first, end).
struct CodeExtent {
  std::uintptr_t first = 0, end = 0;
};

class LoopMap {
 public:
  // A stretch of code whose every block lies in the same function and the same loops.
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
  // Indices of the loops around a stretch, outermost first.
  std::span<const std::uint32_t> around(const Stretch& stretch) const { return {chains_.data() + stretch.around, stretch.depth}; }
  const CodeLoop& loop(std::uint32_t index) const { return loops_[index]; }

 private:
  std::vector<CodeLoop> loops_;  // outer before inner
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> chains_;
};

}  // namespace tilelab::simt
