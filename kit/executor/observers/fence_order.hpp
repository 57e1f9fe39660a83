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
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/observers/thread_order.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

// A thread's accesses that another thread knows of: those of an earlier epoch, or of an earlier warp interval.
struct Limit {
  std::uint16_t thread = 0, epoch = 0;
  std::uint32_t warp_interval = 0;
};

// The __syncwarp()s of a block's warps in the current barrier interval, and which lanes they order. Shuffles, votes and matches
// do not order memory accesses and are not recorded.
class WarpOrder {
 public:
  void begin_interval() { ++interval_; }
  void sync(const WarpSyncEvent& sync) {
    Warp& warp = warps_[sync.warp % warps_.size()];
    if (warp.interval != interval_) {
      warp.interval = interval_;
      warp.several_masks = false;
      warp.syncs.clear();
    }
    warp.several_masks = warp.several_masks || (!warp.syncs.empty() && warp.syncs.front().mask != sync.mask);
    warp.syncs.push_back(sync);
  }
  // The number of syncs that have completed in this warp.
  std::uint32_t syncs(std::uint32_t warp) const { return current(warp) ? static_cast<std::uint32_t>(at(warp).syncs.size()) : 0; }
  // Whether syncs of this warp have different masks. Then they order different lanes, and statements are kept separately for each
  // lane.
  bool several_masks(std::uint32_t warp) const { return current(warp) && at(warp).several_masks; }
  // Whether a chain of syncs orders an access of one lane before a later access of another lane of its warp.
  bool ordered(const Footprint& earlier, std::uint32_t its_thread, const Footprint& later, std::uint32_t later_thread) const {
    const std::uint32_t index = its_thread / 32;
    if (index != later_thread / 32 || earlier.warp_interval >= later.warp_interval || !current(index)) return false;
    const Warp& warp = at(index);
    std::uint32_t reached = 1u << (its_thread % 32);  // lanes that know of the earlier access
    for (std::size_t i = warp.several_masks ? earlier.syncs : earlier.warp_interval; i < warp.syncs.size(); ++i) {
      const WarpSyncEvent& sync = warp.syncs[i];
      if (sync.warp_interval <= earlier.warp_interval || sync.warp_interval > later.warp_interval || (sync.mask & reached) == 0) continue;
      reached |= sync.mask;
      if (((reached >> (later_thread % 32)) & 1u) != 0) return true;
    }
    return false;
  }
  // What a lane knows of the other lanes of its warp so far.
  std::vector<Limit> known_to(std::uint32_t thread) const {
    std::vector<Limit> limits;
    const std::uint32_t index = thread / 32;
    if (!current(index)) return limits;
    std::uint32_t reached = 1u << (thread % 32);  // lanes whose accesses, up to the current sync, the thread knows
    const Warp& warp = at(index);
    for (std::size_t i = warp.syncs.size(); i-- > 0 && reached != ~0u;) {
      const WarpSyncEvent& sync = warp.syncs[i];
      if ((sync.mask & reached) == 0) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (((sync.mask & ~reached) >> lane & 1u) == 0) continue;
        limits.push_back({static_cast<std::uint16_t>(index * 32 + lane), 0, sync.warp_interval});
      }
      reached |= sync.mask;
    }
    return limits;
  }

 private:
  struct Warp {
    std::uint64_t interval = 0;  // the value of interval_ when written; older contents are invalid
    bool several_masks = false;
    std::vector<WarpSyncEvent> syncs;
  };
  const Warp& at(std::uint32_t warp) const { return warps_[warp % warps_.size()]; }
  bool current(std::uint32_t warp) const { return at(warp).interval == interval_; }

  std::array<Warp, 32> warps_;
  std::uint64_t interval_ = 1;
};

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
  // What it keeps of the running block, and of one that waits for others.
  class Block {
    friend class FenceOrder;
    std::uint32_t number = 0, interval = 0;
    std::vector<Thread> threads;
    std::vector<std::uint32_t> used;  // threads touched in this interval
    bool fenced = false;              // by a fence before an earlier barrier of the block
    Coverage coverage;
    Knowledge known;
    std::unordered_map<std::uint32_t, std::pair<Gathered, Gathered>> gathered;  // by barrier: of the phase in progress, and the one before
  };

  void begin_launch(std::uint32_t threads_per_block) { threads_per_block_ = threads_per_block; }
  void begin_block(std::uint32_t block) {
    now_.number = block;
    now_.interval = 0;
    if (!in_use_) return;
    for (const std::uint32_t thread : now_.used) now_.threads[thread] = Thread{};
    make_room();
    now_.used.clear();
    now_.gathered.clear();
    now_.fenced = false;
    now_.known.clear();
  }
  void barrier() {
    const std::uint32_t ended = now_.interval++;
    if (!in_use_) return;
    Coverage covered{.interval = ended, .everyone_below = 0, .limits = {}, .segments = {}};
    now_.gathered.clear();
    std::uint32_t fenced = 0;
    std::uint16_t lowest = 0xFFFF;
    for (const std::uint32_t index : now_.used) {
      Thread& thread = now_.threads[index];
      add(now_.known, thread.known);
      add(now_.known, thread.pending);
      if (thread.fenced) {
        ++fenced;
        lowest = std::min(lowest, thread.device.limits.front().epoch);
        join(covered, thread.device);
      }
      thread = Thread{};
    }
    now_.used.clear();
    if (fenced == 0) return;
    if (fenced == threads_per_block_) {
      covered.everyone_below = lowest;
      std::erase_if(covered.limits, [lowest](const Limit& limit) { return limit.warp_interval == 0 && limit.epoch <= lowest; });
    }
    now_.fenced = true;
    now_.coverage = std::move(covered);
  }
  void warp_sync(std::uint32_t warp, std::uint32_t mask) {
    if (!in_use_) return;
    Knowledge joined;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      const Thread& thread = now_.threads[warp * 32 + lane];
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
    make_room();
    Thread& thread = use(index);
    if (thread.epoch < 0xFFFF) ++thread.epoch;
    add(thread.known, thread.pending);
    thread.pending.clear();
    lanes.insert(lanes.begin(), {static_cast<std::uint16_t>(index), thread.epoch, 0});
    Coverage& coverage = block_scope ? thread.block : thread.device;
    coverage.interval = now_.interval;
    coverage.everyone_below = 0;
    coverage.limits = std::move(lanes);
    coverage.segments.clear();
    if (segments != nullptr) coverage.segments.push_back(std::move(segments));
    (block_scope ? thread.block_fenced : thread.fenced) = true;
  }
  // What a thread knows goes to those that wait for the phase's end, and so do the fences that it has made.
  void arrive(std::uint32_t index, const Phase& phase) {
    if (!in_use_) return;
    auto& [now, before] = now_.gathered[phase.barrier];
    if (now.phase != phase) before = std::exchange(now, Gathered{.phase = phase, .known = {}, .fenced = {}});
    const Thread& thread = now_.threads[index];
    add(now.known, thread.known);
    add(now.known, thread.pending);
    if (thread.fenced) join(now.fenced, thread.device);
    if (thread.joined_some) join(now.fenced, thread.joined);
  }
  void await(std::uint32_t index, const Phase& phase) {
    if (!in_use_) return;
    const auto found = now_.gathered.find(phase.barrier);
    if (found == now_.gathered.end()) return;
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

  Block put_aside() { return std::exchange(now_, {}); }
  void take_up(Block&& aside) {
    now_ = std::move(aside);
    if (in_use_) make_room();  // the first fence may have come meanwhile
  }
  std::uint32_t interval() const { return now_.interval; }

  bool in_use() const { return in_use_; }  // there was a fence in this launch
  std::uint16_t epoch(std::uint32_t thread) const { return in_use_ ? now_.threads[thread].epoch : std::uint16_t{0}; }
  bool knows_other_blocks(std::uint32_t thread) const { return in_use_ && (!now_.known.empty() || !now_.threads[thread].known.empty()); }
  bool knows_more_than_its_block(std::uint32_t thread) const { return in_use_ && !now_.threads[thread].known.empty(); }
  // Whether this thread of the running block knows that an access has happened: its own, or an earlier one.
  bool knows(std::uint32_t thread, const Moment& access) const {
    if (access.block == now_.number && (access.interval < now_.interval || access.thread == thread)) return true;
    if (!in_use_) return false;
    return kept_ >= max_releases || reaches(now_.threads[thread].known, access) || reaches(now_.known, access);
  }

 private:
  void make_room() { now_.threads.resize((threads_per_block_ + 31) / 32 * 32); }
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
    const Thread& thread = now_.threads[index];
    if (!thread.fenced && !thread.block_fenced && !thread.joined_some && !now_.fenced) {
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
    const Thread& thread = now_.threads[thread_index];
    const std::uint32_t position = chain.length++;
    auto& releases = chain.releases[now_.number];
    const auto keep = [&](bool block_scope, const Coverage& coverage) {
      kept_ += 1 + coverage.limits.size() / 8;
      releases.push_back({position, block_scope, static_cast<std::uint16_t>(thread_index), coverage});
    };
    if (thread.fenced)
      keep(false, thread.device);
    else if (now_.fenced)
      keep(false, now_.coverage);
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
    carry_on(now_.known);
    carry_on(thread.known);
  }
  Thread& use(std::uint32_t thread) {
    Thread& used = now_.threads[thread];
    if (!used.touched) now_.used.push_back(thread);
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
          if (release.position >= next.upto || (release.block_scope && access.block != now_.number)) continue;
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

  static constexpr std::size_t max_releases = 1u << 20;  // beyond these everything counts as known, so that nobody is accused wrongly

  bool in_use_ = false;
  std::uint32_t threads_per_block_ = 0;
  Block now_;
  std::unordered_map<std::uintptr_t, std::uint32_t> chain_at_;
  std::vector<Chain> chains_;
  std::size_t kept_ = 0;
  mutable std::vector<std::uint32_t> seen_;  // for each chain, in one search: the position up to which it was searched
  mutable std::vector<Reference> search_;
  mutable std::vector<std::uint32_t> seen_chains_;
};

}  // namespace tilelab::simt
