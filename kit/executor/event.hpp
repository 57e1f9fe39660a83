// The whole contract between execution and analysis: the core executes and announces events, observers judge them. A new detector
// is one file and one registration. It never sees the scheduler, a fiber or a lab.
//
// All threads of a launch run on one operating-system thread, so observers need no locks.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilelab::simt {

class RedundantReads;
struct Region;

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
  friend auto operator<=>(const Index3&, const Index3&) = default;
};

// The place in an extent of a linear number, x fastest.
constexpr Index3 index_of(std::uint64_t linear, const Index3& extent) {
  return {static_cast<unsigned>(linear % extent.x), static_cast<unsigned>(linear / extent.x % extent.y),
          static_cast<unsigned>(linear / extent.x / extent.y)};
}

enum class Space : std::uint8_t { global, shared, module };    // module: the submission's own __device__ and __constant__ data
enum class AccessKind : std::uint8_t { read, write, atomic };  // atomic: read-modify-write in one step

// Among whom an access is atomic: the threads of its block, all threads of the device, or those of the host as well.
enum class Scope : std::uint8_t { block, device, system };

// What an access goes through: nothing, a texture or a surface.
enum class Unit : std::uint8_t { none, texture, surface };

// A thread of the running block.
struct ThreadRef {
  std::uint64_t block = 0;   // linear: x fastest
  std::uint32_t thread = 0;  // linear in its block: x fastest
  std::uint32_t lane() const { return thread % 32; }
  std::uint32_t warp() const { return thread / 32; }
};

// A phase of a cuda::barrier or mbarrier of the running block. It ends when all arrivals that it expects have come.
struct Phase {
  std::uint32_t barrier = 0;  // counted from 1 in the order of their init(); 0: none
  std::uint32_t number = 0;   // counted from 0
  friend bool operator==(const Phase&, const Phase&) = default;
};

// One memory access, announced before it happens.
struct Access {
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  AccessKind kind = AccessKind::read;
  bool is_volatile = false;
  bool block_scope = false;   // atomicAdd_block() and similar functions: atomic only for the threads of one block
  bool system_scope = false;  // atomicAdd_system() and similar functions: atomic for the host as well
  bool of_copy = false;       // of an asynchronous copy: see CopyEvent
  Unit unit = Unit::none;
  bool is_strong = false;  // a load or store of cuda::atomic: no two of them race, whatever their threads
  Space space = Space::global;
  const Region* region = nullptr;  // the buffer or array; null: none contains the whole access
  std::uint64_t offset = 0;        // bytes from the buffer's first byte; for shared memory, from the start of the span
  std::uintptr_t pc = 0;           // return address of the callback: inside the accessing statement
  std::uintptr_t instruction = 0;  // the same, but inside a device function of the kit if the statement calls one to access memory
  ThreadRef by;
  std::uint32_t interval = 0;       // barriers that the block has passed
  std::uint32_t warp_interval = 0;  // __syncwarp calls that this lane has passed in the interval: see RaceDetector
  Phase completed_by{};             // of a copy that a barrier completes
};

struct LaunchEvent {
  Index3 grid, block;
  std::size_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::size_t shared_span = 0;          // bytes from the space's first byte to the end of the last array
  std::uint8_t shared_poison = 0xFF;    // the value of every byte of every array when a block starts
  RedundantReads* redundant = nullptr;  // the reads that are not announced; null: all are announced
  bool cooperative = false;             // the whole grid may wait at one barrier
};

// A kernel launches another one, or would like to.
struct ChildLaunch {
  ThreadRef by;
  std::uintptr_t pc = 0;
  std::uint32_t interval = 0, warp_interval = 0;  // of the thread when it launches
  std::uint32_t number = 0;                       // of the launches by kernels, in the order in which they happened
  std::uint32_t grid = 0;                         // which launches it: 0 is the host's, 1 the first that a kernel launched
  bool is_tail = false;                           // it begins when all else of its parent has ended
};

// A grid that a kernel has launched begins. Its blocks are numbered from `first_block` on.
struct GridEvent {
  ChildLaunch launched;
  Index3 grid, block;
  std::uint64_t first_block = 0;
};

struct BarrierEvent {
  std::uint64_t block = 0;
  std::uint32_t interval = 0;  // the interval that ends at this barrier
  std::uintptr_t pc = 0;
  std::uint32_t exited = 0;  // threads that have left the kernel and will not arrive
};

// Threads that have reached the end of the kernel since the last barrier, while others of their block wait at one. Threads that
// left by the same return statement are one event.
struct AbsenceEvent {
  static constexpr std::size_t deepest = 8;
  using CallPath = std::array<std::uintptr_t, deepest>;  // from the place itself outwards; 0: it has ended

