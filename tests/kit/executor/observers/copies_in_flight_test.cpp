// Which asynchronous copies of a thread a wait completes.
#include <catch2/catch_test_macros.hpp>

#include "executor/memory/region.hpp"
#include "executor/observers/copies_in_flight.hpp"

using namespace tilelab::simt;

namespace {

Access read_of(std::uintptr_t address, std::uint32_t thread) {
  Access access;
  access.address = address;
  access.size = 4;
  access.space = Space::shared;
  access.offset = address;
  access.by.thread = thread;
  return access;
}

CopyEvent copy_to(std::uintptr_t address, std::uint32_t thread) {
  CopyEvent copy;
  copy.destination = read_of(address, thread);
  copy.destination.kind = AccessKind::write;
  return copy;
}

}  // namespace

TEST_CASE("a wait completes all groups but the latest ones", "[copies]") {
  CopiesInFlight copies;
  const ThreadRef by{0, 3};
  for (std::uintptr_t at = 0; at < 12; at += 4) {
    copies.begin(copy_to(at, 3));
    copies.commit(by);
  }
  copies.await(by, 1);
  CHECK(copies.disturbed_by(read_of(0, 3)) == nullptr);
  CHECK(copies.disturbed_by(read_of(4, 3)) == nullptr);
  CHECK(copies.disturbed_by(read_of(8, 3)) != nullptr);
  CHECK(copies.covers_word(2));
  CHECK_FALSE(copies.covers_word(1));
  copies.await(by, 0);
  CHECK(copies.none());
}

TEST_CASE("a wait does not complete a copy that is in no group", "[copies]") {
  CopiesInFlight copies;
  copies.begin(copy_to(0, 0));
  copies.await({0, 0}, 0);
  CHECK_FALSE(copies.none());
  copies.commit({0, 0});
  copies.await({0, 0}, 0);
  CHECK(copies.none());
}

TEST_CASE("an empty group counts, and another thread's copies are left alone", "[copies]") {
  CopiesInFlight copies;
  copies.begin(copy_to(0, 0));
  copies.commit({0, 0});
  copies.begin(copy_to(8, 1));
  copies.commit({0, 1});
  copies.commit({0, 0});
  copies.await({0, 0}, 1);
  CHECK(copies.disturbed_by(read_of(0, 0)) == nullptr);
  CHECK(copies.disturbed_by(read_of(8, 0)) == nullptr);
  CHECK(copies.disturbed_by(read_of(8, 1)) != nullptr);
  copies.begin_block();
  CHECK(copies.none());
}
