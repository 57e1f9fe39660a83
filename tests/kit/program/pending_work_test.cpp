// Copies beside kernels, and memory that is looked at too early.
#include "program/order/pending_work.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::program;

namespace {

using HostTouch = PendingWork::HostTouch;
using tilelab::simt::HostConflicts;

const std::string kernel = "f";

struct Two {
  StreamOrder order;
  PendingWork work{order};
  std::uint64_t one = order.create_stream(true).value(), other = order.create_stream(true).value();

  Use use(std::uint64_t stream, bool writes, const std::string* by, std::size_t first = 0, std::size_t end = 100) {
    return {order.submit(stream), first, end, writes, by, 7};
  }
  // As a copy is guarded.
  void guard(const Use& use) { work.guard(0x1000, 4096, use, PendingWork::conflicts_of_copy(use)); }
};

}  // namespace

TEST_CASE("a kernel and a copy in two streams race where one of them writes", "[pending_work]") {
  Two two;
  CHECK_FALSE(two.work.add(1, two.use(two.one, true, &kernel)));
  SECTION("the copy reads") { CHECK(two.work.add(1, two.use(two.other, false, nullptr)).value().earlier.at == 7); }
  SECTION("the copy writes") { CHECK(two.work.add(1, two.use(two.other, true, nullptr))); }
  SECTION("not in other memory") { CHECK_FALSE(two.work.add(2, two.use(two.other, true, nullptr))); }
  SECTION("not in other bytes") { CHECK_FALSE(two.work.add(1, two.use(two.other, true, nullptr, 100, 200))); }
  SECTION("not in the same stream") { CHECK_FALSE(two.work.add(1, two.use(two.one, true, nullptr))); }
  SECTION("two kernels may touch different bytes of it") { CHECK_FALSE(two.work.add(1, two.use(two.other, true, &kernel))); }
  SECTION("not after the host has waited") {
    two.order.host_waits_for_stream(two.one);
    CHECK_FALSE(two.work.add(1, two.use(two.other, true, nullptr)));
  }
}

TEST_CASE("two kernels in two streams race where they touch the same byte and one writes it", "[pending_work]") {
  Two two;
  const auto writes_words = [&](std::uint64_t stream, std::size_t first, std::size_t end, unsigned kind) {
    Use use = two.use(stream, kind != WordTouch::read, &kernel);
    const WordTouch touch{static_cast<std::uint16_t>(0xF * kind), 3, 4};
    use.touched = std::make_shared<const TouchedRuns>(TouchedRuns{{first, end, touch}});
    return use;
  };
  CHECK_FALSE(two.work.add(1, writes_words(two.one, 0, 8, WordTouch::written)));
  SECTION("they do") {
    const auto conflict = two.work.add(1, writes_words(two.other, 7, 9, WordTouch::read));
    REQUIRE(conflict);
    CHECK(conflict->place->byte == 28);
    CHECK(conflict->place->first_line == 4);
    CHECK(conflict->place->second_line == 3);
  }
  SECTION("other words") { CHECK_FALSE(two.work.add(1, writes_words(two.other, 8, 9, WordTouch::written))); }
  SECTION("the same stream") { CHECK_FALSE(two.work.add(1, writes_words(two.one, 0, 8, WordTouch::written))); }
  SECTION("after an event") {
    const auto event = two.order.create_event().value();
    two.order.record(event, two.one);
    two.order.wait(two.other, event);
    CHECK_FALSE(two.work.add(1, writes_words(two.other, 0, 8, WordTouch::written)));
  }
  SECTION("a copy of other bytes beside it is none either") {
    Use copy = two.use(two.other, true, nullptr);
    copy.touched = std::make_shared<const TouchedRuns>(*runs_of_rows(32, 2, 4, 64, true));
    CHECK_FALSE(two.work.add(1, copy));
    copy.touched = std::make_shared<const TouchedRuns>(*runs_of_rows(31, 1, 4, 4, true));
    CHECK(two.work.add(1, copy)->place->byte == 31);
  }
}

