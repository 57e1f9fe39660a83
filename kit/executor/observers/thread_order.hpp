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

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

class ThreadOrder {
 public:
  using Segments = std::shared_ptr<const std::vector<std::uint32_t>>;  // for each thread of the block, the number known

  void begin_launch(std::uint32_t threads) { threads_ = threads; }
  void begin_block() {
    in_use_ = false;
    barriers_.clear();
    earlier_.clear();
    awaited_.clear();
  }
  void begin_interval() {
    if (!in_use_) return;
    for (std::size_t barrier = 0; barrier < awaited_.size(); ++barrier) raise(earlier_, barrier, awaited_[barrier]);
    of_thread_.assign(threads_, 0);
    states_.assign(1, State{});
    all_.assign(1, Knowledge{});
    state_of_.clear();
    joined_.clear();
    fenced_.assign(threads_, Fenced{});
    at_.clear();
    state_of_[pair_of(0, 0)] = 0;
    for (auto& [number, barrier] : barriers_) {
      for (Gathering* gathering : {&barrier.now, &barrier.before})
        *gathering = Gathering{.phase = gathering->phase, .states = {}, .knowledge = {}};
    }
    kept_ = 0;
    overfull_ = false;
  }
  void use() {
    if (in_use_) return;
    in_use_ = true;
    begin_interval();
  }
  bool in_use() const { return in_use_; }

  std::uint32_t state(std::uint32_t thread) const { return in_use_ ? of_thread_[thread] : 0; }
  std::uint32_t segment(std::uint32_t state) const { return in_use_ ? states_[state].segment : 0; }
  void arrive(std::uint32_t thread, const Phase& phase) {
    if (!in_use_ || overfull_) return;
    Barrier& barrier = barriers_[phase.barrier];
    if (barrier.now.phase != phase) {
      barrier.before = std::exchange(barrier.now, Gathering{.phase = phase, .states = {}, .knowledge = {}});
    }
    Gathering& gathering = barrier.now;
    if (gathering.frozen != 0) {  // the thread that came last has run the completion function
      gathering.frozen = 0;
      gathering.knowledge.segments = std::make_shared<std::vector<std::uint32_t>>(*gathering.knowledge.segments);
    }
    const std::uint32_t state = of_thread_[thread];
    if (std::find(gathering.states.begin(), gathering.states.end(), state) == gathering.states.end()) {
      gathering.states.push_back(state);
      add(gathering.knowledge, all_[states_[state].knowledge]);
    }
    add_own(gathering.knowledge, thread, states_[state].segment + 1);
    advance(thread);
  }
  void await(std::uint32_t thread, const Phase& phase) {
    if (!in_use_ || overfull_) return;
    raise(awaited_, phase.barrier, phase.number + 1);
    Barrier& barrier = barriers_[phase.barrier];
    if (barrier.now.phase != phase && barrier.before.phase != phase) {
      barrier.before = Gathering{.phase = phase, .states = {}, .knowledge = {}};  // its arrivals came before this interval
    }
    Gathering& gathering = barrier.now.phase == phase ? barrier.now : barrier.before;
    freeze(gathering);
    learn(thread, gathering.frozen);
  }
  void warp_sync(std::uint32_t warp, std::uint32_t mask) {
    if (!in_use_ || overfull_) return;
    Knowledge joined;
    std::vector<std::uint32_t> added;
    const auto each_lane = [&](auto use) {
      for (std::uint32_t lane = 0; lane < 32 && warp * 32 + lane < threads_; ++lane) {
        if ((mask >> lane & 1u) != 0) use(warp * 32 + lane);
      }
    };
    each_lane([&](std::uint32_t thread) {
      const State& state = states_[of_thread_[thread]];
      if (std::find(added.begin(), added.end(), state.knowledge) == added.end()) {
        added.push_back(state.knowledge);
        add(joined, all_[state.knowledge]);
      }
      add_own(joined, thread, state.segment + 1);
      for (const std::uint32_t more : fenced_[thread].pending) add(joined, all_[more]);
      fenced_[thread].pending.clear();
    });
    const std::uint32_t kept = keep(std::move(joined));
    each_lane([&](std::uint32_t thread) {
      advance(thread);
      learn(thread, kept);
    });
  }
  void fence(std::uint32_t thread) {
    if (!in_use_ || overfull_) return;
    Fenced& fenced = fenced_[thread];
    for (const std::uint32_t more : std::exchange(fenced.pending, {})) learn(thread, more);
    const State& state = states_[of_thread_[thread]];
    Knowledge own;
    add(own, all_[state.knowledge]);
    add_own(own, thread, state.segment + 1);
    fenced.knowledge = keep(std::move(own));
    advance(thread);
  }
  // An atomic, volatile or cuda::atomic access.
  void synchronize(const Access& access) {
    if (!in_use_ || overfull_) return;
    Fenced& fenced = fenced_[access.by.thread];
    const auto found = at_.find(access.address);
    if (access.kind != AccessKind::write && found != at_.end() && (fenced.pending.empty() || fenced.pending.back() != found->second)) {
      fenced.pending.push_back(found->second);
    }
    if (access.kind == AccessKind::read) return;
    if (fenced.knowledge == 0) {
      if (access.kind == AccessKind::write && found != at_.end()) at_.erase(found);
      return;
    }
    const bool continues = access.kind == AccessKind::atomic && found != at_.end();
    at_[access.address] = continues ? with(found->second, fenced.knowledge) : fenced.knowledge;
  }

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
  Segments known_segments(std::uint32_t thread) const { return in_use_ ? all_[states_[of_thread_[thread]].knowledge].segments : nullptr; }

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

