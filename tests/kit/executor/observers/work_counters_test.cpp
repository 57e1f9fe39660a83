// Bytes by space and direction; how much of a launch one thread does; and how each element of an output came to the thread that stores it,
// followed by its value, on real memory.
#include "executor/observers/work_counters.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "executor/memory/local_memory.hpp"
#include "executor/memory/region.hpp"
#include "handmade_launch.hpp"

using namespace tilelab::simt;

TEST_CASE("loads and stores are counted by space, atomics as both", "[access_counter]") {
  Region global, module;
  module.space = Space::module;
  const Region shared = shared_region(64);
  AccessCounter counter;
  HandmadeLaunch launch(counter, shared);
  launch.touch_in(global, {0, AccessKind::read, 0, 4});
  launch.touch_in(global, {0, AccessKind::read, 0, 16});
  launch.touch_in(global, {0, AccessKind::write, 0, 8});
  launch.touch_in(global, {0, AccessKind::atomic, 0, 1});
  launch.touch_in(module, {0, AccessKind::read, 0, 100});
  launch.touch_in(shared, {0, AccessKind::read, 0, 2});
  launch.touch_in(shared, {0, AccessKind::atomic, 0, 4});
  launch.barrier();
  launch.barrier();
  auto counters = counter.counters();
  CHECK(counters["global_load_bytes"] == 4 + 16 + 1 + 100);
  CHECK(counters["global_store_bytes"] == 8 + 1);
  CHECK(counters["shared_load_bytes"] == 2 + 4);
  CHECK(counters["shared_store_bytes"] == 4);
  CHECK(counters["block_barriers"] == 2);
}

TEST_CASE("textures and surfaces are counted by themselves, and constants not at all", "[access_counter]") {
  AccessCounter counter;
  Region global, constants;
  constants.space = Space::module;
  constants.role = BufferRole::input;
  const auto touch = [&](const Region& region, Unit unit, AccessKind kind, std::uint32_t bytes) {
    Access access;
    access.region = &region;
    access.space = region.space;
    access.unit = unit;
    access.kind = kind;
    access.size = bytes;
    counter.on_access(access);
  };
  touch(global, Unit::texture, AccessKind::read, 4);
  touch(global, Unit::surface, AccessKind::read, 8);
  touch(global, Unit::surface, AccessKind::write, 16);
  touch(constants, Unit::none, AccessKind::read, 32);
  auto counters = counter.counters();
  CHECK(counters["texture_load_bytes"] == 4);
  CHECK(counters["surface_load_bytes"] == 8);
  CHECK(counters["surface_store_bytes"] == 16);
  CHECK(counters["global_load_bytes"] == 0);
  CHECK(counters["global_store_bytes"] == 0);
}

TEST_CASE("counts do not stop at 32 bits", "[access_counter]") {
  const Region global;
  AccessCounter counter;
  Access access;
  access.region = &global;
  access.size = 1u << 30;
  for (int i = 0; i < 8; ++i) counter.on_access(access);
  CHECK(counter.counters()["global_load_bytes"] == std::uint64_t{8} << 30);
}

namespace {

Access store(const Region& region, std::uint64_t offset, std::uint32_t thread, std::uint64_t block, std::uint32_t size = 4) {
  Access access;
  access.kind = AccessKind::write;
  access.region = &region;
  access.address = 0x10000 + offset;
  access.size = size;
  access.by = {block, thread};
  return access;
}

Region output() {
  Region region;
  region.role = BufferRole::output;
  region.bytes = 4096;
  return region;
}

}  // namespace

TEST_CASE("the thread with the most elements is found, in whatever block", "[thread_share]") {
  const Region C = output();
  const LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {2, 1, 1}, .block = {4, 1, 1}});
  share.on_block_begin(0);
  share.on_access(store(C, 0, 0, 0));
  share.on_access(store(C, 4, 1, 0));
  CHECK(share.most_elements() == 1);
  share.on_block_begin(1);
  share.on_access(store(C, 16, 3, 1, 16));
  share.on_access(store(C, 8, 3, 1));
  CHECK(share.most_elements() == 5);
}

