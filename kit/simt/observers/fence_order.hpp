// The happens-before order that __threadfence() makes together with atomics or volatile accesses: between threads of different
// blocks, and of one block between barriers.
//
// Theory of operation. A thread releases: after a fence it writes to a place by an atomic or volatile access. The fence may be
// its own, or that of a thread that a barrier has joined it with. Another thread acquires: it reads that place by an atomic or
// volatile access and passes a fence or a barrier. From then on it knows what the releasing thread knew at its fence: every
// earlier interval of that block, the thread's own accesses before the fence, those of lanes that a __syncwarp() had joined it
// with, and all that it had acquired itself. Writes to one place form a chain. Atomics continue a chain, a volatile write begins
// a new one. Knowledge is a set of references to chains, each up to some position. Blocks run one after another, so if a chain is
// known at all, everything that earlier blocks released to it is known. Until the first fence of a launch, all of this costs
// nothing.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/event.hpp"
#include "simt/observers/thread_order.hpp"
#include "simt/observers/warp_order.hpp"
#include "simt/observers/word_use.hpp"

namespace tilelab::simt {

class FenceOrder {
 private:
  struct Thread;
  struct Coverage;
  struct Reference;

 public:
  class Block;  // what is kept of a block that waits for others
  void begin_launch(std::uint32_t threads_per_block);
  void begin_block(std::uint32_t block);
  void barrier();
  void warp_sync(std::uint32_t warp, std::uint32_t mask);
  // `lanes`: what the thread knows of its warp's lanes.
  // `segments`: what it knows of the block's threads by barriers that count arrivals; may be null.
  void fence(std::uint32_t thread, bool block_scope, std::vector<Limit> lanes, ThreadOrder::Segments segments = nullptr);
  // What a thread knows goes to those that wait for the phase's end, and so do the fences that it has made.
  void arrive(std::uint32_t thread, const Phase& phase);
  void await(std::uint32_t thread, const Phase& phase);
  void touch(const Access& access) {
    if (in_use_ && (access.kind == AccessKind::atomic || access.is_volatile)) synchronize(access);
  }

  Block put_aside();
  void take_up(Block&& block);
  std::uint32_t interval() const { return interval_; }

  bool in_use() const { return in_use_; }  // there was a fence in this launch
  std::uint16_t epoch(std::uint32_t thread) const { return in_use_ ? threads_[thread].epoch : std::uint16_t{0}; }
  bool knows_other_blocks(std::uint32_t thread) const { return in_use_ && (!block_known_.empty() || !threads_[thread].known.empty()); }
  bool knows_more_than_its_block(std::uint32_t thread) const { return in_use_ && !threads_[thread].known.empty(); }
  // Whether this thread of the running block knows that an access has happened: its own, or an earlier one.
  bool knows(std::uint32_t thread, const Moment& access) const;

 private:
  struct Reference {  // the first `upto` entries of a chain
    std::uint32_t chain = 0, upto = 0;
  };
  using Knowledge = std::vector<Reference>;  // at most one for each chain
  struct Coverage {                          // of one block: its earlier intervals, and parts of the current one
    std::uint32_t interval = 0;
    std::uint16_t everyone_below = 0;  // epochs below this, of all threads
    std::vector<Limit> limits;
    std::vector<ThreadOrder::Segments> segments;
    bool holds(const Moment& access) const;
  };
  struct Release {
    std::uint32_t position = 0;
    bool block_scope = false;
    std::uint16_t thread = 0;
    Coverage coverage;
  };
  struct Edge {
    std::uint32_t position = 0;
    Reference known;
  };
  struct Chain {
    std::uint32_t length = 0;
    std::unordered_map<std::uint32_t, std::vector<Release>> releases;  // for each block
    std::vector<Edge> edges;
  };
  struct Gathered {
    Phase phase;
    Knowledge known;
    Coverage fenced;
  };
  struct Thread {
    std::uint16_t epoch = 0;
    bool touched = false, fenced = false, block_fenced = false, joined_some = false;
    Coverage device, block;  // what its fences of each scope cover
    Coverage joined;         // what fences of threads cover that came to a phase for which it has waited
    Knowledge pending, known;
  };

  static void join(Coverage& coverage, const Coverage& more);
  void synchronize(const Access& access);
  void release(std::uint32_t chain, std::uint32_t thread);
  Thread& use(std::uint32_t thread);
  static void add(Knowledge& knowledge, Reference reference);
  static void add(Knowledge& knowledge, const Knowledge& more);
  bool reaches(const Knowledge& from, const Moment& access) const;

  static constexpr std::size_t max_threads = 1024;       // of a block
  static constexpr std::size_t max_releases = 1u << 20;  // beyond these everything counts as known, so that nobody is accused wrongly

  bool in_use_ = false;
  std::uint32_t threads_per_block_ = 0, block_ = 0, interval_ = 0;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> used_;  // threads touched in this interval
  bool block_fenced_ = false;        // by a fence before an earlier barrier of the block
  Coverage block_coverage_;
  Knowledge block_known_;
  std::unordered_map<std::uint32_t, std::pair<Gathered, Gathered>> gathered_;  // by barrier: of the phase in progress, and the one before
  std::unordered_map<std::uintptr_t, std::uint32_t> chain_at_;
  std::vector<Chain> chains_;
  std::size_t kept_ = 0;
  mutable std::vector<std::uint32_t> seen_;  // for each chain, in one search: the position up to which it was searched
  mutable std::vector<Reference> search_;
  mutable std::vector<std::uint32_t> seen_chains_;
};

class FenceOrder::Block {
  friend class FenceOrder;
  std::uint32_t block_ = 0, interval_ = 0;
  std::vector<std::pair<std::uint32_t, Thread>> threads_;  // those touched in its current interval
  bool block_fenced_ = false;
  Coverage block_coverage_;
  Knowledge block_known_;
  std::unordered_map<std::uint32_t, std::pair<Gathered, Gathered>> gathered_;
};

}  // namespace tilelab::simt
