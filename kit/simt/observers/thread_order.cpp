// States and knowledge of a block's threads.
#include "simt/observers/thread_order.hpp"

#include <algorithm>
#include <utility>

namespace tilelab::simt {
namespace {

std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }

void raise(std::vector<std::uint32_t>& numbers, std::size_t index, std::uint32_t number) {
  if (numbers.size() <= index) numbers.resize(index + 1);
  numbers[index] = std::max(numbers[index], number);
}

}  // namespace

void ThreadOrder::begin_block() {
  in_use_ = false;
  barriers_.clear();
  earlier_.clear();
  awaited_.clear();
}

void ThreadOrder::use() {
  if (in_use_) return;
  in_use_ = true;
  begin_interval();
}

void ThreadOrder::begin_interval() {
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

void ThreadOrder::add(Knowledge& to, const Knowledge& more) const {
  if (more.segments != nullptr) {
    if (to.segments == nullptr) to.segments = std::make_shared<std::vector<std::uint32_t>>(threads_);
    std::uint32_t* into = to.segments->data();
    const std::uint32_t* from = more.segments->data();
    for (std::size_t i = 0; i < threads_; ++i) into[i] = std::max(into[i], from[i]);
  }
  for (std::size_t i = 0; i < more.phases.size(); ++i) raise(to.phases, i, more.phases[i]);
}

void ThreadOrder::add_own(Knowledge& to, std::uint32_t thread, std::uint32_t segments) const {
  if (to.segments == nullptr) to.segments = std::make_shared<std::vector<std::uint32_t>>(threads_);
  (*to.segments)[thread] = std::max((*to.segments)[thread], segments);
}

bool ThreadOrder::holds(const Knowledge& one, const Knowledge& other) const {
  for (std::size_t i = 0; i < other.phases.size(); ++i) {
    if (other.phases[i] > (i < one.phases.size() ? one.phases[i] : 0)) return false;
  }
  if (other.segments == nullptr || other.segments == one.segments) return true;
  if (one.segments == nullptr) return false;
  return std::equal(one.segments->begin(), one.segments->end(), other.segments->begin(), [](auto mine, auto its) { return mine >= its; });
}

std::uint32_t ThreadOrder::keep(Knowledge knowledge) {
  kept_ += threads_ + knowledge.phases.size() + 64;
  if (kept_ > most_kept) overfull_ = true;
  if (overfull_) return 0;
  all_.push_back(std::move(knowledge));
  return static_cast<std::uint32_t>(all_.size() - 1);
}

std::uint32_t ThreadOrder::make_state(std::uint32_t segment, std::uint32_t knowledge) {
  const auto [found, fresh] = state_of_.try_emplace(pair_of(segment, knowledge), static_cast<std::uint32_t>(states_.size()));
  if (fresh) states_.push_back({segment, knowledge});
  return found->second;
}

// If one holds the other, it is the result itself: so threads that know the same come to the same state.
std::uint32_t ThreadOrder::with(std::uint32_t knowledge, std::uint32_t more) {
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

void ThreadOrder::learn(std::uint32_t thread, std::uint32_t knowledge) {
  const State& state = states_[of_thread_[thread]];
  of_thread_[thread] = make_state(state.segment, with(state.knowledge, knowledge));
}

void ThreadOrder::advance(std::uint32_t thread) {
  const State& state = states_[of_thread_[thread]];
  of_thread_[thread] = make_state(state.segment + 1, state.knowledge);
}

void ThreadOrder::arrive(std::uint32_t thread, const Phase& phase) {
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

void ThreadOrder::freeze(Gathering& gathering) {
  if (gathering.frozen != 0) return;
  raise(gathering.knowledge.phases, gathering.phase.barrier, gathering.phase.number + 1);
  gathering.frozen = keep(gathering.knowledge);
}

void ThreadOrder::await(std::uint32_t thread, const Phase& phase) {
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

void ThreadOrder::warp_sync(std::uint32_t warp, std::uint32_t mask) {
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

void ThreadOrder::fence(std::uint32_t thread) {
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

void ThreadOrder::synchronize(const Access& access) {
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

ThreadOrder::Segments ThreadOrder::known_segments(std::uint32_t thread) const {
  return in_use_ ? all_[states_[of_thread_[thread]].knowledge].segments : nullptr;
}

}  // namespace tilelab::simt
