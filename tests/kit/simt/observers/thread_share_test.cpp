// How much of a launch one thread does, in elements and in words, and the locals that no GPU keeps in registers.
#include "simt/observers/work_counters.hpp"

#include <catch2/catch_test_macros.hpp>

#include "simt/memory/local_memory.hpp"

using namespace tilelab::simt;

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
    if (number == 1) locals.note(2, 10'000, 8, true);
    if (number == 1) locals.note(2, 20'000, 4, false);
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

TEST_CASE("locals that lie close together are in registers, and those that spread are local memory", "[thread_share]") {
  LocalMemory locals;
  locals.begin_block(2);
  for (std::uintptr_t i = 0; i < 255; ++i) locals.note(0, 10'000 + 4 * i, 4, i % 2 == 0);
  locals.note(1, 10'000, 4, true);
  locals.note(1, 10'000 + LocalMemory::register_bytes, 4, false);
  CHECK(locals.loaded_bytes() == 0);
  locals.begin_block(2);
  locals.note(0, 10'000, 8, true);
  locals.end_launch();
  CHECK(locals.loaded_bytes() == 4);
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