TEST_CASE("a sum that grows in its element is one element, and so is one that two threads take turns at", "[thread_share]") {
  const Region C = output();
  const LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {1, 1, 1}, .block = {4, 1, 1}});
  share.on_block_begin(0);
  for (std::uint32_t i = 0; i < 100; ++i) share.on_access(store(C, 0, i % 2, 0));
  CHECK(share.most_elements() == 1);
}

TEST_CASE("the busiest thread is found by its words of every memory, whoever stores elements", "[thread_share]") {
  const Region C = output();
  Region tile;
  tile.space = Space::shared;
  LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {2, 1, 1}, .block = {4, 1, 1}});
  const auto block = [&](std::uint64_t number, std::uint32_t reads_of_thread_2) {
    locals.begin_block(4);
    share.on_block_begin(number);
    for (std::uint32_t thread = 0; thread < 4; ++thread) share.on_access(store(C, 4 * thread, thread, number));
    for (std::uint32_t i = 0; i < reads_of_thread_2; ++i) {
      Access read = store(tile, 0, 2, number, 16);
      read.space = Space::shared;
      read.kind = AccessKind::read;
      share.on_access(read);
    }
    if (number == 1) locals.note(2, 10'000, 8, true, true);
    if (number == 1) locals.note(2, 20'000, 4, false, true);
    share.on_block_end(number, 0);
  };
  block(0, 10);
  CHECK(share.most_words() == 41);
  CHECK(share.all_words() == 44);
  block(1, 20);
  CHECK(share.most_words() == 81 + 3);
  CHECK(share.all_words() == 44 + 84 + 3);
  CHECK(share.most_elements() == 1);
}

TEST_CASE("the busiest of each grid add up, by thread and by block, and a block's shared memory is its own", "[thread_share]") {
  const Region C = output();
  Region tile;
  tile.space = Space::shared;
  LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {2, 1, 1}, .block = {4, 1, 1}});
  const auto block = [&](std::uint64_t number, std::uint32_t stores) {
    locals.begin_block(4);
    share.on_block_begin(number);
    for (std::uint32_t i = 0; i < stores; ++i) share.on_access(store(C, 4 * i, i % 4, number));
    Access laid = store(tile, 0, 0, number);
    laid.space = Space::shared;
    share.on_access(laid);
    share.on_block_end(number, 0);
  };
  block(0, 8);
  block(1, 12);
  CHECK(share.most_words() == 4);
  CHECK(share.most_stores_of_a_block() == 12);
  share.on_grid_begin({.launched = {}, .grid = {1, 1, 1}, .block = {4, 1, 1}, .first_block = 2});
  block(2, 4);
  CHECK(share.most_words() == 4 + 2);
  CHECK(share.most_stores_of_a_block() == 12 + 4);
  CHECK(share.all_words() == 27);
}

// Two buffers on real memory, and threads that load elements of the one and lay them in the other.
struct Handed {
  std::array<float, 4> in{0.5f, 0.625f, 0.75f, 0.875f};
  std::array<float, 8> tile{};
  Region inputs, shared;
  SharedUse use;

  Handed() {
    inputs.role = BufferRole::input;
    shared.space = Space::shared;
    use.on_launch_begin({.grid = {1, 1, 1}, .block = {4, 1, 1}, .shared_span = sizeof tile});
    use.on_block_begin(0);
  }
  void touch(AccessKind kind, std::uint32_t thread, const void* address, std::uint32_t bytes) {
    Access access;
    access.address = reinterpret_cast<std::uintptr_t>(address);
    access.size = bytes;
    access.kind = kind;
    access.by.thread = thread;
    const auto into_tile = access.address - reinterpret_cast<std::uintptr_t>(tile.data());
    access.region = into_tile < sizeof tile ? &shared : &inputs;
    access.space = access.region->space;
    access.offset = into_tile;
    use.on_access(access);
  }
  void load(std::uint32_t thread, std::size_t element) { touch(AccessKind::read, thread, &in[element], 4); }
  void lay(std::uint32_t thread, std::size_t place, float value) {
    touch(AccessKind::write, thread, &tile[place], 4);  // announced before it happens
    tile[place] = value;
  }
  void read(std::uint32_t thread, std::size_t place, std::uint32_t words = 1) { touch(AccessKind::read, thread, &tile[place], 4 * words); }
  std::uint64_t used() const { return use.counters().at("used_words"); }
  std::uint64_t handed() const { return use.counters().at("shared_words_of_others"); }
};