  ThreadRef waiting, absent;   // the first of each
  std::uintptr_t pc = 0;       // of the barrier
  std::uintptr_t left_by = 0;  // the kernel's return statement; 0: they ran to the closing brace
  std::uint32_t interval = 0;  // that ends at this barrier
  std::uint32_t count = 0;     // of absent threads
  std::uint32_t present = 0;   // threads that wait at the barrier
  CallPath path{}, last{};     // how the barrier was called, and the barrier that the block passed before
};

// Two threads of a block that wait at different barriers, or a warp operation at which some lanes never arrive.
struct DivergenceEvent {
  ThreadRef first, second;
  std::uintptr_t first_pc = 0, second_pc = 0;
  bool within_warp = false;
};

// A call of a warp function whose result CUDA leaves undefined.
struct LaneEvent {
  enum class Why : std::uint8_t {
    mask_without_caller,   // the mask does not contain the calling lane
    source_not_in_mask,    // a shuffle reads from a lane that the mask does not name
    source_has_left,       // … that has left the kernel
    source_does_not_exist  // … that the block does not have
  };
  ThreadRef by;
  std::uintptr_t pc = 0;
  Why why = Why::mask_without_caller;
  const char* function = "";  // which is called; empty: one of the shuffles
  std::uint32_t mask = 0;
  std::uint32_t source = 0;  // the lane that a shuffle reads
};

// A thread that waits at the grid's barrier for one that never arrives, because it has left the kernel: one of its own block, or
// the first thread of another block.
struct DesertionEvent {
  ThreadRef waiting, gone;
  std::uintptr_t pc = 0;
};

// Where a thread of the running block is.
struct Standing {
  enum class Where : std::uint8_t { waits, left };
  std::uint32_t thread = 0;
  Where where = Where::waits;
  std::uintptr_t pc = 0;  // of the barrier or warp operation where it waits, or of the return statement; 0: the kernel's end
};

// A barrier or a warp operation ends although not all threads that it is for have reached it.
struct StandstillEvent {
  std::uint64_t block = 0;
  std::uint32_t interval = 0;
  std::span<const Standing> threads;  // that wait or have left, rising
};

// The type of a value that lanes exchange; `bits`: something else.
enum class ExchangedType : std::uint8_t { bits, whole, natural, floating };

// What one lane got from a warp operation.
struct LaneResult {
  std::uint32_t lane = 0;
  std::uint32_t source = 0;  // the lane whose value a shuffle brings; otherwise its own
  std::uintptr_t pc = 0;
  const char* function = "";  // empty: one of the shuffles
  std::uint64_t value = 0;
  std::uint32_t bytes = 0;  // of the value; 0: there is none, as after __syncwarp(), or it is undefined
  ExchangedType type = ExchangedType::bits;
};

// A warp operation that completed: a __syncwarp(), a shuffle, a vote, …
struct WarpOperationEvent {
  std::uint64_t block = 0;
  std::uint32_t warp = 0, interval = 0;
  std::span<const LaneResult> lanes;  // that took part, rising
};

// A __syncwarp() that completed. It orders its lanes' accesses before it and after it.
struct WarpSyncEvent {
  std::uint64_t block = 0;
  std::uint32_t warp = 0, mask = 0;  // the lanes that arrived
  std::uint32_t warp_interval = 0;   // of those lanes after it: one more than the largest among them
  std::uintptr_t pc = 0;
};

// __threadfence() and similar functions. `block_scope`: __threadfence_block(), which orders nothing for other blocks.
struct FenceEvent {
  ThreadRef by;
  std::uintptr_t pc = 0;
  bool block_scope = false;
};

// A thread waits for the end of a phase that can never come: every thread of its block waits or has left.
struct StuckEvent {
  ThreadRef waiting, other;  // other: one that has not arrived, if `other_pc` is not 0 or it has left
  std::uintptr_t pc = 0, other_pc = 0;
  const Region* region = nullptr;  // the barrier's place
  std::int64_t offset = 0;
  bool ready = false;  // init() was called
  bool other_has_left = false;
  std::int64_t expected = 0, arrived = 0;
  std::int64_t missing_bytes = 0;  // of copies that the barrier was told to expect
};

// A piece of an asynchronous copy. Both accesses were announced when it began; until a wait completes it, they may still happen.
struct CopyEvent {
  Access source, destination;  // no region: nothing was announced
};

