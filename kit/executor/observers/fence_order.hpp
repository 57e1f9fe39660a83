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

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/observers/thread_order.hpp"
#include "executor/observers/warp_order.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class FenceOrder {
  struct Reference {  // the first `upto` entries of a chain
    std::uint32_t chain = 0, upto = 0;
  };
  using Knowledge = std::vector<Reference>;  // at most one for each chain
  struct Coverage {                          // of one block: its earlier intervals, and parts of the current one
    std::uint32_t interval = 0;
    std::uint16_t everyone_below = 0;  // epochs below this, of all threads
    std::vector<Limit> limits;
    std::vector<ThreadOrder::Segments> segments;
    bool holds(const Moment& access) const {
      if (access.interval != interval) return access.interval < interval;
      if (access.epoch < everyone_below) return true;
      if (std::ranges::any_of(segments, [&](const auto& known) { return access.segment < (*known)[access.thread]; })) return true;
      return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
        return limit.thread == access.thread && (access.epoch < limit.epoch || access.warp_interval < limit.warp_interval);
      });
    }
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

 public:
  // What is kept of a block that waits for others.
  class Block {
    friend class FenceOrder;
    std::uint32_t block_ = 0, interval_ = 0;
    std::vector<std::pair<std::uint32_t, Thread>> threads_;  // those touched in its current interval
    bool block_fenced_ = false;
    Coverage block_coverage_;
    Knowledge block_known_;
    std::unordered_map<std::uint32_t, std::pair<Gathered, Gathered>> gathered_;
  };

  void begin_launch(std::uint32_t threads_per_block) { threads_per_block_ = threads_per_block; }
  void begin_block(std::uint32_t block) {
    block_ = block;
    interval_ = 0;
    if (!in_use_) return;
    for (const std::uint32_t thread : used_) threads_[thread] = Thread{};
    used_.clear();
    gathered_.clear();
    block_fenced_ = false;
    block_known_.clear();
  }
  void barrier() {
    const std::uint32_t ended = interval_++;
    if (!in_use_) return;
    Coverage covered{.interval = ended, .everyone_below = 0, .limits = {}, .segments = {}};
    gathered_.clear();
    std::uint32_t fenced = 0;
    std::uint16_t lowest = 0xFFFF;
    for (const std::uint32_t index : used_) {
      Thread& thread = threads_[index];
      add(block_known_, thread.known);
      add(block_known_, thread.pending);
      if (thread.fenced) {
        ++fenced;
        lowest = std::min(lowest, thread.device.limits.front().epoch);
        join(covered, thread.device);
      }
      thread = Thread{};
    }
    used_.clear();
    if (fenced == 0) return;
    if (fenced == threads_per_block_) {
      covered.everyone_below = lowest;
      std::erase_if(covered.limits, [lowest](const Limit& limit) { return limit.warp_interval == 0 && limit.epoch <= lowest; });
    }
    block_fenced_ = true;
    block_coverage_ = std::move(covered);
  }
  void warp_sync(std::uint32_t warp, std::uint32_t mask) {
    if (!in_use_) return;
    Knowledge joined;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      const Thread& thread = threads_[warp * 32 + lane];
      add(joined, thread.known);
      add(joined, thread.pending);
    }
    if (joined.empty()) return;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      Thread& thread = use(warp * 32 + lane);
      add(thread.known, joined);
      thread.pending.clear();
    }
  }
  // `lanes`: what the thread knows of its warp's lanes.
  // `segments`: what it knows of the block's threads by barriers that count arrivals; may be null.
  void fence(std::uint32_t index, bool block_scope, std::vector<Limit> lanes, ThreadOrder::Segments segments = nullptr) {
    in_use_ = true;
    if (threads_.empty()) threads_.resize(max_threads);
    Thread& thread = use(index);
    if (thread.epoch < 0xFFFF) ++thread.epoch;
    add(thread.known, thread.pending);
    thread.pending.clear();
    lanes.insert(lanes.begin(), {static_cast<std::uint16_t>(index), thread.epoch, 0});
    Coverage& coverage = block_scope ? thread.block : thread.device;
    coverage.interval = interval_;
    coverage.everyone_below = 0;
    coverage.limits = std::move(lanes);
    coverage.segments.clear();
    if (segments != nullptr) coverage.segments.push_back(std::move(segments));
    (block_scope ? thread.block_fenced : thread.fenced) = true;
  }
  // What a thread knows goes to those that wait for the phase's end, and so do the fences that it has made.
  void arrive(std::uint32_t index, const Phase& phase) {
    if (!in_use_) return;
    auto& [now, before] = gathered_[phase.barrier];
    if (now.phase != phase) before = std::exchange(now, Gathered{.phase = phase, .known = {}, .fenced = {}});
    const Thread& thread = threads_[index];
    add(now.known, thread.known);
    add(now.known, thread.pending);
    if (thread.fenced) join(now.fenced, thread.device);
    if (thread.joined_some) join(now.fenced, thread.joined);
  }
  void await(std::uint32_t index, const Phase& phase) {
    if (!in_use_) return;
    const auto found = gathered_.find(phase.barrier);
    if (found == gathered_.end()) return;
    const auto& [now, before] = found->second;
    const Gathered& gathered = now.phase == phase ? now : before;
    if (gathered.phase != phase) return;
    Thread& thread = use(index);
    add(thread.known, gathered.known);
    add(thread.known, thread.pending);
    thread.pending.clear();
    if (gathered.fenced.limits.empty()) return;
    thread.joined = gathered.fenced;
    thread.joined_some = true;
  }
  void touch(const Access& access) {
    if (in_use_ && (access.kind == AccessKind::atomic || access.is_volatile)) synchronize(access);
  }

  Block put_aside() {
    Block aside;
    aside.block_ = block_;
    aside.interval_ = interval_;
    for (const std::uint32_t thread : used_) aside.threads_.emplace_back(thread, std::exchange(threads_[thread], Thread{}));
    used_.clear();
    aside.block_fenced_ = std::exchange(block_fenced_, false);
    aside.block_coverage_ = std::move(block_coverage_);
    aside.block_known_ = std::exchange(block_known_, {});
    aside.gathered_ = std::exchange(gathered_, {});
    return aside;
  }
  void take_up(Block&& aside) {
    begin_block(aside.block_);
    interval_ = aside.interval_;
    for (auto& [thread, state] : aside.threads_) {
      threads_[thread] = std::move(state);
      used_.push_back(thread);
    }
    block_fenced_ = aside.block_fenced_;
    block_coverage_ = std::move(aside.block_coverage_);
    block_known_ = std::move(aside.block_known_);
    gathered_ = std::move(aside.gathered_);
  }
  std::uint32_t interval() const { return interval_; }

  bool in_use() const { return in_use_; }  // there was a fence in this launch
  std::uint16_t epoch(std::uint32_t thread) const { return in_use_ ? threads_[thread].epoch : std::uint16_t{0}; }
  bool knows_other_blocks(std::uint32_t thread) const { return in_use_ && (!block_known_.empty() || !threads_[thread].known.empty()); }
  bool knows_more_than_its_block(std::uint32_t thread) const { return in_use_ && !threads_[thread].known.empty(); }
  // Whether this thread of the running block knows that an access has happened: its own, or an earlier one.
  bool knows(std::uint32_t thread, const Moment& access) const {
    if (access.block == block_ && (access.interval < interval_ || access.thread == thread)) return true;
    if (!in_use_) return false;
    return kept_ >= max_releases || reaches(threads_[thread].known, access) || reaches(block_known_, access);
  }

 private:
  static void join(Coverage& coverage, const Coverage& more) {
    coverage.interval = more.interval;
    coverage.limits.insert(coverage.limits.end(), more.limits.begin(), more.limits.end());
    for (const auto& one : more.segments) {
      if (std::find(coverage.segments.begin(), coverage.segments.end(), one) == coverage.segments.end()) coverage.segments.push_back(one);
    }
  }
  void synchronize(const Access& access) {
    auto found = chain_at_.find(access.address);
    const std::uint32_t index = access.by.thread;
    const bool reads = access.kind != AccessKind::write, writes = access.kind != AccessKind::read;
    if (reads && found != chain_at_.end()) add(use(index).pending, {found->second, chains_[found->second].length});
    if (!writes) return;
    const Thread& thread = threads_[index];
    if (!thread.fenced && !thread.block_fenced && !thread.joined_some && !block_fenced_) {
      if (found == chain_at_.end()) return;
      if (access.kind == AccessKind::write) chain_at_.erase(found);
      return;
    }
    if (found == chain_at_.end() || access.kind == AccessKind::write) {
      chain_at_[access.address] = static_cast<std::uint32_t>(chains_.size());
      chains_.emplace_back();
      seen_.push_back(0);
    }
    release(chain_at_[access.address], index);
  }
  void release(std::uint32_t index, std::uint32_t thread_index) {
    if (kept_ >= max_releases) return;
    Chain& chain = chains_[index];
    const Thread& thread = threads_[thread_index];
    const std::uint32_t position = chain.length++;
    auto& releases = chain.releases[block_];
    const auto keep = [&](bool block_scope, const Coverage& coverage) {
      kept_ += 1 + coverage.limits.size() / 8;
      releases.push_back({position, block_scope, static_cast<std::uint16_t>(thread_index), coverage});
    };
    if (thread.fenced)
      keep(false, thread.device);
    else if (block_fenced_)
      keep(false, block_coverage_);
    if (thread.joined_some) keep(false, thread.joined);
    if (thread.block_fenced) keep(true, thread.block);
    const auto carry_on = [&](const Knowledge& knowledge) {
      for (const Reference& known : knowledge) {
        if (known.chain == index) continue;
        const auto same = [&](const Edge& edge) { return edge.known.chain == known.chain && edge.known.upto >= known.upto; };
        if (std::any_of(chain.edges.begin(), chain.edges.end(), same)) continue;
        ++kept_;
        chain.edges.push_back({position, known});
      }
    };
    carry_on(block_known_);
    carry_on(thread.known);
  }
  Thread& use(std::uint32_t thread) {
    Thread& used = threads_[thread];
    if (!used.touched) used_.push_back(thread);
    used.touched = true;
    return used;
  }
  static void add(Knowledge& knowledge, Reference reference) {
    for (Reference& known : knowledge) {
      if (known.chain != reference.chain) continue;
      known.upto = std::max(known.upto, reference.upto);
      return;
    }
    knowledge.push_back(reference);
  }
  static void add(Knowledge& knowledge, const Knowledge& more) {
    for (const Reference& reference : more) add(knowledge, reference);
  }
  bool reaches(const Knowledge& from, const Moment& access) const {
    search_.assign(from.begin(), from.end());
    bool found = false;
    while (!search_.empty() && !found) {
      const Reference next = search_.back();
      search_.pop_back();
      if (seen_[next.chain] >= next.upto) continue;
      if (seen_[next.chain] == 0) seen_chains_.push_back(next.chain);
      seen_[next.chain] = next.upto;
      const Chain& chain = chains_[next.chain];
      if (const auto of_block = chain.releases.find(access.block); of_block != chain.releases.end()) {
        for (const Release& release : of_block->second) {
          if (release.position >= next.upto || (release.block_scope && access.block != block_)) continue;
          found = found || release.coverage.holds(access);
        }
      }
      for (const Edge& edge : chain.edges) {
        if (edge.position < next.upto) search_.push_back(edge.known);
      }
    }
    for (const std::uint32_t chain : seen_chains_) seen_[chain] = 0;
    seen_chains_.clear();
    return found;
  }

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

}  // namespace tilelab::simt
