// The asynchronous copies of a block that nothing has waited for yet, by thread, and the words of shared memory that they may still
// write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

class CopiesInFlight {
 public:
  bool none() const { return count_ == 0; }
  void begin_block() {
    for (const std::uint32_t thread : used_) threads_[thread] = {};
    used_.clear();
    std::fill(words_.begin(), words_.end(), std::uint16_t{0});
    count_ = 0;
  }
  void begin(const CopyEvent& copy) {
    const std::uint32_t by = copy.destination.by.thread;
    if (by >= threads_.size()) threads_.resize(by + 1);
    if (threads_[by].flights.empty()) used_.push_back(by);
    threads_[by].flights.push_back({copy, no_group});
    ++count_;
    each_word(copy, [](std::uint16_t& flights) { ++flights; });
  }
  void commit(const ThreadRef& by) {
    if (by.thread >= threads_.size()) threads_.resize(by.thread + 1);
    Thread& thread = threads_[by.thread];
    for (Flight& flight : thread.flights) {
      if (flight.group == no_group && flight.copy.destination.completed_by.barrier == 0) flight.group = thread.groups;
    }
    ++thread.groups;
    if (std::find(used_.begin(), used_.end(), by.thread) == used_.end()) used_.push_back(by.thread);
  }
  void await(const ThreadRef& by, std::uint32_t latest) {
    if (by.thread >= threads_.size()) return;
    const std::uint64_t groups = threads_[by.thread].groups;
    drop_if(by.thread, [&](const Flight& flight) { return flight.group != no_group && flight.group + latest < groups; });
  }
  // Those that a phase completes which has ended.
  template <typename Ended>
  void drop(Ended has_ended) {
    for (const std::uint32_t by : used_) {
      drop_if(by, [&](const Flight& flight) {
        const Phase& phase = flight.copy.destination.completed_by;
        return phase.barrier != 0 && has_ended(phase);
      });
    }
  }
  // A copy of the accessing thread itself that this access disturbs, or null: it uses what the copy may still write, or it writes
  // what the copy may still read.
  // `has_ended`: whether the thread has waited for a phase.
  template <typename Ended>
  const CopyEvent* disturbed_by(const Access& access, Ended has_ended) const {
    if (access.by.thread >= threads_.size()) return nullptr;
    for (const Flight& flight : threads_[access.by.thread].flights) {
      const Phase& phase = flight.copy.destination.completed_by;
      if (phase.barrier != 0 && has_ended(phase)) continue;
      if (overlap(flight.copy.destination, access)) return &flight.copy;
      if (access.kind != AccessKind::read && flight.copy.source.region != nullptr && overlap(flight.copy.source, access))
        return &flight.copy;
    }
    return nullptr;
  }
  const CopyEvent* disturbed_by(const Access& access) const {
    return disturbed_by(access, [](const Phase&) { return false; });
  }
  bool covers_word(std::size_t word) const { return word < words_.size() && words_[word] != 0; }
  // The copies of the threads for which `chosen` is true.
  template <typename Chosen, typename Use>
  void each(Chosen chosen, Use use) const {
    for (const std::uint32_t thread : used_) {
      if (!chosen(thread)) continue;
      for (const Flight& flight : threads_[thread].flights) use(flight.copy);
    }
  }

 private:
  static constexpr std::uint64_t no_group = ~std::uint64_t{0};
  struct Flight {
    CopyEvent copy;
    std::uint64_t group = no_group;
  };
  struct Thread {
    std::vector<Flight> flights;
    std::uint64_t groups = 0;
  };

  static bool overlap(const Access& one, const Access& other) {
    return one.address < other.address + other.size && other.address < one.address + one.size;
  }
  template <typename Done>
  void drop_if(std::uint32_t thread, Done is_done) {
    std::erase_if(threads_[thread].flights, [&](const Flight& flight) {
      if (!is_done(flight)) return false;
      --count_;
      each_word(flight.copy, [](std::uint16_t& flights) { --flights; });
      return true;
    });
  }
  template <typename Change>
  void each_word(const CopyEvent& copy, Change change) {
    if (copy.destination.space != Space::shared) return;
    const std::uint64_t first = copy.destination.offset / 4, end = (copy.destination.offset + copy.destination.size + 3) / 4;
    if (words_.size() < end) words_.resize(end);
    for (std::uint64_t word = first; word < end; ++word) change(words_[word]);
  }

  std::vector<Thread> threads_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint16_t> words_;
  std::size_t count_ = 0;
};

}  // namespace tilelab::simt
