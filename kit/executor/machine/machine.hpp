// One launch in progress: receives what the instrumented submission does (accesses, barriers, edges), decides which
// memory an access belongs to, announces it, and stops what must not happen.
//
// Theory of operation. The compiler's callbacks come before the access they announce. An access to declared memory is
// announced and goes on. One that misses every region is announced as stray; in a red zone or the shared span it goes
// on (that memory is ours and harmless), anywhere else its thread ends inside the callback, because the next
// instruction would overwrite the kit itself. Writes to a stack must stay clear of the links between its frames.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "executor/announcer.hpp"
#include "executor/machine/block_state.hpp"
#include "executor/memory/byte_marks.hpp"
#include "executor/memory/local_memory.hpp"
#include "executor/memory/memory_map.hpp"
#include "executor/memory/texture_object.hpp"
#include "executor/redundant_reads.hpp"
#include "executor/scheduler/block_order.hpp"
#include "executor/scheduler/block_scheduler.hpp"
#include "executor/submission/frame_guards.hpp"

namespace tilelab::simt {

// A submission that writes past a local array can overwrite the registers that it saved for us in its own frame. So we keep
// nothing in these registers across the call of a kernel. Our values are in our own frame, which the machine guards.
[[gnu::always_inline]] inline void distrust_registers() {
#if defined(__aarch64__)
  asm volatile("" ::: "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "memory");
#else
  asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15", "memory");
#endif
}

struct AddressRange {
  std::uintptr_t first = 0, end = 0;
  bool contains(std::uintptr_t address) const { return address - first < end - first; }
};

// Where the submission calls the kit: the address that it returns to, and the frame of the function that calls.
struct CallSite {
  std::uintptr_t pc = 0, frame = 0;
};

class Machine {
 public:
  struct Timeout {
    std::uintptr_t pc = 0;
    ThreadRef by;
    bool waiting_for_another_thread = false;  // its last accesses were volatile or atomic reads of the same place
    bool waiting_for_another_block = false;   // of another block, and the executor can keep no more blocks waiting
    bool too_many_wait = false;               // the same, and no GPU could run so many blocks at once
  };

  struct Trap {
    const char* why;  // "calls __trap()"
    std::uintptr_t pc;
    ThreadRef by;
    int line = 0;  // to be shown in place of that of `pc`; 0: none
    // If it is about memory on the heap: how to say it of {element} or {array} and {other}, an address there, and where and by whom it
    // was freed before.
    const char* of_heap = nullptr;
    std::uintptr_t address = 0, freed_by = 0;
    ThreadRef freeing;
    bool needs_gpu = false;  // the executor's limit, and not the kernel's fault
  };

  using SameLine = std::function<bool(std::uintptr_t, std::uintptr_t)>;

  // `header_code` is the code of the kit's own device headers: a finding there is reported at the calling statement. `same_line`
  // says whether two code addresses belong to one source line; without it they never do.
  Machine(MemoryMap& memory, const Announcer& announcer, FiberStacks& stacks, std::uint64_t event_budget,
          std::vector<AddressRange> header_code = {}, SameLine same_line = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // In the next launch this thread waits before one of its writes to memory outside of its block, until every other block has ended or
  // waits. `write` counts them from 0.
  struct Held {
    ThreadRef by;
    std::uint64_t write = 0;
  };
  void hold(const Held& held) { held_ = held; }
  // From now on, what threads do to their own locals is counted there.
  void watch_locals(LocalMemory& locals) { locals_ = &locals; }
  // Functions that a call through a pointer may go to, sorted. They stay where they are while the machine runs.
  void may_call(std::span<const std::uintptr_t> targets) { targets_ = targets; }
  // What handles of textures and surfaces stand for. They stay where they are while the machine runs.
  void may_use(std::span<const TextureObject> objects) { objects_ = objects; }
  // Accesses to these guards are findings. They stay where they are while the machine runs.
  void guard_locals(const FrameGuards& guards) { guards_ = guards.empty() ? nullptr : &guards; }
  // Runs `kernel` for every thread of the grid, with blocks and threads in order, or shuffled by `order_seed`. `reversed` runs
  // them in the opposite order.
  void run(const LaunchEvent& launch, const std::function<void()>& kernel, std::optional<std::uint64_t> order_seed, bool reversed = false);
  const std::optional<Timeout>& timeout() const { return timeout_; }
  const std::optional<Trap>& trapped() const { return trap_; }
  std::uint64_t events() const { return spent_budget_ - budget_; }
  const BlockScheduler::Running& running() const { return scheduler_.running(); }

  // Called by the instrumented submission, through `Machine::current()`.
  static Machine& current() { return *current_; }
  static bool active() { return current_ != nullptr; }
  void access(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, CallSite site, Scope scope = Scope::device);
  // Ends the thread where a write would hit the running stack below `stack_pointer`: there lie the frames of what is called next.
  bool refuses_below(std::uintptr_t stack_pointer, std::uintptr_t address, CallSite site);
  // Ends the launch if a call through a pointer would go to anything but the first byte of a function of the submission.
  void check_target(std::uintptr_t target, CallSite site);
  // Kernels may launch others. `refusal` says why CUDA would not begin such a launch; empty: it would. Without it, none may.
  using LaunchRefusal = std::function<std::string(const ChildGrid::Configuration&)>;
  void may_launch(LaunchRefusal refusal) { refusal_ = std::move(refusal); }
  const ChildGrids& child_grids() const { return children_; }
  // The running thread launches a kernel: `run` calls it with the arguments in `record`. All addresses are the submission's. Returns
  // CUDA's number of an error, or 0; so does the other function, for the last launch of the running thread.
  int last_launch_error(bool forget);
  std::uint64_t new_stream() { return ChildGrid::first_own_stream + children_.streams++; }
  int launch_child(std::uintptr_t configuration, std::uintptr_t run, std::uintptr_t record, std::size_t bytes, CallSite site);
  // Memory that the kernel asks for; 0: there is none left. `statement`: see statement().
  std::uintptr_t allocate(std::size_t bytes, std::uintptr_t statement);
  void release(std::uintptr_t address, std::uintptr_t statement);
  const DeviceHeap& heap() const { return memory_.heap(); }
  // The fast path, inlined into the callback: a plain read that no observer needs is finished here.
  template <std::size_t size>
  [[gnu::always_inline]] void read(std::uintptr_t address, std::uintptr_t pc, const std::uintptr_t* frame) {
    if (address - stack_low_ < FiberStacks::stack_bytes) {
      if (address >= lowest_live(frame)) return read_local(address, size, {pc, *frame});
    } else if (is_redundant<size>(address, pc)) {
      return;
    }
    read_slowly(address, size, {pc, *frame});
  }
  void spend(std::uintptr_t pc) {
    if (--budget_ == 0) out_of_budget(pc);
  }
  // As many steps at once.
  void spend(std::uintptr_t pc, std::uint64_t steps) {
    if (steps >= budget_) out_of_budget(pc);
    budget_ -= steps;
  }
  void edge(std::uintptr_t pc) {
    spend(pc);
    last_write_.size = 0;  // a loop on one line reads what its last iteration wrote
    if (control_is_followed_ && !(requests_ != nullptr && requests_->goes_on(pc))) announce_edge(pc);
  }
  // `frame`: of the function that begins.
  void called(std::uintptr_t pc, std::uintptr_t caller, std::uintptr_t frame) {
    if (guards_ != nullptr) {
      gaps_.forget_below(frame);
      if (guards_->knows_unset()) unset_locals({pc, frame});
    }
    if (control_is_followed_) announcer_.announce_control(&Observer::on_call, scheduler_.running().ref, pc, caller);
  }
  void returned() {
    if (control_is_followed_) announcer_.announce_control(&Observer::on_return, scheduler_.running().ref);
  }
  void index_outside(const Subscripted& what, CallSite site);
  void misaligned(std::uintptr_t address, std::size_t alignment, CallSite site);
  void fence(std::uintptr_t pc, bool block_scope = false);
  // Before an access whose statement says which memory it means, as PTX does. One that lies elsewhere misses every region, and ends the
  // thread.
  void check_space(Space space, std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, CallSite site);
  // The object with this handle, or null.
  const TextureObject* object_of(std::uint64_t handle) const { return simt::object_of(objects_, handle); }
  // An access through a texture or a surface, to bytes inside its memory.
  void access_texel(Unit unit, std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site);
  // Ends the thread: see SurfaceEvent.
  [[noreturn]] void outside_surface(const TextureObject& object, const SurfaceEvent& event, AccessKind kind, CallSite site);
  // A load or store of cuda::atomic.
  void access_strongly(std::uintptr_t address, std::size_t size, AccessKind kind, Scope scope, CallSite site) {
    access_.is_strong = true;
    access(address, size, kind, true, site, scope);
    access_.is_strong = false;
  }
  // What orders single threads of the block is followed from now on.
  void use_thread_order() { announcer_.announce(&Observer::on_phases_begin); }
  // A copy that only a later wait completes: it happens now, but counts as under way until then.
  void copy_async(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::size_t from_size, CallSite site);
  void commit_copies() { announcer_.announce(&Observer::on_copies_committed, scheduler_.running().ref); }
  // Waits for all groups of this thread's copies except the `latest` ones.
  void wait_for_copies(std::uint32_t latest) { announcer_.announce(&Observer::on_copies_awaited, scheduler_.running().ref, latest); }
  // A barrier that counts the arrivals of its phases, and lies at `address`.
  struct Arrival {
    std::int64_t count = 1, bytes = 0;  // bytes: of copies, more to be expected, or fewer because they were made
    bool drops = false;                 // later phases expect as many arrivals less
    bool stays_open = false;            // the phase does not end before close_phase()
  };
  void init_barrier(std::uintptr_t address, std::int64_t expected, CallSite site);
  std::uint32_t arrive(std::uintptr_t address, const Arrival& arrival, CallSite site);  // returns the phase
  bool is_last_arrival(std::uintptr_t address);
  void close_phase(std::uintptr_t address);
  void await_phase(std::uintptr_t address, std::uint32_t phase, bool by_parity, CallSite site);
  // A copy that the end of the barrier's phase completes.
  void copy_for_barrier(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::uintptr_t address, CallSite site);
  // Steps, not time. It runs faster while a thread does nothing but read it, so that waiting for a number of cycles ends.
  std::uint64_t clock(std::uintptr_t pc);
  std::uintptr_t shared_base() const { return memory_.shared_base(); }
  // Whether the byte lies in a buffer or in a shared array.
  bool holds(std::uintptr_t address) {
    return is_shared(address) ? memory_.find_shared(address, 1) != nullptr : memory_.find_global(address, 1) != nullptr;
  }
  bool is_shared(std::uintptr_t address) const { return memory_.in_shared_span(address); }
  bool is_local(std::uintptr_t address) const { return address - stack_low_ < FiberStacks::stack_bytes; }
  bool is_constant(std::uintptr_t address);
  bool is_global(std::uintptr_t address) { return !is_shared(address) && !is_local(address) && !is_constant(address); }
  const LaunchEvent& launch() const { return launch_; }
  // `frame`: see BlockScheduler.
  int barrier(std::uintptr_t pc, BarrierReduction reduction, int predicate, std::uintptr_t frame = 0);
  void returns(std::uintptr_t pc) { scheduler_.returns(pc); }
  std::uint64_t exchange(std::uintptr_t pc, const LaneRequest& request);
  std::uint32_t converge(std::uintptr_t pc);
  void grid_barrier(std::uintptr_t pc, std::uintptr_t frame = 0);
  bool is_cooperative() const { return launch_.cooperative; }
  // Where the first of the blocks that wait does so; null: none waits.
  const Wait* waiting_at() const { return waiting_.empty() ? nullptr : &waiting_.front().at; }
  // In a launch that need not run its blocks together, a block waited for one behind it. pc is 0: none did.
  const Wait& waited_for_later_block() const { return waited_for_later_; }
  // `frame`: of the kit's function that calls the submission. `answer`: memory there that the callee may write. `argument_bytes`:
  // of arguments on the stack, which belong to the callee.
  void entered_kernel(std::uintptr_t frame, AddressRange answer = {}, std::size_t argument_bytes = 0) {
    entry_frame_ = frame;
    answer_ = answer;
    argument_bytes_ = argument_bytes;
  }
  // `pc`, or the caller's address if `pc` is in header code.
  std::uintptr_t statement(CallSite site) const { return header_span_.contains(site.pc) ? calling_statement(site) : site.pc; }
  // The kernel stopped itself (assert, __trap): the launch ends as a crash. `line` and `needs_gpu`: see Trap.
  [[noreturn]] void trap(const char* why, std::uintptr_t pc, int line = 0, bool needs_gpu = false);

 private:
  bool is_echo(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, std::uintptr_t statement);
  // Where somebody asks which words a launch touches, each read counts.
  static bool is_input_nobody_follows(const Region& buffer) {
    return buffer.role == BufferRole::input && (buffer.marks == nullptr || buffer.marks->touched == nullptr);
  }
  // `is_quick`: nothing is called, so that the callback needs no registers of its own. What then remains is for read_slowly().
  template <std::size_t size, bool is_quick = true>
  [[gnu::always_inline]] bool is_redundant(std::uintptr_t address, std::uintptr_t pc) {
    if (redundant_ == nullptr || last_write_.size != 0 || header_span_.contains(pc)) return false;  // after a write: see is_echo()
    if (memory_.in_shared_span(address)) {
      if (!redundant_->covers<size>(address - memory_.shared_base(), pc, access_.by.thread, access_.warp_interval)) return false;
      if (reads_are_followed_) {
        if (is_quick ? !joins<size>(address, pc) : !follow_shared(address, size, pc)) return false;
      }
      spend(pc);
      redundant_->count_shared(size);
    } else {
      const Region* buffer = memory_.find_buffer(address, size);
      if (buffer == nullptr || !is_input_nobody_follows(*buffer)) return false;
      if (reads_are_followed_) {
        if (!is_quick)
          follow(*buffer, buffer->space, address - buffer->base, size, pc);
        else if (!joins<size>(address, pc))
          return false;
      }
      spend(pc);
      if (buffer->marks != nullptr) buffer->marks->read_plainly(address - buffer->base, size);
      if (buffer->space != Space::module) redundant_->count_input(size);  // a GPU reads constant memory from a cache of its own
    }
    spins_.note(address);
    return true;
  }
  // Tells of a redundant read those who need every read, in the shortest way. False: it has to be announced.
  template <std::size_t size>
  [[gnu::always_inline]] bool joins(std::uintptr_t address, std::uintptr_t pc) {
    return size == 4 && requests_ != nullptr && address % 4 == 0 && requests_->joins(address, pc);
  }
  void read_local(std::uintptr_t address, std::size_t size, CallSite site);
  void read_slowly(std::uintptr_t address, std::size_t size, CallSite site);
  void announce_edge(std::uintptr_t pc);
  // Announces a redundant read to those who need every read.
  void follow(const Region& region, Space space, std::uint64_t offset, std::size_t size, std::uintptr_t pc);
  bool follow_shared(std::uintptr_t address, std::size_t size, std::uintptr_t pc);  // false: no array holds all of it
  PhaseBarrier& barrier_at(std::uintptr_t address, AccessKind kind, CallSite site);
  void end_phase_if_complete(PhaseBarrier& barrier, std::uintptr_t address);
  void tell_stuck();
  Access missed(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) const;
  void stray(const Access& access);
  void poll(const Access& access);
  void wait_if_held(const Access& access);
  bool waits_for_another_block() const;
  void run_grid(const std::function<void()>& kernel);
  // What kernels launch: see child_launches.cpp.
  void run_children();
  void run_child(ChildGrid& child);
  bool is_on_stack(std::uintptr_t address, std::size_t bytes) const;
  bool points_to_own_memory(const std::vector<unsigned char>& record) const;
  // Blocks take turns.
  void start_block(std::uint64_t block, const std::vector<std::uint32_t>& order);
  void take_turn(std::uint64_t block, const std::vector<std::uint32_t>& order);
  void resume_block(std::size_t position);
  bool has_room_for_one_more() const;
  bool go_on(BlockOrder& order);
  bool resume_one();
  bool give_last_chance();
  bool pass_grid_barrier();
  bool is_header_code(std::uintptr_t address) const;
  std::uintptr_t calling_statement(CallSite site) const;
  // Whether the address is below the frame that announces it, where frames lay that have ended.
  static bool is_below(std::uintptr_t address, std::uintptr_t frame, const BlockScheduler::Running& running);
  // Where such frames end, for a callback with this link; on x86-64 the link itself is taken for alive.
  static std::uintptr_t lowest_live(const std::uintptr_t* link) {
#if defined(__aarch64__)
    return *link;
#else
    return reinterpret_cast<std::uintptr_t>(link);
#endif
  }
  bool is_argument(std::uintptr_t address, std::size_t size, std::uintptr_t link) const;
  void guard_frames(std::uintptr_t address, std::size_t size, CallSite site);
  // The frame that an address of the stack lies in: its link, and an address in its function's code. 0: none of the submission's.
  struct Owner {
    std::uintptr_t link = 0, pc = 0;
  };
  Owner owner_of(std::uintptr_t address, CallSite site) const;
  // An access to a living frame.
  [[gnu::always_inline]] void local(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) {
    bool in_memory = false;
    if (guards_ != nullptr) {
      const LocalGaps::Gap* gap = gaps_.of_own(site.pc, site.frame, address, size);
      if (gap == nullptr) gap = gaps_.of_caller(address, size);
      in_memory = gap != nullptr ? gap->in_memory : look_at(address, size, kind, site);
    }
    if (locals_ != nullptr && (in_memory || guards_ == nullptr))
      locals_->note(access_.by.thread, address, size, kind == AccessKind::read, in_memory);
  }
  // Ends the thread if the access hits a guard. Returns whether it is one to local memory.
  bool look_at(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site);
  void unset_locals(CallSite site);
  [[noreturn]] void stray_on_stack(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site,
                                   const FrameGuards::Hit& hit = {});
  void switched_in();
  [[noreturn]] void out_of_budget(std::uintptr_t pc);

  static Machine* current_;

  std::uintptr_t stack_low_ = 0;
  std::uintptr_t entry_frame_ = 0;
  AddressRange answer_;
  std::size_t argument_bytes_ = 0;
  std::span<const std::uintptr_t> targets_;
  std::span<const TextureObject> objects_;
  std::uint64_t budget_, spent_budget_;
  AddressRange builtins_;
  MemoryMap& memory_;
  const Announcer& announcer_;
  RedundantReads* const redundant_;
  WarpRequests* const requests_;  // null: what is redundant, and edges, are announced
  const bool control_is_followed_, reads_are_followed_;
  BlockScheduler scheduler_;
  std::vector<AddressRange> header_code_;
  AddressRange header_span_;  // from the first of them to the last
  SameLine same_line_;
  struct {  // by the running thread, with no access since and in the same basic block
    std::uintptr_t address = 0, statement = 0;
    std::size_t size = 0;  // 0: its last access was no write, or there was none
  } last_write_;
  Access access_;  // the one being announced; its thread and intervals are the running one's
  LaunchEvent launch_;
  std::vector<Index3> thread_indices_;
  std::optional<Timeout> timeout_;
  std::optional<Trap> trap_;
  SpinWatch spins_;
  PhaseBarriers phases_;
  LocalMemory* locals_ = nullptr;
  const FrameGuards* guards_ = nullptr;
  LocalGaps gaps_;
  struct {  // of the thread that read the clock last
    std::uint64_t ahead = 0, jump = 1, steps = 0;
    std::uint32_t thread = 0;
  } clock_;
  const std::function<void()>* kernel_ = nullptr;
  std::optional<std::uint64_t> order_seed_;
  bool reversed_ = false;
  std::uint64_t first_block_ = 0;  // of the running grid
  ChildGrids children_;
  LaunchRefusal refusal_;
  std::vector<WaitingBlock> waiting_;  // in the order in which they began to wait
  struct {
    std::uint64_t blocks = 0, most_waiting = 0, started = 0, ended = 0;
    std::uint64_t first_ended = 0;  // of the blocks that have ended, the one with the smallest number
    std::size_t waiting_bytes = 0;  // of memory that waiting blocks use
    bool as_numbered = true;        // blocks have started in the order of their numbers
    bool is_last_chance = false;    // nothing changes what the running block polls
    bool is_held = false;           // the running block goes on when the others have ended
    Wait waits_at;                  // where the running block last polled or arrived at the grid's barrier
  } turns_;
  Wait waited_for_later_;
  std::optional<Held> held_;
};

}  // namespace tilelab::simt
