// Builds chains of releases and searches them.
#include "simt/observers/fence_order.hpp"

#include <algorithm>
#include <utility>

namespace tilelab::simt {

void FenceOrder::begin_launch(std::uint32_t threads_per_block) { threads_per_block_ = threads_per_block; }

void FenceOrder::begin_block(std::uint32_t block) {
  block_ = block;
  interval_ = 0;
  if (!in_use_) return;
  for (const std::uint32_t thread : used_) threads_[thread] = Thread{};
  used_.clear();
  gathered_.clear();
  block_fenced_ = false;
  block_known_.clear();
}

FenceOrder::Block FenceOrder::put_aside() {
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

void FenceOrder::take_up(Block&& aside) {
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

FenceOrder::Thread& FenceOrder::use(std::uint32_t thread) {
  Thread& used = threads_[thread];
  if (!used.touched) used_.push_back(thread);
  used.touched = true;
  return used;
}

void FenceOrder::add(Knowledge& knowledge, Reference reference) {
  for (Reference& known : knowledge) {
    if (known.chain != reference.chain) continue;
    known.upto = std::max(known.upto, reference.upto);
    return;
  }
  knowledge.push_back(reference);
}

void FenceOrder::add(Knowledge& knowledge, const Knowledge& more) {
  for (const Reference& reference : more) add(knowledge, reference);
}

void FenceOrder::barrier() {
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

void FenceOrder::warp_sync(std::uint32_t warp, std::uint32_t mask) {
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

void FenceOrder::join(Coverage& coverage, const Coverage& more) {
  coverage.interval = more.interval;
  coverage.limits.insert(coverage.limits.end(), more.limits.begin(), more.limits.end());
  for (const auto& one : more.segments) {
    if (std::find(coverage.segments.begin(), coverage.segments.end(), one) == coverage.segments.end()) coverage.segments.push_back(one);
  }
}

void FenceOrder::arrive(std::uint32_t index, const Phase& phase) {
  if (!in_use_) return;
  auto& [now, before] = gathered_[phase.barrier];
  if (now.phase != phase) before = std::exchange(now, Gathered{.phase = phase, .known = {}, .fenced = {}});
  const Thread& thread = threads_[index];
  add(now.known, thread.known);
  add(now.known, thread.pending);
  if (thread.fenced) join(now.fenced, thread.device);
  if (thread.joined_some) join(now.fenced, thread.joined);
}

void FenceOrder::await(std::uint32_t index, const Phase& phase) {
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

void FenceOrder::fence(std::uint32_t index, bool block_scope, std::vector<Limit> lanes, ThreadOrder::Segments segments) {
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

void FenceOrder::synchronize(const Access& access) {
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

void FenceOrder::release(std::uint32_t index, std::uint32_t thread_index) {
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

bool FenceOrder::Coverage::holds(const Moment& access) const {
  if (access.interval != interval) return access.interval < interval;
  if (access.epoch < everyone_below) return true;
  if (std::ranges::any_of(segments, [&](const auto& known) { return access.segment < (*known)[access.thread]; })) return true;
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
    return limit.thread == access.thread && (access.epoch < limit.epoch || access.warp_interval < limit.warp_interval);
  });
}

bool FenceOrder::knows(std::uint32_t thread, const Moment& access) const {
  if (access.block == block_ && (access.interval < interval_ || access.thread == thread)) return true;
  if (!in_use_) return false;
  return kept_ >= max_releases || reaches(threads_[thread].known, access) || reaches(block_known_, access);
}

bool FenceOrder::reaches(const Knowledge& from, const Moment& access) const {
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

}  // namespace tilelab::simt
