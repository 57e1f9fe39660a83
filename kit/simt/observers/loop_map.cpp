// Splits the code at every boundary of a function or a loop. Between two boundaries nothing changes.
#include "simt/observers/loop_map.hpp"

#include <algorithm>
#include <limits>

namespace tilelab::simt {

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

}  // namespace tilelab::simt