  static std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }
  static void raise(std::vector<std::uint32_t>& numbers, std::size_t index, std::uint32_t number) {
    if (numbers.size() <= index) numbers.resize(index + 1);
    numbers[index] = std::max(numbers[index], number);
  }
  std::uint32_t seen(std::uint32_t knowledge, std::uint32_t thread) const {
    const auto& segments = all_[knowledge].segments;
    return segments != nullptr ? (*segments)[thread] : 0;
  }
  std::uint32_t phases_of(std::uint32_t knowledge, std::uint32_t barrier) const {
    const auto& phases = all_[knowledge].phases;
    return barrier < phases.size() ? phases[barrier] : 0;
  }
  void add(Knowledge& to, const Knowledge& more) const {
    if (more.segments != nullptr) {
      if (to.segments == nullptr) to.segments = std::make_shared<std::vector<std::uint32_t>>(threads_);
      std::uint32_t* into = to.segments->data();
      const std::uint32_t* from = more.segments->data();
      for (std::size_t i = 0; i < threads_; ++i) into[i] = std::max(into[i], from[i]);
    }
    for (std::size_t i = 0; i < more.phases.size(); ++i) raise(to.phases, i, more.phases[i]);
  }
  void add_own(Knowledge& to, std::uint32_t thread, std::uint32_t segments) const {
    if (to.segments == nullptr) to.segments = std::make_shared<std::vector<std::uint32_t>>(threads_);
    (*to.segments)[thread] = std::max((*to.segments)[thread], segments);
  }
  bool holds(const Knowledge& one, const Knowledge& other) const {
    for (std::size_t i = 0; i < other.phases.size(); ++i) {
      if (other.phases[i] > (i < one.phases.size() ? one.phases[i] : 0)) return false;
    }
    if (other.segments == nullptr || other.segments == one.segments) return true;
    if (one.segments == nullptr) return false;
    return std::equal(one.segments->begin(), one.segments->end(), other.segments->begin(), [](auto mine, auto its) { return mine >= its; });
  }
  std::uint32_t keep(Knowledge knowledge) {
    kept_ += threads_ + knowledge.phases.size() + 64;
    if (kept_ > most_kept) overfull_ = true;
    if (overfull_) return 0;
    all_.push_back(std::move(knowledge));
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  std::uint32_t make_state(std::uint32_t segment, std::uint32_t knowledge) {
    const auto [found, fresh] = state_of_.try_emplace(pair_of(segment, knowledge), static_cast<std::uint32_t>(states_.size()));
    if (fresh) states_.push_back({segment, knowledge});
    return found->second;
  }
  // If one holds the other, it is the result itself: so threads that know the same come to the same state.
  std::uint32_t with(std::uint32_t knowledge, std::uint32_t more) {
    if (knowledge == more || more == 0) return knowledge;
    if (knowledge == 0) return more;
    if (const auto found = joined_.find(pair_of(knowledge, more)); found != joined_.end()) return found->second;
    std::uint32_t result = more;
    if (holds(all_[knowledge], all_[more])) {
      result = knowledge;
    } else if (!holds(all_[more], all_[knowledge])) {
      Knowledge both;
      add(both, all_[knowledge]);
      add(both, all_[more]);
      result = keep(std::move(both));
    }
    joined_[pair_of(knowledge, more)] = result;
    return result;
  }
  void learn(std::uint32_t thread, std::uint32_t knowledge) {
    const State& state = states_[of_thread_[thread]];
    of_thread_[thread] = make_state(state.segment, with(state.knowledge, knowledge));
  }
  void advance(std::uint32_t thread) {
    const State& state = states_[of_thread_[thread]];
    of_thread_[thread] = make_state(state.segment + 1, state.knowledge);
  }
  void freeze(Gathering& gathering) {
    if (gathering.frozen != 0) return;
    raise(gathering.knowledge.phases, gathering.phase.barrier, gathering.phase.number + 1);
    gathering.frozen = keep(gathering.knowledge);
  }

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