TEST_CASE("what threads read in shared memory is handed over if they are several and have not loaded that element themselves",
          "[shared_use]") {
  Handed launch;
  for (std::size_t i = 0; i < 4; ++i) launch.load(0, i);
  for (std::size_t i = 0; i < 3; ++i) launch.lay(0, i, launch.in[i]);
  launch.lay(0, 3, 7.0f);  // no element of the input
  launch.read(0, 0, 2);    // the thread's own
  launch.read(1, 1, 3);    // two of another thread, and the number that is no element
  launch.read(1, 1, 2);
  CHECK(launch.handed() == 0);  // a thread alone could have loaded them
  launch.read(2, 1, 2);
  CHECK(launch.handed() == 6);
  CHECK(launch.used() == 1 + 8);  // one was loaded and not laid
  launch.load(1, 1);
  launch.read(1, 1);
  CHECK(launch.handed() == 6);  // it has loaded that one itself by now
  launch.use.on_block_parked(0);
  launch.use.on_block_begin(1);
  launch.read(1, 0);
  CHECK(launch.handed() == 6);
  launch.use.on_block_resumed(0);
  launch.read(1, 0);
  launch.read(2, 0);
  CHECK(launch.handed() == 8);
}

TEST_CASE("an element that another thread copies for the one that has loaded it is not handed over", "[shared_use]") {
  Handed launch;
  launch.load(0, 0);
  launch.lay(0, 0, launch.in[0]);
  launch.read(1, 0);
  launch.lay(1, 1, launch.in[0]);
  launch.read(0, 1);
  launch.read(2, 0);
  CHECK(launch.handed() == 2);
  CHECK(launch.used() == 3);
}

TEST_CASE("an element is doubled once, for the first thread that it is handed over to", "[shared_use]") {
  Handed launch;
  launch.load(0, 0);
  launch.lay(0, 0, launch.in[0]);
  launch.read(0, 0);
  CHECK(launch.tile[0] == 0.5f);
  launch.read(1, 0);
  CHECK(launch.tile[0] == 1.0f);
  launch.read(2, 0);
  CHECK(launch.tile[0] == 1.0f);
}

TEST_CASE("a struct is copied after the announcements of its store and of its load, in this order", "[shared_use]") {
  Handed launch;
  launch.touch(AccessKind::write, 0, launch.tile.data(), 16);
  launch.touch(AccessKind::read, 0, launch.in.data(), 16);
  std::copy(launch.in.begin(), launch.in.end(), launch.tile.begin());
  launch.read(1, 0, 4);
  launch.read(2, 0, 4);
  CHECK(launch.handed() == 8);
  CHECK(launch.used() == 8);
  CHECK(launch.tile[3] == 1.75f);
}

TEST_CASE("an element may lie in shared memory as a double", "[shared_use]") {
  Handed launch;
  alignas(8) std::array<double, 4> wide{};
  static_assert(sizeof wide == sizeof launch.tile);
  launch.load(0, 2);
  launch.touch(AccessKind::write, 0, launch.tile.data() + 2, 8);
  wide[1] = 0.75;
  std::memcpy(launch.tile.data(), wide.data(), sizeof wide);
  launch.read(1, 2, 2);
  launch.read(2, 2, 2);
  std::memcpy(wide.data(), launch.tile.data(), sizeof wide);
  CHECK(launch.handed() == 2);
  CHECK(wide[1] == 1.5);
}

