// How a launch runs: its grids, the turns of their blocks, and the barriers at which threads wait.
//
// A block runs until it ends or waits for other blocks: at the grid's barrier, or because its threads only poll what other blocks must
// change. All blocks start before one that waits goes on, as on a GPU that holds them all. Each operation on a phase barrier is announced
// as an access to the barrier's object, so that a race with init() is found like any other.
#include "executor/machine/machine.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "executor/submission/submission_data.hpp"

namespace tilelab::simt {
namespace {

constexpr std::size_t most_waiting_bytes = 448u << 20;
constexpr std::size_t object_bytes = 8;  // of a phase barrier

}  // namespace

Machine* Machine::current_ = nullptr;

Machine::Machine(MemoryMap& memory, const Announcer& announcer, FiberStacks& stacks, std::uint64_t event_budget,
                 std::vector<AddressRange> header_code, SameLine same_line)
    : budget_(event_budget + 1), spent_budget_(event_budget + 1), memory_(memory), announcer_(announcer), redundant_(announcer.redundant()),
      requests_(announcer.requests_told_directly()), control_is_followed_(announcer.control_is_followed()),
      reads_are_followed_(announcer.reads_are_followed()), scheduler_(announcer, stacks, [this] { switched_in(); }),
      header_code_(std::move(header_code)), same_line_(std::move(same_line)) {
  const auto [first, end] = builtin_variables();
  builtins_ = {first, end};
  std::erase_if(header_code_, [](const AddressRange& range) { return range.first >= range.end; });
  std::ranges::sort(header_code_, {}, &AddressRange::first);
  for (const AddressRange& range : header_code_) {
    if (header_span_.end == 0) header_span_ = range;
    header_span_ = {std::min(header_span_.first, range.first), std::max(header_span_.end, range.end + 1)};
  }
  current_ = this;
}

Machine::~Machine() { current_ = nullptr; }

void Machine::run(const LaunchEvent& launch, const std::function<void()>& kernel, std::optional<std::uint64_t> order_seed, bool reversed) {
  launch_ = launch;
  launch_.redundant = redundant_;
  if (redundant_ != nullptr) redundant_->begin_launch(memory_.shared_span());
  order_seed_ = order_seed;
  reversed_ = reversed;
  first_block_ = 0;
  children_ = {};
  scheduler_.set_undefined(launch.shared_poison);
  memory_.heap().set_undefined(launch.shared_poison);
  announcer_.announce(&Observer::on_launch_begin, launch_);
  run_grid(kernel);
  if (!children_.pending.empty()) {
    run_children();
    memory_.set_dynamic_bytes(launch.dynamic_shared_bytes);
  }
  waiting_.clear();
  if (locals_ != nullptr) locals_->end_launch();
  announcer_.announce(&Observer::on_launch_end);
}

void Machine::run_grid(const std::function<void()>& kernel) {
  set_launch_variables(launch_.grid, launch_.block);
  const std::uint64_t threads = std::uint64_t{launch_.block.x} * launch_.block.y * launch_.block.z;
  const std::uint64_t blocks = std::uint64_t{launch_.grid.x} * launch_.grid.y * launch_.grid.z;
  thread_indices_.resize(threads);
  for (std::uint64_t i = 0; i < threads; ++i) thread_indices_[i] = index_of(i, launch_.block);

  std::mt19937_64 random(order_seed_.value_or(0));
  std::vector<std::uint32_t> thread_order(threads);
  std::iota(thread_order.begin(), thread_order.end(), 0u);
  if (reversed_) std::reverse(thread_order.begin(), thread_order.end());
  BlockOrder order(blocks, order_seed_ ? &random : nullptr, reversed_);
  turns_ = {};
  turns_.blocks = blocks;
  turns_.most_waiting = most_resident_blocks(launch_);
  kernel_ = &kernel;
  children_.next_block = first_block_ + blocks;

  while (!timeout_ && !trap_) {
    if (order.empty() || !has_room_for_one_more()) {
      if (go_on(order)) continue;
      if (order.empty()) break;
    }
    if (timeout_) break;
    const std::uint64_t block = first_block_ + order.next();
    if (order_seed_) {
      random.seed(*order_seed_ ^ (block + 1));  // seeded by block number, so that `reversed` gives exactly the opposite order
      std::iota(thread_order.begin(), thread_order.end(), 0u);
      std::shuffle(thread_order.begin(), thread_order.end(), random);
      if (reversed_) std::reverse(thread_order.begin(), thread_order.end());
    }
    turns_.as_numbered = order.is_as_numbered();
    start_block(block, thread_order);
  }
}

void Machine::switched_in() {
  const auto& running = scheduler_.running();
  stack_low_ = running.stack_low;
  access_.by = running.ref;
  access_.interval = running.interval;
  access_.warp_interval = running.warp_interval;
  access_.of_copy = access_.is_strong = false;
  access_.unit = Unit::none;
  access_.completed_by = {};
  if (requests_ != nullptr) requests_->runs(running.ref);
  set_thread_index(thread_indices_[running.ref.thread]);
  last_write_.size = 0;
}

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
  spins_.wait();
  one.spins = std::exchange(spins_, {});
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
  spins_ = std::move(one.spins);
  spins_.go_on();
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

int Machine::barrier(std::uintptr_t pc, BarrierReduction reduction, int predicate, std::uintptr_t frame) {
  spend(pc);
  spins_.moved_on(scheduler_.running().ref.thread);
  return scheduler_.barrier(pc, reduction, predicate, frame);
}

std::uint64_t Machine::exchange(std::uintptr_t pc, const LaneRequest& request) {
  spend(pc);
  last_write_.size = 0;  // others may have run
  spins_.moved_on(scheduler_.running().ref.thread);
  const std::uint64_t result = scheduler_.exchange(pc, request);
  access_.warp_interval = scheduler_.running().warp_interval;  // the last lane that arrives continues at once
  return result;
}

void Machine::grid_barrier(std::uintptr_t pc, std::uintptr_t frame) {
  spend(pc);
  if (!launch_.cooperative) trap("calls grid.sync(), which a GPU can do only in a cooperative launch (cudaLaunchCooperativeKernel)", pc);
  spins_.moved_on(scheduler_.running().ref.thread);
  turns_.waits_at = {pc, scheduler_.running().ref};
  scheduler_.grid_barrier(pc, frame);
}

std::uint32_t Machine::converge(std::uintptr_t pc) {
  spend(pc);
  spins_.moved_on(scheduler_.running().ref.thread);
  return scheduler_.converge(pc);
}

void Machine::init_barrier(std::uintptr_t address, std::int64_t expected, CallSite site) {
  if (address % object_bytes != 0) misaligned(address, object_bytes, site);
  if (expected < 0 || expected > (1 << 20) - 1) trap("initialises a barrier with a count that is negative or too large", statement(site));
  if (phases_.none()) announcer_.announce(&Observer::on_phases_begin);
  access(address, object_bytes, AccessKind::write, false, site);
  const std::uint64_t mark = PhaseBarriers::mark(address);
  std::memcpy(reinterpret_cast<void*>(address), &mark, sizeof mark);
  phases_.init(address, expected);
  scheduler_.wake(address);
}

// A thread that comes before init() waits for it: the race is found by its rules, in whatever order threads run.
PhaseBarrier& Machine::barrier_at(std::uintptr_t address, AccessKind kind, CallSite site) {
  if (address % object_bytes != 0) misaligned(address, object_bytes, site);
  spins_.moved_on(scheduler_.running().ref.thread);
  while (phases_.find(address) == nullptr) scheduler_.sleep(address, statement(site));
  access(address, object_bytes, kind, kind == AccessKind::read, site, Scope::block);
  std::uint64_t mark = 0;
  std::memcpy(&mark, reinterpret_cast<const void*>(address), sizeof mark);
  if (mark != PhaseBarriers::mark(address)) trap("uses a barrier whose memory was overwritten", statement(site));
  return *phases_.find(address);
}

std::uint32_t Machine::arrive(std::uintptr_t address, const Arrival& arrival, CallSite site) {
  PhaseBarrier& barrier = barrier_at(address, AccessKind::atomic, site);
  const Phase phase = barrier.phase;
  if (arrival.count > barrier.pending) trap("arrives more often than the barrier expects in one phase", statement(site));
  if (arrival.count > 0) announcer_.announce(&Observer::on_phase_arrival, scheduler_.running().ref, phase);
  barrier.pending -= arrival.count;
  barrier.bytes += arrival.bytes;
  if (arrival.drops) barrier.expected -= arrival.count;
  if (!arrival.stays_open) end_phase_if_complete(barrier, address);
  return phase.number;
}

// The thread that came last runs the completion function: it knows what came before all arrivals.
bool Machine::is_last_arrival(std::uintptr_t address) {
  const PhaseBarrier* barrier = phases_.find(address);
  if (barrier == nullptr || !barrier->is_complete()) return false;
  announcer_.announce(&Observer::on_phase_awaited, scheduler_.running().ref, barrier->phase);
  return true;
}

// What the completion function did comes before the phase's end, too.
void Machine::close_phase(std::uintptr_t address) {
  if (PhaseBarrier* barrier = phases_.find(address)) {
    announcer_.announce(&Observer::on_phase_arrival, scheduler_.running().ref, barrier->phase);
    end_phase_if_complete(*barrier, address);
  }
}

void Machine::end_phase_if_complete(PhaseBarrier& barrier, std::uintptr_t address) {
  if (!barrier.is_complete()) return;
  barrier.next_phase();
  scheduler_.wake(address);
}

void Machine::await_phase(std::uintptr_t address, std::uint32_t phase, bool by_parity, CallSite site) {
  spend(site.pc);
  PhaseBarrier* barrier = &barrier_at(address, AccessKind::read, site);
  const auto has_ended = [&] { return by_parity ? (barrier->phase.number & 1u) != (phase & 1u) : barrier->phase.number != phase; };
  const std::uint32_t of = barrier->phase.barrier;
  while (!has_ended()) {
    scheduler_.sleep(address, statement(site));
    barrier = phases_.find(address);
  }
  access_.warp_interval = scheduler_.running().warp_interval;
  if (barrier->phase.barrier != of || barrier->phase.number == 0) return;  // a barrier that has no earlier phase
  announcer_.announce(&Observer::on_phase_awaited, scheduler_.running().ref, Phase{of, barrier->phase.number - 1});
}

void Machine::copy_for_barrier(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::uintptr_t address, CallSite site) {
  PhaseBarrier& barrier = barrier_at(address, AccessKind::read, site);
  const Phase phase = barrier.phase;
  access_.completed_by = phase;
  copy_async(to, from, size, size, site);
  access_.completed_by = {};
}

void Machine::tell_stuck() {
  const auto& block = scheduler_.running().ref.block;
  const auto elsewhere = scheduler_.elsewhere();
  std::vector<std::uintptr_t> told;
  for (const auto& sleeper : scheduler_.asleep()) {
    if (std::find(told.begin(), told.end(), sleeper.object) != told.end()) continue;
    told.push_back(sleeper.object);
    StuckEvent stuck;
    stuck.waiting = stuck.other = {block, sleeper.thread};
    stuck.pc = sleeper.pc;
    if (elsewhere) {
      stuck.other.thread = elsewhere->thread;
      stuck.other_pc = elsewhere->pc;
      stuck.other_has_left = elsewhere->pc == 0;
    }
    if (memory_.in_shared_span(sleeper.object)) stuck.region = memory_.find_shared(sleeper.object, object_bytes);
    if (stuck.region != nullptr) stuck.offset = static_cast<std::int64_t>(sleeper.object - stuck.region->base);
    if (const PhaseBarrier* barrier = phases_.find(sleeper.object)) {
      stuck.ready = true;
      stuck.expected = barrier->expected;
      stuck.arrived = barrier->expected - barrier->pending;
      stuck.missing_bytes = barrier->bytes;
    }
    announcer_.announce(&Observer::on_stuck, stuck);
  }
}

}  // namespace tilelab::simt
