#include "executor/observers/control_path.hpp"

#include <algorithm>
#include <limits>

namespace tilelab::simt {

// Splits the code at every boundary of a function or a loop. Between two boundaries nothing changes.
LoopMap::LoopMap(std::vector<CodeLoop> loops, const std::vector<CodeExtent>& functions) : loops_(std::move(loops)) {
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

const LoopMap::Stretch& LoopMap::at(std::uintptr_t pc) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), pc, [](std::uintptr_t at, const Stretch& one) { return at < one.first; });
  return *std::prev(after);
}

void ControlPath::called(const LoopMap& map, std::uintptr_t pc, std::uintptr_t caller) {
  Frame frame;
  frame.base = mix(key_, caller);
  frame.function = map.at(pc).function;
  frame.first_turn = static_cast<std::uint32_t>(turns_.size());
  frames_.push_back(frame);
  key_ = frame.base;
}

void ControlPath::returned() {
  if (frames_.size() == 1) return;
  turns_.resize(frames_.back().first_turn);
  frames_.pop_back();
  key_ = key_of(frames_.back());
}

// A lane is in a loop while its code address is inside the loop's code. An iteration begins with a jump back to its first block.
void ControlPath::turn(const LoopMap& map, std::uintptr_t pc) {
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

void ControlPath::enter(std::uint32_t loop) { turns_.push_back({loop, mix(mix(key_of(frames_.back()), loop), 0)}); }

}  // namespace tilelab::simt
