// How blocks take turns. A block runs until it ends or waits for other blocks: at the grid's barrier, or because its threads only
// poll what other blocks must change. All blocks start before one that waits goes on, as on a GPU that holds them all.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/machine/machine.hpp"
#include "simt/submission/builtin_variables.hpp"

namespace tilelab::simt {
namespace {

constexpr std::size_t most_waiting_bytes = 384u << 20;

}  // namespace

void Machine::start_block(std::uint64_t block, const std::vector<std::uint32_t>& order) {
  ++turns_.started;
  set_block_index(index_of(block - first_block_, launch_.grid));
  for (const Region& array : memory_.shared_arrays()) {
    std::memset(reinterpret_cast<void*>(array.base), launch_.shared_poison, array.bytes);  // hides values of earlier blocks
  }
  spins_.begin_block(order.size());
  phases_ = {};
  if (locals_ != nullptr) locals_->begin_block(order.size());
  scheduler_.begin_block(block, static_cast<std::uint32_t>(order.size()));
  take_turn(block, order);
}

void Machine::take_turn(std::uint64_t block, const std::vector<std::uint32_t>& order) {
  auto why = scheduler_.run_turn(order, *kernel_);
  for (; why == BlockScheduler::Turn::stuck; why = scheduler_.run_turn(order, *kernel_)) {
    tell_stuck();
    scheduler_.end_sleepers();
  }
  if (why == BlockScheduler::Turn::ended) {
    turns_.first_ended = turns_.ended++ == 0 ? block : std::min(turns_.first_ended, block);
    return;
  }
  announcer_.announce(&Observer::on_block_parked, block);
  WaitingBlock& one = waiting_.emplace_back();
  one.why = why;
  one.at = turns_.waits_at;
  one.order = order;
  one.had_last_chance = turns_.is_last_chance;
  one.is_free = std::exchange(turns_.is_held, false);
  one.waits_for_later = !one.is_free && turns_.as_numbered && waiting_.size() == 1 && !launch_.cooperative;
  one.shared = shared_content(memory_);
  one.spins = spins_.put_aside();
  one.phases = std::exchange(phases_, {});
  if (locals_ != nullptr) one.locals = locals_->put_aside();
  one.threads = scheduler_.put_away();
  turns_.waiting_bytes += one.bytes();
}

void Machine::resume_block(std::size_t position) {
  WaitingBlock one = std::move(waiting_[position]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(position));
  turns_.waiting_bytes -= one.bytes();
  const std::uint64_t block = one.threads.block();
  set_block_index(index_of(block - first_block_, launch_.grid));
  restore_shared(memory_, one.shared);
  spins_.take_up(std::move(one.spins));
  phases_ = std::move(one.phases);
  if (locals_ != nullptr) locals_->take_up(std::move(one.locals));
  scheduler_.bring_back(std::move(one.threads));
  announcer_.announce(&Observer::on_block_resumed, block);
  take_turn(block, one.order);
  turns_.is_last_chance = false;
}

bool Machine::has_room_for_one_more() const { return waiting_.size() < turns_.most_waiting && turns_.waiting_bytes < most_waiting_bytes; }

// When no block can start, or none may: false if the caller may start one, or all have ended. It may end the launch.
bool Machine::go_on(BlockOrder& order) {
  if (waiting_.empty()) return false;
  if (resume_one()) return true;
  const bool has_memory = turns_.waiting_bytes < most_waiting_bytes;
  // Blocks behind wait for those before them: that is only the order in which they were started here.
  if (!order.empty() && !order.is_as_numbered() && has_memory) {
    order.go_on_as_numbered();
    turns_.most_waiting = turns_.blocks;
    return false;
  }
  if (give_last_chance() || (order.empty() && pass_grid_barrier())) return true;
  const Wait& at = waiting_.front().at;
  timeout_ = Timeout{at.pc, at.by, true, !order.empty() && !has_memory, !order.empty() && has_memory};
  return true;
}

// Of blocks that poll, the one with the smallest number goes on first: it is the next one if they wait for each other in a row.
bool Machine::resume_one() {
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < waiting_.size() && !(next && waiting_[*next].is_free); ++i) {
    if (next && waiting_[i].at.by.block > waiting_[*next].at.by.block) continue;
    if (waiting_[i].can_go_on(memory_)) next = i;
  }
  if (!next) return false;
  if (waiting_[*next].waits_for_later && waited_for_later_.pc == 0) waited_for_later_ = waiting_[*next].at;
  resume_block(*next);
  return true;
}

// A block whose threads make a number of attempts and then do something else.
bool Machine::give_last_chance() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].had_last_chance || waiting_[i].why != BlockScheduler::Turn::polls) continue;
    turns_.is_last_chance = true;
    resume_block(i);
    return true;
  }
  return false;
}

// Called when no block can go on.
bool Machine::pass_grid_barrier() {
  for (const WaitingBlock& one : waiting_) {
    if (one.why != BlockScheduler::Turn::at_grid_barrier) return false;
  }
  if (waiting_.empty()) return false;
  const auto number = [](const WaitingBlock& one) { return one.at.by.block; };
  const Wait& first = std::ranges::min_element(waiting_, {}, number)->at;
  if (turns_.ended != 0 && !scheduler_.ended_some())
    announcer_.announce(&Observer::on_desertion, DesertionEvent{{first.by.block, 0}, {turns_.first_ended, 0}, first.pc});
  announcer_.announce(&Observer::on_grid_sync);
  for (WaitingBlock& one : waiting_) one.is_free = true;
  return true;
}

}  // namespace tilelab::simt
