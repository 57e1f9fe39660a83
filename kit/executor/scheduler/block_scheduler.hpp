// Runs the threads of one block as fibers and lets them wait for each other. It knows barriers and warp operations. It knows
// nothing of memory, findings or what the threads compute.
//
// Theory of operation. A thread runs until it waits (barrier, warp operation), spins, returns, or is ended. When no thread can
// run, the waiting ones are released. If they wait at one barrier, CUDA promises this. If they wait at different barriers, they
// are released together after a divergence event, as the hardware does. One block runs at a time. When all its threads wait at the
// grid's barrier, or the caller sees from progress() that they only wait for another block, the block's turn ends: it is put away
// with its threads and stacks, and brought back later. All blocks use the same stacks, so what lies on them is copied. Fibers are
// never unwound: a thread that was ended is never resumed again.
#pragma once

#include <boost/context/fiber.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "executor/announcer.hpp"
#include "executor/scheduler/fiber_stacks.hpp"
#include "executor/scheduler/warp_operation.hpp"

namespace tilelab::simt {

enum class BarrierReduction : std::uint8_t { none, count, all, any };

// A block that has begun and not ended, with its threads. One that was put away is only given back, to bring_back() of the scheduler that
// it comes from.
class ScheduledBlock {
 public:
  struct Running {
    ThreadRef ref;
    std::uint32_t interval = 0, warp_interval = 0;
    std::uintptr_t stack_low = 0, stack_high = 0;
  };

  ScheduledBlock() = default;
  ScheduledBlock(ScheduledBlock&&) = default;
  ScheduledBlock& operator=(ScheduledBlock&&) = default;  // what it is assigned to must be empty
  ScheduledBlock(const ScheduledBlock&) = delete;
  ScheduledBlock& operator=(const ScheduledBlock&) = delete;
  ~ScheduledBlock();
  std::uint64_t block() const { return running_.ref.block; }
  std::size_t bytes() const;  // of memory, about

 private:
  friend class BlockScheduler;
  enum class State : std::uint8_t { idle, ready, at_barrier, at_warp_operation, converging, asleep, exited, ended };
  struct Thread {
    boost::context::fiber fiber, back;
    State state = State::idle;
    bool started = false, waits_for_grid = false;
    std::size_t stack = 0;
    std::uintptr_t wait_pc = 0, wait_frame = 0;
    std::uintptr_t left_by = 0;  // as in AbsenceEvent
    bool is_missed = false;      // it left since the last barrier
    int predicate = 0;
    std::uint32_t warp_interval = 0;
    LaneRequest request;
    std::uint64_t result = 0;
    std::uintptr_t object = 0;  // for which it sleeps
  };

  static void forget(boost::context::fiber& fiber);

  std::vector<Thread> threads_;
  std::uint32_t count_ = 0, converging_ = 0;
  AbsenceEvent::CallPath last_barrier_{};
  Running running_;
  BarrierReduction reduction_ = BarrierReduction::none;
  int barrier_result_ = 0;
  bool exchanges_ = false;  // some thread of the block has met a warp operation
  // Of a block that was put away: what lies on its threads' stacks (empty: it has none), and the stacks that they do not use.
  std::vector<std::vector<unsigned char>> kept_stacks_;
  std::vector<std::size_t> free_stacks_;
};

class BlockScheduler : ScheduledBlock {
 public:
  using ScheduledBlock::Running;

  // `switched_in` is called each time another thread starts or continues, after running() has changed.
  BlockScheduler(const Announcer& announcer, FiberStacks& stacks, std::function<void()> switched_in);

  // Why a turn was over. stuck: no thread can run, and some wait for a wake() that cannot come.
  enum class Turn : std::uint8_t { ended, at_grid_barrier, polls, stuck };

  // Runs `body` once for each thread. When several threads can run, they run in `order`, a permutation of 0 … n-1. The block must
  // not wait for others.
  void run_block(std::uint64_t block, std::span<const std::uint32_t> order, const std::function<void()>& body);
  // The same in turns. `body` must be the same function for all of them.
  void begin_block(std::uint64_t block, std::uint32_t threads);
  Turn run_turn(std::span<const std::uint32_t> order, const std::function<void()>& body);
  ScheduledBlock put_away();  // whose turn was over, and that has not ended
  void bring_back(ScheduledBlock&& away);
  bool ended_some() const { return ended_some_; }  // in some block, a thread was ended
  // After Turn::stuck: the threads that wait for a wake(), the lowest thread that does not, and the end of the former.
  struct Asleep {
    std::uint32_t thread = 0;
    std::uintptr_t object = 0, pc = 0;
  };
  struct Elsewhere {
    std::uint32_t thread = 0;
    std::uintptr_t pc = 0;  // of the barrier or warp operation where it waits; 0: it has left the kernel
  };
  std::vector<Asleep> asleep() const;
  std::optional<Elsewhere> elsewhere() const;
  void end_sleepers();

  // Only the running thread calls the following functions.
  const Running& running() const { return running_; }
  // `frame`: of the statement that calls the barrier; through it the calls around it are found. 0: it is not known.
  int barrier(std::uintptr_t pc, BarrierReduction reduction, int predicate, std::uintptr_t frame = 0);
  void returns(std::uintptr_t pc);  // a return statement of the kernel is about to end the running thread
  void grid_barrier(std::uintptr_t pc, std::uintptr_t frame = 0);
  void end_turn();  // the running thread and its block only wait for another block
  std::uint64_t exchange(std::uintptr_t pc, const LaneRequest& request);
  // Every byte of what a shuffle brings from a lane that is not there.
  void set_undefined(std::uint8_t byte) { undefined_ = byte * 0x0101010101010101u; }
  void yield();
  // The running thread waits until another one wakes those that wait for this object.
  void sleep(std::uintptr_t object, std::uintptr_t pc);
  void wake(std::uintptr_t object);
  [[noreturn]] void end_thread();                       // the running thread is never resumed
  [[noreturn]] void end_launch();                       // no other thread is resumed either: run_block returns
  std::uint64_t progress() const { return progress_; }  // changes whenever a thread starts, waits, returns or is ended
  // Waits until no thread can run except those that wait here. Returns the lanes of its warp that have also arrived at `pc`.
  std::uint32_t converge(std::uintptr_t pc);

 private:
  void start(std::uint32_t thread, const std::function<void()>& body);
  void resume(std::uint32_t thread, const std::function<void()>& body);
  void suspend();
  void tell_standstill(bool of_warps);
  void tell_operation(std::uint32_t warp, std::uint32_t arrived, const std::array<std::uint64_t, 32>& results);
  void tell_absences(std::uint64_t block, std::uint32_t waiting, std::uint32_t present);
  AbsenceEvent::CallPath call_path(const Thread& thread) const;
  void end_block();
  bool release_barrier(std::uint64_t block);  // whether it was the grid's
  void release_warps();
  bool release_converged();
  bool one_is_missing(std::uint32_t warp, std::uint32_t mask) const;
  bool complete_warp_operation(std::uint32_t warp, std::uint32_t mask);
  void tell_lost_sources(std::uint32_t warp, std::uint32_t arrived);
  void lane_left(std::uint32_t thread);

  const Announcer& announcer_;
  FiberStacks& stacks_;
  std::function<void()> switched_in_;
  std::uint64_t progress_ = 0, undefined_ = 0;
  bool over_ = false, turn_is_over_ = false, ended_some_ = false;
};

}  // namespace tilelab::simt