TEST_CASE("lanes and warps that work one after another are told from those that work side by side", "[thread_share]") {
  const Region C = output();
  LocalMemory locals;
  // One block whose threads store a word each, with a barrier behind every so many. If every lane of a warp, or thread of the block, did
  // as much as the busiest.
  const auto full = [&](std::uint32_t threads, std::uint32_t side_by_side) {
    ThreadShare share(locals);
    share.on_launch_begin({.grid = {1, 1, 1}, .block = {threads, 1, 1}});
    locals.begin_block(threads);
    share.on_block_begin(0);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      share.on_access(store(C, 4 * thread, thread, 0, 4));
      if ((thread + 1) % side_by_side == 0) share.on_barrier({});
    }
    share.on_block_end(0, 0);
    CHECK(share.all_words() == threads);
    return std::pair<std::uint64_t, std::uint64_t>{share.full_warps_words(), share.full_blocks_words()};
  };
  CHECK(full(32, 32) == std::pair<std::uint64_t, std::uint64_t>{32, 32});
  CHECK(full(32, 1) == std::pair<std::uint64_t, std::uint64_t>{32 * 32, 32 * 32});
  CHECK(full(64, 64) == std::pair<std::uint64_t, std::uint64_t>{64, 64});
  CHECK(full(64, 32) == std::pair<std::uint64_t, std::uint64_t>{64, 2 * 64});  // one warp after the other
}

TEST_CASE("reads and other buffers are no stored elements", "[thread_share]") {
  Region A = output();
  A.role = BufferRole::input;
  const Region C = output();
  const LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {1, 1, 1}, .block = {4, 1, 1}});
  share.on_block_begin(0);
  share.on_access(store(A, 0, 0, 0));
  Access read = store(C, 0, 0, 0);
  read.kind = AccessKind::read;
  share.on_access(read);
  CHECK(share.most_elements() == 0);
}