// A surface function whose coordinates lie outside the surface, in a mode that does not allow it, or whose x, which counts bytes, is no
// multiple of what it moves.
struct SurfaceEvent {
  enum class Axis : std::uint8_t { x, y, z, layer };
  Axis axis = Axis::x;
  bool misaligned = false;
  std::int64_t at = 0;       // the coordinate
  std::uint64_t extent = 0;  // how many there are: of x, bytes in a row
  std::uint32_t bytes = 0;   // that the function moves
};

// A subscript outside its declared dimension, as the compiler's check reports it.
struct Subscripted {
  std::int64_t index = 0;
  std::uint64_t bound = 0;   // the dimension's extent
  std::uint32_t column = 0;  // of the source line: where the bracket closes (GCC) or the array's name begins (Clang); 0: unknown
  std::uint32_t inner = 0;   // how many of the array's dimensions are to the right of this one
};

struct IndexEvent : Subscripted {
  ThreadRef by;
  std::uintptr_t pc = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Accesses to other spaces are not announced to this observer.
  virtual bool watches(Space) const { return false; }
  // Override with false to skip repeated reads of shared memory and of inputs.
  virtual bool needs_every_read() const { return true; }
  // Override with true to get calls, returns and control-path edges.
  virtual bool follows_control() const { return false; }
  // Override with true to get what nobody else needs: standstills and warp operations. To see one, all threads are looked at.
  virtual bool sees_standstills() const { return false; }

  virtual void on_launch_begin(const LaunchEvent&) {}
  virtual void on_child_launch(const ChildLaunch&) {}
  virtual void on_child_refused(const ChildLaunch&, const char* /*why*/) {}
  virtual void on_grid_begin(const GridEvent&) {}
  virtual void on_block_begin(std::uint64_t /*block*/) {}
  virtual void on_access(const Access&) {}
  // An access that no declared memory contains. `nearest` is the region that it missed, or null.
  virtual void on_stray(const Access&, const Region* /*nearest*/) {}
  // A store to a variable of the module that a kernel can only read. It does not happen: the thread ends.
  virtual void on_constant_store(const Access&) {}
  virtual void on_index(const IndexEvent&) {}
  virtual void on_misaligned(const Access&, std::size_t /*alignment*/) {}  // the size and kind of the access are not known
  // A surface function that may not happen. It is not announced as an access: the thread ends.
  virtual void on_outside_surface(const Access&, const SurfaceEvent&) {}
  virtual void on_barrier(const BarrierEvent&) {}
  virtual void on_absence(const AbsenceEvent&) {}
  virtual void on_divergence(const DivergenceEvent&) {}
  virtual void on_undefined_lane(const LaneEvent&) {}
  // Every block has arrived at the grid's barrier. What was before it is ordered before all that follows.
  virtual void on_grid_sync() {}
  virtual void on_desertion(const DesertionEvent&) {}
  virtual void on_warp_sync(const WarpSyncEvent&) {}
  virtual void on_fence(const FenceEvent&) {}
  virtual void on_copy_begins(const CopyEvent&) {}
  virtual void on_copies_committed(const ThreadRef&) {}                          // its copies so far that are in no group are one
  virtual void on_copies_awaited(const ThreadRef&, std::uint32_t /*latest*/) {}  // its groups have completed except the `latest` ones
  virtual void on_phases_begin() {}                                              // the running block has a cuda::barrier from now on
  virtual void on_phase_arrival(const ThreadRef&, const Phase&) {}               // what the thread did so far comes before the phase's end
  virtual void on_phase_awaited(const ThreadRef&, const Phase&) {}               // the phase has ended, and the thread knows it
  virtual void on_stuck(const StuckEvent&) {}
  virtual void on_edge(const ThreadRef&, std::uintptr_t /*pc*/) {}  // a basic block begins
  // The function that contains `pc` begins. It will return to `caller`.
  virtual void on_call(const ThreadRef&, std::uintptr_t /*pc*/, std::uintptr_t /*caller*/) {}
  virtual void on_return(const ThreadRef&) {}
  virtual void on_standstill(const StandstillEvent&) {}
  virtual void on_warp_operation(const WarpOperationEvent&) {}
  virtual void on_thread_ended(const ThreadRef&) {}  // ended by a finding; it did not return
  virtual void on_block_end(std::uint64_t /*block*/, std::uint32_t /*last interval*/) {}
  // The running block waits for other blocks. They run until the block is resumed; only its own events then follow. What an observer
  // keeps for the running block must be put aside and taken up again.
  virtual void on_block_parked(std::uint64_t /*block*/) {}
  virtual void on_block_resumed(std::uint64_t /*block*/) {}
  virtual void on_launch_end() {}
};

}  // namespace tilelab::simt
