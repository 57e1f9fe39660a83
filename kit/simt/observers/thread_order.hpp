// The happens-before order that phase barriers (cuda::barrier) make between threads of one block in a barrier interval, together with
// __syncwarp(), fences and atomic accesses. It is used only in blocks that have such a barrier or use cuda::atomic.
//
// Theory of operation. Each thread is in a state. A state has a segment, which counts how often its threads have released
// something, and knowledge: for each thread of the block, how many of its segments have happened before, and for each barrier, how
// many of its phases have ended. So an access by thread t in a state happens before one in another state if the other's knowledge of t
// is above the first one's segment. Threads that did the same are in the same state, so that their accesses can be kept together. An
// arrival adds the thread's segments so far to what the phase gathers; whoever waits for the phase learns it. What goes beyond a
// limit counts as ordered, so that nobody is accused wrongly.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/event.hpp"

namespace tilelab::simt {

class ThreadOrder {
 public:
  using Segments = std::shared_ptr<const std::vector<std::uint32_t>>;  // for each thread of the block, the number known

  void begin_launch(std::uint32_t threads) { threads_ = threads; }
  void begin_block();
  void begin_interval();
  void use();
  bool in_use() const { return in_use_; }

  std::uint32_t state(std::uint32_t thread) const { return in_use_ ? of_thread_[thread] : 0; }
  std::uint32_t segment(std::uint32_t state) const { return in_use_ ? states_[state].segment : 0; }
  void arrive(std::uint32_t thread, const Phase& phase);
  void await(std::uint32_t thread, const Phase& phase);
  void warp_sync(std::uint32_t warp, std::uint32_t mask);
  void fence(std::uint32_t thread);
  // An atomic, volatile or cuda::atomic access.
  void synchronize(const Access& access);

  // Whether a thread in this state knows that another thread's access in the `earlier` state has happened.
  bool knows(std::uint32_t state, std::uint32_t other, std::uint32_t earlier) const {
    return overfull_ || seen(states_[state].knowledge, other) > states_[earlier].segment;
  }
  bool knows(std::uint32_t state, const Phase& ended) const {
    return overfull_ || phases_of(states_[state].knowledge, ended.barrier) > ended.number;
  }
  // The same for a state that the thread is in, also in intervals before this one.
  bool has_awaited(std::uint32_t thread, const Phase& phase) const {
    return in_use_ && (knows(of_thread_[thread], phase) || awaited_before(phase));
  }
  // Some thread of the block has waited for it before the last barrier, so all know.
  bool awaited_before(const Phase& phase) const { return phase.barrier < earlier_.size() && earlier_[phase.barrier] > phase.number; }
  Segments known_segments(std::uint32_t thread) const;

 private:
  struct Knowledge {
    std::shared_ptr<std::vector<std::uint32_t>> segments;  // none: nothing
    std::vector<std::uint32_t> phases;                     // for each barrier, the number of phases that have ended
  };
  struct State {
    std::uint32_t segment = 0, knowledge = 0;
  };
  struct Gathering {
    Phase phase;
    std::vector<std::uint32_t> states;  // whose knowledge it holds
    Knowledge knowledge;
    std::uint32_t frozen = 0;  // as an index; 0: not yet
  };
  struct Barrier {
    Gathering now, before;
  };
  struct Fenced {
    std::uint32_t knowledge = 0;         // of its last fence; 0: none
    std::vector<std::uint32_t> pending;  // read from places, and not yet known
  };

  std::uint32_t seen(std::uint32_t knowledge, std::uint32_t thread) const {
    const auto& segments = all_[knowledge].segments;
    return segments != nullptr ? (*segments)[thread] : 0;
  }
  std::uint32_t phases_of(std::uint32_t knowledge, std::uint32_t barrier) const {
    const auto& phases = all_[knowledge].phases;
    return barrier < phases.size() ? phases[barrier] : 0;
  }
  void add(Knowledge& to, const Knowledge& more) const;
  void add_own(Knowledge& to, std::uint32_t thread, std::uint32_t segments) const;
  bool holds(const Knowledge& one, const Knowledge& other) const;
  std::uint32_t keep(Knowledge knowledge);
  std::uint32_t make_state(std::uint32_t segment, std::uint32_t knowledge);
  std::uint32_t with(std::uint32_t knowledge, std::uint32_t more);
  void learn(std::uint32_t thread, std::uint32_t knowledge);
  void advance(std::uint32_t thread);
  void freeze(Gathering& gathering);

  static constexpr std::size_t most_kept = 1u << 24;  // numbers in all knowledge of an interval

  bool in_use_ = false, overfull_ = false;
  std::uint32_t threads_ = 0;
  std::size_t kept_ = 0;
  std::vector<std::uint32_t> of_thread_;
  std::vector<State> states_;
  std::vector<Knowledge> all_;
  std::unordered_map<std::uint64_t, std::uint32_t> state_of_;  // by segment and knowledge
  std::unordered_map<std::uint64_t, std::uint32_t> joined_;    // by two pieces of knowledge
  std::unordered_map<std::uint32_t, Barrier> barriers_;
  std::vector<Fenced> fenced_;
  std::unordered_map<std::uintptr_t, std::uint32_t> at_;  // what was released to a place
  std::vector<std::uint32_t> earlier_, awaited_;          // for each barrier, phases that some thread waited for
};

}  // namespace tilelab::simt