TEST_CASE("local arrays are local memory where the builder says so; of what it knows nothing, those that spread", "[thread_share]") {
  LocalMemory locals;
  locals.begin_block(2);
  for (std::uintptr_t i = 0; i < 255; ++i) locals.note(0, 10'000 + 4 * i, 4, i % 2 == 0, false);
  locals.note(1, 10'000, 4, true, false);
  locals.note(1, 10'000 + LocalMemory::register_bytes, 4, false, false);
  CHECK(locals.loaded_bytes() == 0);
  locals.begin_block(2);
  locals.note(0, 10'000, 8, true, true);
  locals.end_launch();
  CHECK(locals.loaded_bytes() == 4 + 8);
  CHECK(locals.stored_bytes() == 4);
}

TEST_CASE("a result that holds something before the launch has elements too, and what a kernel allocates has none", "[thread_share]") {
  Region bins = output();
  bins.role = BufferRole::inout;
  const LocalMemory locals;
  ThreadShare share(locals);
  share.on_launch_begin({.grid = {1, 1, 1}, .block = {4, 1, 1}});
  share.on_block_begin(0);
  share.on_access(store(bins, 0, 0, 0, 16));
  CHECK(share.most_elements() == 4);
  bins.heap = reinterpret_cast<const DeviceHeap*>(&bins);  // never looked into
  share.on_access(store(bins, 64, 0, 0, 16));
  CHECK(share.most_elements() == 4);
}

namespace {

// An input, an output and a shared array; threads move values between them as a kernel does: announced, then done.
class Moves {
 public:
  Moves() {
    for (std::uint32_t i = 0; i < 8; ++i) in_[i] = std::bit_cast<std::uint32_t>(static_cast<float>(100 + i));
    input_.role = BufferRole::input;
    output_.role = BufferRole::output;
    shared_.space = Space::shared;
    handover_.on_launch_begin({.grid = {2, 1, 1}, .block = {8, 1, 1}});
    begin(0);
  }
  void begin(std::uint64_t block) {
    if (block_ != block) handover_.on_block_end(block_, 0);
    block_ = block;
    handover_.on_block_begin(block);
  }
  std::uint32_t load(std::uint32_t thread, std::size_t i) { return tell(thread, input_, &in_[i], AccessKind::read), in_[i]; }
  std::uint32_t take(std::uint32_t thread, std::size_t i) { return tell(thread, shared_, &as_[i], AccessKind::read), as_[i]; }
  void lay(std::uint32_t thread, std::size_t i, std::uint32_t value) { tell(thread, shared_, &as_[i], AccessKind::write), as_[i] = value; }
  void announce_store(std::uint32_t thread, std::size_t i) { tell(thread, output_, &out_[i], AccessKind::write); }
  void store(std::uint32_t thread, std::size_t i, std::uint32_t value) {
    tell(thread, output_, &out_[i], AccessKind::write), out_[i] = value;
  }

  // The value as a double in the elements `i` and `i` + 1.
  void lay_as_double(std::uint32_t thread, std::size_t i, std::uint32_t value) {
    const double wide = std::bit_cast<float>(value);
    tell(thread, shared_, &as_[i], AccessKind::write, sizeof wide), std::memcpy(&as_[i], &wide, sizeof wide);
  }
  std::uint32_t take_as_double(std::uint32_t thread, std::size_t i) {
    double wide = 0;
    tell(thread, shared_, &as_[i], AccessKind::read, sizeof wide), std::memcpy(&wide, &as_[i], sizeof wide);
    return std::bit_cast<std::uint32_t>(static_cast<float>(wide));
  }

  // Handed over, kept, direct.
  std::array<std::uint64_t, 3> counts() {
    handover_.on_block_end(block_, 0);
    auto counters = handover_.counters();
    return {counters["handed_elements"], counters["kept_elements"], counters["direct_elements"]};
  }

 private:
  void tell(std::uint32_t thread, const Region& region, const std::uint32_t* place, AccessKind kind, std::uint32_t size = 4) {
    Access access;
    access.address = reinterpret_cast<std::uintptr_t>(place);
    access.size = size;
    access.kind = kind;
    access.space = region.space;
    access.region = &region;
    access.by = {block_, thread};
    handover_.on_access(access);
  }

  std::array<std::uint32_t, 8> in_{}, out_{}, as_{};
  Region input_, output_, shared_;
  std::uint64_t block_ = 0;
  Handover handover_;
};

using Counts = std::array<std::uint64_t, 3>;

}  // namespace

TEST_CASE("an element that another thread laid into shared memory is handed over", "[handover]") {
  Moves moves;
  moves.lay(0, 3, moves.load(0, 1));
  moves.store(5, 0, moves.take(5, 3));
  CHECK(moves.counts() == Counts{1, 0, 0});
}

TEST_CASE("an element's store may be announced before its load, where a struct is copied", "[handover]") {
  Moves moves;
  moves.lay(0, 3, moves.load(0, 1));
  moves.announce_store(5, 0);
  moves.store(5, 0, moves.take(5, 3));
  CHECK(moves.counts() == Counts{1, 0, 0});
}

TEST_CASE("an element that its own thread lays down and takes again is kept", "[handover]") {
  Moves moves;
  moves.lay(0, 3, moves.load(0, 1));
  moves.store(0, 0, moves.take(0, 3));
  CHECK(moves.counts() == Counts{0, 1, 0});
}

TEST_CASE("a neighbour's element that is read and thrown away does not count for the one that is stored", "[handover]") {
  Moves moves;
  const std::uint32_t own = moves.load(0, 1);
  moves.lay(0, 0, own);
  moves.lay(1, 1, moves.load(1, 2));
  moves.take(0, 1);
  moves.store(0, 0, own);
  CHECK(moves.counts() == Counts{0, 0, 1});
}

TEST_CASE("an element that goes to a neighbour and comes back is kept", "[handover]") {
  Moves moves;
  moves.lay(0, 0, moves.load(0, 1));
  moves.lay(1, 1, moves.take(1, 0));
  moves.store(0, 0, moves.take(0, 1));
  CHECK(moves.counts() == Counts{0, 1, 0});
}

TEST_CASE("an element that lies in shared memory as a double is the same element", "[handover]") {
  Moves moves;
  moves.lay_as_double(0, 2, moves.load(0, 1));
  moves.store(5, 0, moves.take_as_double(5, 2));
  CHECK(moves.counts() == Counts{1, 0, 0});
}

TEST_CASE("what one block laid down is nothing to the next", "[handover]") {
  Moves moves;
  moves.lay(0, 0, moves.load(0, 1));
  moves.begin(1);
  moves.take(3, 0);
  moves.store(3, 0, moves.load(3, 1));
  CHECK(moves.counts() == Counts{0, 0, 1});
}
