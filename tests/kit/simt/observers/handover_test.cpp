// How each element of an output came to the thread that stores it: followed by its value, on real memory.
#include "simt/observers/work_counters.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "simt/memory/region.hpp"

using namespace tilelab::simt;

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
    handover_.on_launch_end();
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
