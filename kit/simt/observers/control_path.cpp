// A lane is in a loop while its code address is inside the loop's code. An iteration begins with a jump back to its first block.
#include "simt/observers/control_path.hpp"

namespace tilelab::simt {

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
