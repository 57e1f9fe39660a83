// Launches that need not run again.
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "program/memory/device_memory.hpp"
#include "program/memory/repeated_launches.hpp"

using namespace tilelab::program;
using tilelab::protocol::BufferUse;
using tilelab::protocol::LaunchReply;
using tilelab::protocol::ProgramMemory;
using tilelab::protocol::Status;

namespace {

constexpr std::size_t mebibyte = 1u << 20;

BufferUse use(std::size_t buffer, std::size_t read_first, std::size_t read_end, std::size_t written_first, std::size_t written_end) {
  BufferUse one;
  one.buffer = buffer;
  one.read = {read_first, read_end};
  one.written = {written_first, written_end};
  return one;
}

struct Launched {
  DeviceMemory memory{4 * mebibyte};
  std::vector<Allocation*> buffers{memory.allocate(1000, MemoryKind::device, 1), memory.allocate(1000, MemoryKind::device, 2),
                                   memory.allocate(1000, MemoryKind::managed, 3)};
  ProgramMemory found;
  LaunchReply reply;

  Launched() {
    reply.status = Status::completed;
    reply.uses = {use(0, 0, 1000, 0, 0), use(1, 0, 0, 0, 1000)};
  }
  bool can_be_done_again() const { return effects_of(found, reply, buffers).can_be_done_again(); }
};

}  // namespace

TEST_CASE("what was read and written is told apart for each allocation", "[launch_effects]") {
  const Launched launched;
  const LaunchEffects effects = effects_of(launched.found, launched.reply, launched.buffers);
  CHECK(effects.can_be_done_again());
  CHECK(effects.read == std::vector<const Allocation*>{launched.buffers[0]});
  CHECK(effects.written == std::vector<const Allocation*>{launched.buffers[1]});
}

TEST_CASE("a launch may read and write parts of one allocation that do not overlap", "[launch_effects]") {
  Launched launched;
  launched.reply.uses = {use(0, 0, 500, 500, 1000)};
  CHECK(launched.can_be_done_again());
  launched.reply.uses = {use(0, 0, 501, 500, 1000)};
  CHECK_FALSE(launched.can_be_done_again());
}

TEST_CASE("a launch is not done again if it did more than its ranges say", "[launch_effects]") {
  Launched launched;
  SECTION("it did not complete") { launched.reply.status = Status::crash; }
  SECTION("it changed a variable") { launched.reply.left_data = true; }
  SECTION("it printed") { launched.reply.printed = "x"; }
  SECTION("it has a finding, which may be a write to what it may only read") { launched.reply.findings.emplace_back(); }
  SECTION("it may have allocated") { launched.found.heap = 1; }
  SECTION("it gave a variable its first value") { launched.found.variables = {{"x", 0, false}}; }
  SECTION("it wrote a variable through a pointer") { launched.found.variables = {{"x", 1, true}}; }
  SECTION("it used memory that the host uses as well") { launched.reply.uses.push_back(use(2, 0, 4, 0, 0)); }
  SECTION("a variable lies in memory that the host uses as well") { launched.found.variables = {{"x", 2, true}}; }
  CHECK_FALSE(launched.can_be_done_again());
}

TEST_CASE("a variable that has its value counts as read", "[launch_effects]") {
  Launched launched;
  launched.found.variables = {{"x", 0, true}};
  launched.reply.uses = {use(1, 0, 0, 0, 1000)};
  const LaunchEffects effects = effects_of(launched.found, launched.reply, launched.buffers);
  CHECK(effects.can_be_done_again());
  CHECK(effects.read == std::vector<const Allocation*>{launched.buffers[0]});
}

using namespace tilelab::program;
using namespace std::chrono_literals;
using tilelab::protocol::LaunchReply;
using tilelab::protocol::Status;