TEST_CASE("two that only read do not race", "[pending_work]") {
  Two two;
  CHECK_FALSE(two.work.add(1, two.use(two.one, false, &kernel)));
  CHECK_FALSE(two.work.add(1, two.use(two.other, false, nullptr)));
}

TEST_CASE("memory is guarded until the host has waited for what changes it", "[pending_work]") {
  Two two;
  const Use use = two.use(two.one, true, &kernel, 16, 32);
  two.guard(use);
  CHECK(two.work.take_guarded().wholly == std::vector<PendingWork::Range>{{0x1000, 4096}});
  CHECK(two.work.take_guarded().wholly.empty());
  CHECK(two.work.disturbed(0x1010, HostTouch::read).use != nullptr);
  CHECK(two.work.disturbed(0x101F, HostTouch::read).use != nullptr);
  CHECK(two.work.disturbed(0x1020, HostTouch::read).use == nullptr);  // other bytes of the page
  CHECK(two.work.take_done().empty());
  two.order.host_waits_for_stream(two.one);
  CHECK(two.work.disturbed(0x1010, HostTouch::read).use == nullptr);
  CHECK(two.work.take_done() == std::vector<PendingWork::Range>{{0x1000, 4096}});
  CHECK(two.work.take_done().empty());
}

TEST_CASE("memory that work only reads is guarded from writes of the host alone", "[pending_work]") {
  Two two;
  two.guard(two.use(two.one, false, nullptr, 16, 32));
  const auto guarded = two.work.take_guarded();
  CHECK(guarded.wholly.empty());
  CHECK(guarded.from_writes == std::vector<PendingWork::Range>{{0x1000, 4096}});
  CHECK(two.work.disturbed(0x1010, HostTouch::read).use == nullptr);
  CHECK(two.work.disturbed(0x1010, HostTouch::write).use != nullptr);
  two.guard(two.use(two.other, true, &kernel, 32, 64));
  CHECK(two.work.take_guarded().wholly.size() == 1);
  two.order.host_waits_for_stream(two.one);
  CHECK(two.work.disturbed(0x1010, HostTouch::write).use == nullptr);
}

TEST_CASE("the host may change what a kernel waits for, and count with it", "[pending_work]") {
  Two two;
  const Use use = two.use(two.one, true, &kernel);
  SECTION("it only waits: nothing is guarded") {
    two.work.guard(0x1000, 4096, use, HostConflicts{});
    const auto guarded = two.work.take_guarded();
    CHECK(guarded.wholly.empty());
    CHECK(guarded.from_writes.empty());
  }
  SECTION("it counts with functions for the whole system") {
    two.work.guard(0x1000, 4096, use, HostConflicts{.reads = {0, 4}, .writes = {0, 4}, .atomics = {}});
    CHECK(two.work.take_guarded().wholly.size() == 1);
    CHECK(two.work.disturbed(0x1000, HostTouch::atomic).use == nullptr);
    CHECK(two.work.disturbed(0x1000, HostTouch::read).changes);
    CHECK(two.work.disturbed(0x1000, HostTouch::write).changes);
    CHECK(two.work.disturbed(0x1004, HostTouch::write).use == nullptr);
  }
  SECTION("it reads beside the word that it waits for") {
    two.work.guard(0x1000, 4096, use, HostConflicts{.reads = {}, .writes = {4, 8}, .atomics = {4, 8}});
    CHECK(two.work.disturbed(0x1000, HostTouch::write).use == nullptr);
    CHECK(two.work.disturbed(0x1004, HostTouch::atomic).use != nullptr);
    CHECK_FALSE(two.work.disturbed(0x1004, HostTouch::write).changes);
  }
}

TEST_CASE("memory stays guarded while other work changes it", "[pending_work]") {
  Two two;
  two.guard(two.use(two.one, true, &kernel));
  two.guard(two.use(two.other, true, &kernel));
  two.order.host_waits_for_stream(two.one);
  CHECK(two.work.take_done().empty());
  two.order.host_waits_for_stream(two.other);
  CHECK(two.work.take_done().size() == 1);
}
