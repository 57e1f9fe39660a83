// Classification of accesses, and the loop over blocks.
#include "simt/machine/machine.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "simt/scheduler/block_order.hpp"
#include "simt/scheduler/resident_blocks.hpp"
#include "simt/submission/builtin_variables.hpp"

namespace tilelab::simt {
namespace {

// A thread that polls one place this often probably waits for another thread, so the others run.
constexpr std::uint32_t polls_before_yield = 64;
// Polls of one thread while no thread of its block does anything new: other blocks run. If none of them changes anything, it may poll
// more often. A loop with an attempt limit has ended before that.
constexpr std::uint32_t polls_of_a_turn = 256, polls_of_the_last_turn = 1u << 13;

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

// GCC reads an assigned lvalue again if its value is used (`y = ++p[0]`, `a = b = 0`). A compiler for GPUs would not, and Clang
// does not. A thread may read what it has just written, so such reads are not announced.
bool Machine::is_echo(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, std::uintptr_t statement) {
  const bool echo = kind == AccessKind::read && !is_volatile && last_write_.size == size && last_write_.address == address && same_line_ &&
                    same_line_(last_write_.statement, statement);
  last_write_ = {address, statement, kind == AccessKind::write && !is_volatile ? size : 0};
  return echo;
}

// Functions do not overlap.
bool Machine::is_header_code(std::uintptr_t address) const {
  const auto next = std::ranges::upper_bound(header_code_, address, {}, &AddressRange::first);
  return next != header_code_.begin() && std::prev(next)->contains(address);
}

std::uintptr_t Machine::calling_statement(std::uintptr_t pc, std::uintptr_t frame) const {
  for (int depth = 0; depth < 8 && frame != entry_frame_; ++depth) {
    if (!is_header_code(pc - 1)) break;
    const auto& running = scheduler_.running();
    if (frame < running.stack_low || frame + 16 > running.stack_high) break;
    pc = reinterpret_cast<const std::uintptr_t*>(frame)[1];
    frame = reinterpret_cast<const std::uintptr_t*>(frame)[0];
  }
  return pc;
}

void Machine::read_local(std::uintptr_t address, std::size_t size, std::uintptr_t pc, std::uintptr_t frame) {
  local(address, size, AccessKind::read, pc, frame);
}

void Machine::read_slowly(std::uintptr_t address, std::size_t size, std::uintptr_t pc, std::uintptr_t frame) {
  const bool is_followed = reads_are_followed_ && address - stack_low_ >= FiberStacks::stack_bytes;
  if (is_followed && size == 4 && is_redundant<4, false>(address, pc)) return;
  if (is_followed && size == 8 && is_redundant<8, false>(address, pc)) return;
  if (is_followed && size == 16 && is_redundant<16, false>(address, pc)) return;
  access(address, size, AccessKind::read, false, pc, frame);
}

void Machine::announce_edge(std::uintptr_t pc) { announcer_.edge(access_.by, pc); }

void Machine::access(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, std::uintptr_t pc, std::uintptr_t frame,
                     Scope scope) {
  if (address - stack_low_ < FiberStacks::stack_bytes) {
    if (kind != AccessKind::read)
      guard_frames(address, size, pc, frame);
    else if (is_below(address, frame, scheduler_.running()))
      stray_on_stack(address, size, kind, pc, frame);
    local(address, size, kind, pc, frame);
    return;
  }
  if (kind == AccessKind::read && builtins_.contains(address)) return;
  const std::uintptr_t at = statement(pc, frame);
  if (is_echo(address, size, kind, is_volatile, at)) return;
  Access& access = access_;
  if (memory_.in_shared_span(address)) {
    access.space = Space::shared;
    access.region = memory_.find_shared(address, size);
    access.offset = address - memory_.shared_base();
  } else {
    access.region = memory_.find_global(address, size);
    access.space = access.region != nullptr ? access.region->space : Space::global;
    access.offset = access.region != nullptr ? address - access.region->base : 0;
  }
  spend(pc);
  access.address = address;
  access.size = static_cast<std::uint32_t>(std::min<std::size_t>(size, 1u << 30));
  access.kind = kind;
  access.is_volatile = is_volatile;
  access.block_scope = scope == Scope::block;
  access.system_scope = scope == Scope::system;
  access.pc = at;
  access.instruction = pc;
  if (access.region == nullptr) return stray(access);
  if (kind != AccessKind::read && access.region->role == BufferRole::input && access.space == Space::module) {
    announcer_.announce(&Observer::on_constant_store, access);
    scheduler_.end_thread();  // as on a GPU
  }
  // Compilers optimise away reads of constants whose value they know, but not the same ones. So none of these reads is announced.
  if (access.region->constant && kind == AccessKind::read) {
    ++budget_;
    return;
  }
  if (kind == AccessKind::read && access.region->role == BufferRole::input && access.region->marks != nullptr && !is_volatile)
    access.region->marks->read_plainly(access.offset, size);
  if (is_volatile || kind == AccessKind::atomic)
    poll(access);
  else
    spins_.note(address);
  if (kind == AccessKind::write && held_) wait_if_held(access);
  announcer_.access(access);
}

// As with a poll, the access comes after what the others do meanwhile.
void Machine::wait_if_held(const Access& access) {
  if (access.space == Space::shared || access.by.block != held_->by.block || access.by.thread != held_->by.thread) return;
  if (held_->write-- != 0) return;
  held_.reset();
  const Access kept = access;
  turns_.waits_at = {access.pc, access.by};
  turns_.is_held = true;
  scheduler_.end_turn();
  spins_.forget_trail();
  access_ = kept;
}

// `offset`: as in Access.
void Machine::follow(const Region& region, Space space, std::uint64_t offset, std::size_t size, std::uintptr_t pc) {
  Access& access = access_;
  access.space = space;
  access.region = &region;
  access.offset = offset;
  access.address = (space == Space::shared ? memory_.shared_base() : region.base) + offset;
  access.size = static_cast<std::uint32_t>(size);
  access.kind = AccessKind::read;
  access.is_volatile = access.block_scope = access.system_scope = false;
  access.pc = access.instruction = pc;
  announcer_.redundant_read(access);
}

bool Machine::follow_shared(std::uintptr_t address, std::size_t size, std::uintptr_t pc) {
  const Region* const array = memory_.find_shared(address, size);
  if (array != nullptr) follow(*array, Space::shared, address - memory_.shared_base(), size, pc);
  return array != nullptr;
}

void Machine::access_in(Space space, std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, std::uintptr_t pc,
                        std::uintptr_t frame) {
  const bool fits = space == Space::shared ? is_shared(address) : !is_shared(address) && !is_local(address);
  if (fits) return access(address, size, kind, is_volatile, pc, frame);
  spend(pc);
  Access& access = access_;
  access.space = space;
  access.region = nullptr;
  access.offset = space == Space::shared ? address - memory_.shared_base() : 0;
  access.address = address;
  access.size = static_cast<std::uint32_t>(size);
  access.kind = kind;
  access.is_volatile = is_volatile;
  access.block_scope = access.system_scope = false;
  access.pc = statement(pc, frame);
  access.instruction = pc;
  announcer_.announce(&Observer::on_stray, access, static_cast<const Region*>(nullptr));
  scheduler_.end_thread();
}

// In pieces of at most 16 bytes, as one instruction copies them. The pieces past `from_size` are filled with zeros.
void Machine::copy_async(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::size_t from_size, std::uintptr_t pc,
                         std::uintptr_t frame) {
  constexpr std::size_t widest = 16;
  for (std::size_t at = 0; at < size; at += widest) {
    const std::size_t piece = std::min(widest, size - at), read = at < from_size ? std::min(piece, from_size - at) : 0;
    CopyEvent copy;
    access_.of_copy = true;
    if (read != 0) {
      last_write_.size = 0;
      access_.region = nullptr;
      access(from + at, read, AccessKind::read, false, pc, frame);
      copy.source = access_;
    }
    last_write_.size = 0;
    access_.region = nullptr;
    access(to + at, piece, AccessKind::write, false, pc, frame);
    copy.destination = access_;
    access_.of_copy = false;
    std::memmove(reinterpret_cast<void*>(to + at), reinterpret_cast<const void*>(from + at), read);
    std::memset(reinterpret_cast<void*>(to + at + read), 0, piece - read);
    if (copy.destination.region != nullptr) announcer_.announce(&Observer::on_copy_begins, copy);
  }
}

bool Machine::is_constant(std::uintptr_t address) {
  if (is_shared(address) || is_local(address)) return false;
  const Region* region = memory_.find_global(address, 1);
  return region != nullptr && region->constant;
}

std::uint64_t Machine::clock(std::uintptr_t pc) {
  constexpr std::uint64_t steps_of_an_idle_loop = 24, furthest_jump = 1u << 20;
  spend(pc);
  const std::uint32_t thread = scheduler_.running().ref.thread;
  const bool idle = clock_.thread == thread && events() - clock_.steps <= steps_of_an_idle_loop;
  clock_.jump = idle ? std::min(clock_.jump * 2, furthest_jump) : 1;
  clock_.ahead += clock_.jump;
  clock_.thread = thread;
  clock_.steps = events();
  return events() + clock_.ahead;
}

// A thread that polls the same place again and again lets the others run. If none of them does anything new, they can only wait
// for another block. The access comes after that: it reads what the others have written meanwhile, so it is announced afterwards.
void Machine::poll(const Access& access) {
  const std::uint32_t thread = access.by.thread;
  spins_.poll(thread, access.address, access.size, scheduler_.progress());
  if (spins_.polls(thread) % polls_before_yield != 0) return;
  const Access kept = access;
  if (waits_for_another_block()) {
    turns_.waits_at = {access.pc, access.by};
    scheduler_.end_turn();
  } else {
    scheduler_.yield();
  }
  spins_.forget_trail();
  access_ = kept;
}

bool Machine::waits_for_another_block() const {
  const std::uint32_t thread = scheduler_.running().ref.thread;
  const bool are_others = turns_.started < turns_.blocks || !waiting_.empty();
  return are_others && spins_.still(thread) >= (turns_.is_last_chance ? polls_of_the_last_turn : polls_of_a_turn) &&
         !memory_.in_shared_span(spins_.polled_by(thread));
}

void Machine::fence(std::uintptr_t pc, bool block_scope) {
  announcer_.announce(&Observer::on_fence, FenceEvent{scheduler_.running().ref, pc, block_scope});
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

}  // namespace tilelab::simt