namespace {

LaunchReply reply(const char* printed, Status status = Status::completed) {
  LaunchReply one;
  one.status = status;
  one.printed = printed;
  return one;
}

struct Repeated {
  DeviceMemory memory{4 * mebibyte};
  Allocation& x = *memory.allocate(20'000, MemoryKind::device, 1);
  RepeatedLaunches launches{memory, 2 * mebibyte};

  // A kernel that writes `value` to a byte of x, which takes `took`. Returns whether it ran.
  bool launch(std::size_t at, char value, std::chrono::nanoseconds took = 1s, Status status = Status::completed,
              const std::string& request = "kernel") {
    if (launches.again(request) != nullptr) return false;
    x.content[at] = value;
    mark_as_set(x.marks, at, 1);
    launches.ran(reply("done", status), took);
    return true;
  }
};

// Kernels of which it is known what they read and write.
struct KnownEffects {
  DeviceMemory memory{4 * mebibyte};
  Allocation& in = *memory.allocate(1000, MemoryKind::device, 1);
  Allocation& middle = *memory.allocate(1000, MemoryKind::device, 2);
  Allocation& out = *memory.allocate(1000, MemoryKind::device, 3);
  RepeatedLaunches launches{memory, 2 * mebibyte};

  static LaunchEffects effects(const Allocation& read, const Allocation& written) {
    return {.are_known = true, .read = {&read}, .written = {&written}};
  }
  // Returns whether it ran.
  bool launch(const LaunchEffects& effects, const std::string& request = "kernel") {
    if (launches.again(request) != nullptr) return false;
    launches.ran(reply("done"), 1us, effects);
    return true;
  }
};

}  // namespace

TEST_CASE("a launch that reads nothing of what it writes runs once, however short it is", "[repeated_launches]") {
  KnownEffects program;
  const LaunchEffects effects = KnownEffects::effects(program.in, program.out);
  CHECK(program.launch(effects));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(program.launch(effects));
  program.launches.memory_may_change();
  CHECK(program.launch(effects));
  CHECK_FALSE(program.launch(effects));
}

TEST_CASE("a launch runs twice if it read what it wrote, used memory of the host, or did what nobody knows", "[repeated_launches]") {
  KnownEffects program;
  LaunchEffects effects = KnownEffects::effects(program.in, program.out);
  SECTION("it read what it wrote") { effects.reads_what_it_writes = true; }
  SECTION("it used memory of the host") { effects.uses_memory_of_host = true; }
  SECTION("nobody knows") { effects.are_known = false; }
  CHECK(program.launch(effects));
  CHECK(program.launch(effects));
}

TEST_CASE("two launches in turn run once if each reads what the other leaves alone, or leaves as it was", "[repeated_launches]") {
  KnownEffects program;
  const auto first = KnownEffects::effects(program.in, program.middle), second = KnownEffects::effects(program.middle, program.out);
  CHECK(program.launch(first, "first"));
  CHECK(program.launch(second, "second"));
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(program.launch(first, "first"));
    CHECK_FALSE(program.launch(second, "second"));
  }
}

TEST_CASE("a launch runs again after another wrote what it reads or what it wrote", "[repeated_launches]") {
  KnownEffects program;
  const auto effects = KnownEffects::effects(program.in, program.out);
  CHECK(program.launch(effects));
  SECTION("what it reads") { CHECK(program.launch(KnownEffects::effects(program.middle, program.in), "other")); }
  SECTION("what it wrote") { CHECK(program.launch(KnownEffects::effects(program.middle, program.out), "other")); }
  SECTION("nobody knows what, as it came to no end") { REQUIRE(program.launches.again("other") == nullptr); }
  CHECK(program.launch(effects));
}

