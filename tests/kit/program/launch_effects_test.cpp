// What is known of a launch's effects from its reply, and when it is not enough.
#include "program/order/launch_effects.hpp"

#include <catch2/catch_test_macros.hpp>

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
