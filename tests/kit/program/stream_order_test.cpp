// What CUDA orders: streams, the default stream, events, and what the host waits for.
#include "program/order/stream_order.hpp"

#include <catch2/catch_test_macros.hpp>

using tilelab::program::Stamp;
using tilelab::program::StreamOrder;

TEST_CASE("work of one stream is in order", "[stream_order]") {
  StreamOrder order;
  const auto stream = order.create_stream(true).value();
  const Stamp first = order.submit(stream), second = order.submit(stream);
  CHECK(order.is_before(first, second));
}

TEST_CASE("work of two streams has no order before somebody makes one", "[stream_order]") {
  StreamOrder order;
  const auto one = order.create_stream(true).value(), other = order.create_stream(true).value();
  const Stamp first = order.submit(one);
  CHECK_FALSE(order.is_before(first, order.submit(other)));
  SECTION("an event does") {
    const auto event = order.create_event().value();
    order.record(event, one);
    order.wait(other, event);
  }
  SECTION("the host does, when it waits for a stream") { order.host_waits_for_stream(one); }
  SECTION("the host does, when it waits for everything") { order.host_waits_for_all(); }
  CHECK(order.is_before(first, order.submit(other)));
}

TEST_CASE("work may overlap from the second stream on, or with one that does not block", "[stream_order]") {
  StreamOrder order;
  CHECK_FALSE(order.may_overlap(0));
  SECTION("two that block") {
    order.create_stream(true);
    CHECK_FALSE(order.may_overlap(0));
    order.create_stream(true);
  }
  SECTION("one that does not") { order.create_stream(false); }
  SECTION("one, and the default stream of a thread") {
    order.create_stream(true);
    CHECK(order.may_overlap(2));
  }
  CHECK(order.may_overlap(0));
}

TEST_CASE("an event orders what was before it, and nothing that came later", "[stream_order]") {
  StreamOrder order;
  const auto one = order.create_stream(true).value(), other = order.create_stream(true).value();
  const auto event = order.create_event().value();
  const Stamp before = order.submit(one);
  order.record(event, one);
  const Stamp after = order.submit(one);
  order.wait(other, event);
  const Stamp later = order.submit(other);
  CHECK(order.is_before(before, later));
  CHECK_FALSE(order.is_before(after, later));
  order.host_waits_for_event(event);
  CHECK(order.is_done(before));
  CHECK_FALSE(order.is_done(after));
}

TEST_CASE("the default stream waits for all streams and is waited for, but for those that do not block", "[stream_order]") {
  StreamOrder order;
  const auto blocking = order.create_stream(true).value(), free = order.create_stream(false).value();
  const Stamp of_blocking = order.submit(blocking), of_free = order.submit(free);
  const Stamp of_default = order.submit(0);
  CHECK(order.is_before(of_blocking, of_default));
  CHECK_FALSE(order.is_before(of_free, of_default));
  CHECK(order.is_before(of_default, order.submit(blocking)));
  CHECK_FALSE(order.is_before(of_default, order.submit(free)));
  CHECK(order.is_before(of_default, order.submit(1)));  // another name of it
}

TEST_CASE("a stream that was destroyed has not done its work by that", "[stream_order]") {
  StreamOrder order;
  const auto stream = order.create_stream(true).value();
  const Stamp work = order.submit(stream);
  CHECK(order.destroy_stream(stream));
  CHECK_FALSE(order.knows_stream(stream));
  CHECK_FALSE(order.destroy_stream(stream));
  CHECK_FALSE(order.is_done(work));
  order.host_waits_for_all();
  CHECK(order.is_done(work));
}

TEST_CASE("there is an end to streams and events, and the default streams stay", "[stream_order]") {
  StreamOrder order;
  while (order.create_stream(true)) {
  }
  while (order.create_event()) {
  }
  for (const std::uint64_t stream : {0, 1, 2}) {
    CHECK(order.knows_stream(stream));
    CHECK_FALSE(order.destroy_stream(stream));
  }
}