TEST_CASE("a launch that finds what it left runs twice and then no more", "[repeated_launches]") {
  Repeated program;
  CHECK(program.launch(12'345, 7));
  CHECK(program.launch(12'345, 7));
  for (int i = 0; i < 5; ++i) CHECK_FALSE(program.launch(12'345, 7));
  const LaunchReply* known = program.launches.again("kernel");
  REQUIRE(known != nullptr);
  CHECK(known->printed == "done");
}

TEST_CASE("a launch that finds the same memory as before leaves there what it left before", "[repeated_launches]") {
  Repeated program;
  const auto reset = [&] {
    std::memset(program.x.content, 0, program.x.bytes);
    std::memset(program.x.marks, 0, program.x.bytes / 4);
    mark_as_set(program.x.marks, 0, 100);
  };
  for (int i = 0; i < 2; ++i) {
    reset();
    CHECK(program.launch(19'999, 9));
  }
  reset();
  CHECK_FALSE(program.launch(19'999, 9));
  CHECK(program.x.content[19'999] == 9);
  CHECK(all_set(program.x.marks, 19'999, 1));
  CHECK(none_set(program.x.marks, 100, 19'899));
}

TEST_CASE("one byte, one mark or one word of the request that differs makes a launch run", "[repeated_launches]") {
  Repeated program;
  for (int i = 0; i < 2; ++i) program.launch(0, 1);
  REQUIRE_FALSE(program.launch(0, 1));
  SECTION("a byte") { program.x.content[19'998] = 1; }
  SECTION("a mark") { mark_as_set(program.x.marks, 19'998, 1); }
  program.launches.memory_may_change();
  SECTION("a word") {
    CHECK(program.launch(0, 1, 1s, Status::completed, "other kernel"));
    return;
  }
  CHECK(program.launch(0, 1));
}

TEST_CASE("a launch that was short, did not complete, or meets too much memory always runs", "[repeated_launches]") {
  Repeated program;
  SECTION("short") {
    for (int i = 0; i < 4; ++i) CHECK(program.launch(0, 1, 1ms));
  }
  SECTION("crashed") {
    for (int i = 0; i < 4; ++i) CHECK(program.launch(0, 1, 1s, Status::crash));
  }
  SECTION("too much memory") {
    program.memory.allocate(2 * mebibyte, MemoryKind::device, 2);
    for (int i = 0; i < 4; ++i) CHECK(program.launch(0, 1));
  }
  SECTION("nothing may be kept") {
    program.launches.~RepeatedLaunches();
    new (&program.launches) RepeatedLaunches(program.memory, 0);
    for (int i = 0; i < 4; ++i) CHECK(program.launch(0, 1));
  }
}

TEST_CASE("a launch whose memory changes each time is kept no more after a while", "[repeated_launches]") {
  Repeated program;
  for (char i = 0; i < 20; ++i) CHECK(program.launch(5, i));
  for (int i = 0; i < 3; ++i) CHECK(program.launch(5, 19));
}

TEST_CASE("a launch that is repeated in many groups, each on other memory, runs twice in each", "[repeated_launches]") {
  Repeated program;
  for (char group = 1; group < 20; ++group) {
    program.x.content[100] = group;
    program.launches.memory_may_change();
    CHECK(program.launch(5, group));
    CHECK(program.launch(5, group));
    for (int i = 0; i < 3; ++i) CHECK_FALSE(program.launch(5, group));
  }
}

TEST_CASE("memory is looked at again after every call that may change it, and always where the host sees it", "[repeated_launches]") {
  Repeated program;
  const bool is_seen = GENERATE(false, true);
  Allocation* const managed = is_seen ? program.memory.allocate(8, MemoryKind::managed, 2) : nullptr;
  for (int i = 0; i < 2; ++i) program.launch(0, 1);
  for (int i = 0; i < 3; ++i) REQUIRE_FALSE(program.launch(0, 1));
  if (is_seen) {
    managed->content[3] = 1;
  } else {
    program.x.content[19'998] = 1;
    CHECK_FALSE(program.launch(0, 1));  // nobody has said a word
    program.launches.memory_may_change();
  }
  CHECK(program.launch(0, 1));
}

TEST_CASE("a launch between two others makes both look again", "[repeated_launches]") {
  Repeated program;
  for (int i = 0; i < 3; ++i) program.launch(0, 1);
  REQUIRE_FALSE(program.launch(0, 1));
  CHECK(program.launch(9, 1, 1s, Status::completed, "other"));
  CHECK(program.launch(0, 1));
}

TEST_CASE("of many launches, those asked for longest ago are forgotten", "[repeated_launches]") {
  Repeated program;
  program.memory.allocate(mebibyte, MemoryKind::device, 2);  // two copies of it fit, but not its marks
  const auto launch = [&](const char* name) { return program.launch(1, 1, 1s, Status::completed, name); };
  for (int i = 0; i < 2; ++i) CHECK(launch("one"));
  CHECK_FALSE(launch("one"));
  for (int i = 0; i < 2; ++i) CHECK(launch("two"));
  CHECK_FALSE(launch("two"));
  CHECK(launch("one"));
}
