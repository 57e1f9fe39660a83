// What threads know of each other by phases of barriers, __syncwarp() and fences.
#include "executor/observers/thread_order.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

constexpr Phase first{1, 0}, second{1, 1};

ThreadOrder order_of(std::uint32_t threads) {
  ThreadOrder order;
  order.begin_launch(threads);
  order.begin_block();
  order.use();
  return order;
}

Access access_to(std::uintptr_t address, std::uint32_t thread, AccessKind kind) {
  Access access;
  access.address = address;
  access.size = 4;
  access.kind = kind;
  access.by.thread = thread;
  return access;
}

}  // namespace

TEST_CASE("who waits for a phase knows what others did before they arrived, and not what they did after it", "[thread_order]") {
  ThreadOrder order = order_of(4);
  const std::uint32_t before = order.state(1);
  order.arrive(0, first);
  order.arrive(1, first);
  const std::uint32_t behind = order.state(1);
  CHECK_FALSE(order.knows(order.state(0), 1, before));
  order.await(0, first);
  CHECK(order.knows(order.state(0), 1, before));
  CHECK_FALSE(order.knows(order.state(0), 1, behind));
  CHECK_FALSE(order.knows(order.state(2), 1, before));
}

TEST_CASE("knowledge goes on with the next phase", "[thread_order]") {
  ThreadOrder order = order_of(3);
  const std::uint32_t before = order.state(2);
  order.arrive(2, first);
  order.await(0, first);
  order.arrive(0, second);
  order.await(1, second);
  CHECK(order.knows(order.state(1), 2, before));
  CHECK(order.knows(order.state(1), second));
}

TEST_CASE("threads that have waited for the same phase are in one state", "[thread_order]") {
  ThreadOrder order = order_of(64);
  for (std::uint32_t thread = 0; thread < 64; ++thread) order.arrive(thread, first);
  for (std::uint32_t thread = 0; thread < 64; ++thread) order.await(thread, first);
  for (std::uint32_t thread = 1; thread < 64; ++thread) CHECK(order.state(thread) == order.state(0));
}

TEST_CASE("a __syncwarp() before an arrival passes on what other lanes did", "[thread_order]") {
  ThreadOrder order = order_of(64);
  const std::uint32_t before = order.state(5);
  order.warp_sync(0, 0xFFFFFFFFu);
  order.arrive(0, first);
  order.await(40, first);
  CHECK(order.knows(order.state(40), 5, before));
  CHECK_FALSE(order.knows(order.state(40), 41, before));
}

TEST_CASE("a flag passes on what came before the writer's fence, to who makes a fence after reading it", "[thread_order]") {
  ThreadOrder order = order_of(3);
  const std::uint32_t before = order.state(0);
  order.fence(0);
  const std::uint32_t behind = order.state(0);
  order.synchronize(access_to(0x100, 0, AccessKind::write));
  order.synchronize(access_to(0x100, 1, AccessKind::read));
  CHECK_FALSE(order.knows(order.state(1), 0, before));
  order.fence(1);
  CHECK(order.knows(order.state(1), 0, before));
  CHECK_FALSE(order.knows(order.state(1), 0, behind));
}

TEST_CASE("a flag written without a fence passes on nothing", "[thread_order]") {
  ThreadOrder order = order_of(2);
  const std::uint32_t before = order.state(0);
  order.synchronize(access_to(0x100, 0, AccessKind::write));
  order.synchronize(access_to(0x100, 1, AccessKind::read));
  order.fence(1);
  CHECK_FALSE(order.knows(order.state(1), 0, before));
}

TEST_CASE("a barrier of the block begins anew, and keeps which phases have been waited for", "[thread_order]") {
  ThreadOrder order = order_of(2);
  order.arrive(0, first);
  order.await(1, first);
  CHECK_FALSE(order.awaited_before(first));
  order.begin_interval();
  CHECK(order.awaited_before(first));
  CHECK_FALSE(order.awaited_before(second));
  CHECK(order.has_awaited(0, first));
  CHECK_FALSE(order.knows(order.state(1), 0, order.state(0)));
}

TEST_CASE("what the last thread adds before it ends a phase is known behind the phase", "[thread_order]") {
  ThreadOrder order = order_of(3);
  order.arrive(0, first);
  order.arrive(1, first);
  order.await(1, first);  // it runs the completion function
  const std::uint32_t completing = order.state(1);
  order.arrive(1, first);
  order.await(0, first);
  CHECK(order.knows(order.state(0), 1, completing));
}
