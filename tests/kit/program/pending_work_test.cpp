// Work that may still run: its order, what it touches, and who looks too early.
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "program/memory/pending_work.hpp"

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

using namespace tilelab::program;

namespace {

// `bytes` of one word.
TouchedRuns one(unsigned bytes, std::uint16_t reader = 1, std::uint16_t writer = 2) {
  return {{5, 6, {static_cast<std::uint16_t>(bytes), reader, writer}}};
}

}  // namespace

TEST_CASE("words that were touched alike are one run", "[touched_runs]") {
  std::vector<WordTouch> words(100);
  for (std::size_t i = 10; i < 20; ++i) words[i] = {0x0F0, 0, 7};
  words[15].writer = 8;
  const TouchedRuns runs = runs_of(words.data(), 0, words.size()).value();
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].first == 10);
  CHECK(runs[0].end == 15);
  CHECK(runs[2].end == 20);
  CHECK(runs_of(words.data(), 20, 100).value().empty());
}

TEST_CASE("more runs than anybody wants to keep are none", "[touched_runs]") {
  std::vector<WordTouch> words(2 * most_touched_runs + 4);
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] = {0x001, 0, 0};
  CHECK_FALSE(runs_of(words.data(), 0, words.size()));
  CHECK_FALSE(runs_of_rows(0, most_touched_runs, 4, 8, true));
}

TEST_CASE("bytes conflict where one side writes them", "[touched_runs]") {
  const unsigned read = WordTouch::read, written = WordTouch::written, atomic = WordTouch::atomic;
  CHECK(first_conflict(one(written), one(written)));
  CHECK(first_conflict(one(written), one(read)));
  CHECK(first_conflict(one(read), one(written)));
  CHECK(first_conflict(one(atomic), one(read)));
  CHECK(first_conflict(one(written), one(atomic)));
  CHECK_FALSE(first_conflict(one(read), one(read)));
  CHECK_FALSE(first_conflict(one(atomic), one(atomic)));
  CHECK_FALSE(first_conflict(one(written), one(written << 1)));  // another byte of the word
  const TouchConflict found = first_conflict(one(read << 2, 11, 12), one(written << 2, 21, 22)).value();
  CHECK(found.byte == 22);
  CHECK_FALSE(found.first_writes);
  CHECK(found.second_writes);
  CHECK(found.first_line == 11);
  CHECK(found.second_line == 22);
}

TEST_CASE("a run that conflicts is found behind runs that do not", "[touched_runs]") {
  const WordTouch writes{0x0F0, 0, 0};
  const TouchedRuns even{{0, 1, writes}, {2, 3, writes}, {4, 5, writes}, {6, 20, writes}};
  const TouchedRuns odd{{1, 2, writes}, {3, 4, writes}, {5, 6, writes}, {19, 21, writes}};
  CHECK(first_conflict(even, odd).value().byte == 76);
  CHECK_FALSE(first_conflict(even, {{20, 21, writes}}));
}

TEST_CASE("the rows of a copy are bytes, not words", "[touched_runs]") {
  const TouchedRuns rows = runs_of_rows(3, 2, 6, 7, true).value();  // bytes 3 to 8 and 10 to 15
  std::vector<bool> touched(20);
  for (const auto& run : rows) {
    for (std::size_t byte = run.first * 4; byte < run.end * 4; ++byte) touched.at(byte) = (run.touch.bytes >> 4 >> (byte % 4) & 1) != 0;
  }
  for (std::size_t byte = 0; byte < touched.size(); ++byte) CHECK(touched[byte] == (byte >= 3 && byte <= 15 && byte != 9));
  CHECK(runs_of_rows(8, 100, 16, 16, false).value().size() == 1);
}

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
