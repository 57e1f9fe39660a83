// The fake programs, on descriptors 3 and 4, and the fake kernel, on descriptor 3. Only the broker's tests start them.
#include "fake_library.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "program/host_request.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/launch_memory.hpp"

using namespace tilelab;
using fake::expect;
using fake::Library;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

void compute_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Says that a kernel wrote these floats.
void mark(const protocol::ProgramMemory& memory, int file, std::uintptr_t first, std::size_t floats) {
  for (const protocol::ProgramBuffer& one : memory.buffers) {
    if (first - one.address >= one.bytes) continue;
    const std::vector<std::uint8_t> written(floats, 0xFF);
    fake::expect(
        pwrite(file, written.data(), floats, static_cast<off_t>(one.marks + (first - one.address) / 4)) == static_cast<ssize_t>(floats), 3);
  }
}

}  // namespace

TEST_CASE("fake kernel: adds one", "[.fake-program]") {
  Channel channel{Descriptor(protocol::socket_descriptor)};
  for (;;) {
    const Frame frame = channel.receive();
    const auto request = json::parse(frame.text).get<protocol::LaunchRequest>();
    protocol::LaunchReply reply;
    if (request.config->grid.x == 2) reply.status = protocol::Status::crash, reply.detail = "A thread crashes.";
    if (request.config->grid.x == 3) _exit(7);
    if (request.config->grid.x == 4)
      reply.findings.push_back(
          {.kind = "race", .severity = "error", .site = {}, .other = {}, .array = "x", .element = "x[0]", .message = "two at once"});
    if (reply.status == protocol::Status::completed) {
      simt::MemoryMap memory;
      const MappedProgram program(*request.memory, frame.descriptors, memory);
      auto* const x = reinterpret_cast<float*>(request.arguments.at(0).words.at(0));
      const std::uint64_t n = request.arguments.at(1).words.at(0) & 0xFFFFFFFF;
      if (request.config->grid.x != 5)  // such a launch writes what is there already
        for (std::uint64_t i = 0; i < n; ++i) x[i] += 1;
      mark(*request.memory, frame.descriptors.at(2).get(), reinterpret_cast<std::uintptr_t>(x), n);
      const protocol::ProgramBuffer& calls = request.memory->buffers.at(request.memory->variables.at(0).buffer);
      *reinterpret_cast<int*>(calls.address) += 1;
      for (std::size_t i = 0; i < request.memory->buffers.size(); ++i) {
        if (request.memory->buffers[i].name == "x") reply.uses.push_back({i, 0, 4, 0, 4});
      }
      reply.printed = "one more\n";
      for (const protocol::ProgramBuffer& one : request.memory->buffers)  // an honest runner runs each launch in a process of its own
        munmap(reinterpret_cast<void*>(one.address - simt::red_zone_bytes), one.bytes + protocol::program_gap);
    }
    channel.send(json(reply).dump());
  }
}

TEST_CASE("fake program: honest", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(12);
  cuda.put(x, {1, 2, 3});
  expect(cuda.launch(x, 3).at("error") == 0, 2);
  expect(cuda.launch(x + 4, 1).at("error") == 0, 3);
  const json waited = cuda.ask({{"op", "device"}, {"what", "synchronize"}});
  expect(waited.at("printed") == "one more\none more\n", 4);
  expect(cuda.get(x, 3) == std::vector<float>{2, 4, 4}, 5);
  const json calls = cuda.ask({{"op", "symbol"}, {"name", "calls"}, {"bytes", 4}});
  expect(calls.at("direction") == "done", 6);
  expect(cuda.copy(0x5000, calls.at("address"), 4, 2, 22).at("direction") == "read", 7);
  cuda.ask({{"op", "chunk"}, {"bytes", 4}});
  int count = 0;
  std::memcpy(&count, cuda.staging(), 4);
  expect(count == 2, 8);
  expect(cuda.ask({{"op", "free"}, {"address", x}, {"kind", "device"}, {"at", 40}}).at("error") == 0, 9);
  cuda.bye();
  _exit(42);
}

TEST_CASE("fake program: makes mistakes", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100, "device", 1), y = cuda.allocate(100, "device", 2);
  expect(cuda.copy(x, 0x5000, 101, 1, 3).at("error") == 1, 2);
  expect(cuda.copy(0x5000, x, 100, 1, 4).at("error") == 1, 3);
  expect(cuda.ask({{"op", "free"}, {"address", y}, {"kind", "device"}, {"at", 5}}).at("error") == 0, 4);
  expect(cuda.ask({{"op", "free"}, {"address", y}, {"kind", "device"}, {"at", 6}}).at("error") == 1, 5);
  expect(cuda.ask({{"op", "free"}, {"address", 0x5000}, {"kind", "device"}, {"at", 7}}).at("error") == 1, 6);
  expect(cuda.ask({{"op", "free"}, {"address", x + 4}, {"kind", "device"}, {"at", 8}}).at("error") == 1, 7);
  expect(cuda.copy(y, 0x5000, 4, 1, 9).at("error") == 1, 8);
  expect(cuda.launch(x, 1, {{"block", {2048, 1, 1}}, {"at", 10}}).at("error") == 9, 9);
  expect(cuda.ask({{"op", "last_error"}}).at("error") == 9, 10);
  expect(cuda.copy(0x5000, x, 100, 2, 11).at("error") == 0, 11);
  cuda.ask({{"op", "chunk"}, {"bytes", 100}});
  expect(cuda.ask({{"op", "touch"}, {"address", x}, {"at", 12}}).at("action") == "stop", 12);
  expect(cuda.launch(x, 1, {{"grid", {4, 1, 1}}, {"at", 13}}).at("error") == 0, 13);
  cuda.bye();
  _exit(0);
}

TEST_CASE("fake program: looks too early", "[.fake-program]") {
  Library cuda;
  const auto managed = cuda.allocate(64, "managed");
  const auto* const seen = static_cast<float*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, cuda.descriptor(), 0));
  expect(seen != MAP_FAILED, 2);
  expect(cuda.launch(managed, 1).at("guard") == json{{managed, 64}}, 3);
  expect(cuda.ask({{"op", "touch"}, {"address", managed}, {"at", 50}}).at("action") == "go on", 4);
  expect(cuda.ask({{"op", "touch"}, {"address", managed + 32}, {"at", 51}}).at("action") == "go on", 5);  // no kernel wrote there
  expect(cuda.ask({{"op", "device"}, {"what", "synchronize"}}).at("unguard") == json{{managed, 64}}, 6);
  expect(seen[0] == 1, 7);
  cuda.ask({{"op", "free"}, {"address", managed}, {"kind", "device"}});
  cuda.bye();
  _exit(0);
}

TEST_CASE("fake program: makes a graph", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100);
  // Nodes are made: they are looked at, and nothing happens.
  expect(cuda.launch(x, 1, {{"planned_by", "cudaGraphAddKernelNode"}, {"at", 80}}).at("error") == 0, 2);
  expect(cuda.launch(x, 1, {{"planned_by", "cudaGraphAddKernelNode"}, {"block", {2048, 1, 1}}, {"at", 81}}).at("error") == 9, 3);
  expect(cuda.copy(x, 0x5000, 100, 1, 82, {{"planned_by", "cudaGraphAddMemcpyNode1D"}}).at("direction") == "done", 4);
  expect(cuda.copy(x, 0x5000, 101, 1, 83, {{"planned_by", "cudaGraphAddMemcpyNode1D"}}).at("error") == 1, 5);
  const json fill = {{"op", "fill"}, {"to", x}, {"value", 1}, {"width", 4}, {"rows", 1}, {"row_bytes", 8}, {"pitch", 8}, {"at", 84}};
  json planned = fill;
  planned["planned_by"] = "cudaGraphAddMemsetNode";
  expect(cuda.ask(planned).at("error") == 0, 6);
  // The graph runs: a fill, and beside it a kernel that writes the same word.
  json node = fill;
  node["graph"] = 1;
  expect(cuda.ask(node).at("error") == 0, 7);
  const auto branch = cuda.ask({{"op", "stream"}, {"what", "create"}, {"stream", 0}, {"nonblocking", true}, {"hidden", true}}).at("stream");
  expect(cuda.launch(x, 1, {{"graph", 1}, {"stream", branch}, {"at", 85}}).at("error") == 0, 8);
  cuda.ask({{"op", "device"}, {"what", "synchronize"}});
  // Memory of a graph: an address first, memory when its node's turn comes.
  json allocate = {{"op", "allocate"}, {"bytes", 64}, {"kind", "device"}, {"reserved", true}, {"at", 86}};
  const auto y = cuda.ask(allocate).at("address").get<std::uint64_t>();
  expect(cuda.copy(y, 0x5000, 64, 1, 87, {{"planned_by", "cudaGraphAddMemcpyNode1D"}}).at("error") == 0, 9);
  expect(cuda.copy(y, 0x5000, 64, 1, 88).at("error") == 1, 10);
  allocate.erase("reserved");
  allocate.update({{"address", y}, {"stream", 0}, {"graph", 2}});
  expect(cuda.ask(allocate).at("error") == 0, 11);
  expect(cuda.ask(allocate).at("error") == 1, 12);  // it lives already
  cuda.put(y, {1, 2});
  expect(cuda.ask({{"op", "free"}, {"address", y}, {"kind", "device"}, {"async", true}, {"stream", 0}, {"at", 89}}).at("error") == 0, 13);
  expect(cuda.ask(allocate).at("error") == 0, 14);
  cuda.ask({{"op", "free"}, {"address", x}, {"kind", "device"}});
  cuda.bye();
  _exit(0);
}

TEST_CASE("fake program: allocates where nothing is reserved", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100);
  cuda.ask({{"op", "allocate"}, {"bytes", 100}, {"kind", "device"}, {"address", x}});
  _exit(9);
}

TEST_CASE("fake program: its kernel crashes", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100);
  expect(cuda.launch(x, 1, {{"grid", {2, 1, 1}}}).at("error") == 0, 2);
  expect(cuda.ask({{"op", "last_error"}}).at("error") == 0, 3);
  expect(cuda.ask({{"op", "device"}, {"what", "synchronize"}, {"at", 60}}).at("error") == 700, 4);
  expect(cuda.copy(x, 0x5000, 4, 1, 61).at("error") == 700, 5);
  expect(cuda.launch(x, 1).at("error") == 700, 6);
  expect(cuda.ask({{"op", "last_error"}}).at("error") == 700, 7);
  _exit(1);
}

TEST_CASE("fake program: launches what cannot be built", "[.fake-program]") {
  Library cuda;
  cuda.ask({{"op", "launch"}, {"kernel", fake::not_built}, {"at", 70}});
  _exit(9);
}

TEST_CASE("fake program: its runner dies", "[.fake-program]") {
  Library cuda;
  cuda.launch(cuda.allocate(100), 1, {{"grid", {3, 1, 1}}});
  _exit(9);
}

TEST_CASE("fake program: asks for nothing", "[.fake-program]") { _exit(5); }

TEST_CASE("fake program: crashes", "[.fake-program]") {
  Library cuda;
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

TEST_CASE("fake program: is killed", "[.fake-program]") {
  Library cuda;
  std::raise(SIGKILL);
}

TEST_CASE("fake program: never ends", "[.fake-program]") {
  Library cuda;
  for (;;) pause();
}

TEST_CASE("fake program: asks without end", "[.fake-program]") {
  Library cuda;
  for (;;) cuda.ask({{"op", "memory"}});
}

TEST_CASE("fake program: closes its socket and waits", "[.fake-program]") {
  Library cuda;
  close(program::host_socket);
  for (;;) pause();
}

TEST_CASE("fake program: computes for ever", "[.fake-program]") {
  Library cuda;
  compute_for(1h);
}

TEST_CASE("fake program: naps for ever", "[.fake-program]") {
  Library cuda;
  for (;;) {
    compute_for(50ms);
    usleep(100'000);
  }
}

TEST_CASE("fake program: waits for a child that computes", "[.fake-program]") {
  Library cuda;
  if (fork() == 0) compute_for(1h);
  for (;;) pause();
}

TEST_CASE("fake program: asks now and then", "[.fake-program]") {
  Library cuda;
  for (;;) {
    cuda.ask({{"op", "memory"}});
    usleep(300'000);
  }
}

TEST_CASE("fake program: leaves a child behind", "[.fake-program]") {
  Library cuda;
  if (fork() == 0) {
    for (;;) pause();
  }
  _exit(6);
}

TEST_CASE("fake program: copies pieces that the copy does not have", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100);
  cuda.copy(x, 0x5000, 100, 1, 1);
  cuda.ask({{"op", "chunk"}, {"bytes", 60}});
  cuda.ask({{"op", "chunk"}, {"bytes", 60}});
  _exit(9);
}

TEST_CASE("fake program: asks in the middle of a copy", "[.fake-program]") {
  Library cuda;
  const auto x = cuda.allocate(100);
  cuda.copy(x, 0x5000, 100, 1, 1);
  cuda.ask({{"op", "free"}, {"address", x}, {"kind", "device"}});
  _exit(9);
}

TEST_CASE("fake program: passes other arguments than the kernel has", "[.fake-program]") {
  Library cuda;
  cuda.launch(0, 0, {{"arguments", {"00"}}});
  _exit(9);
}

TEST_CASE("fake program: talks nonsense", "[.fake-program]") {
  Library cuda;
  cuda.say(std::string(1'000'000, '['));
  cuda.ask({{"op", "bye"}});
  _exit(9);
}

TEST_CASE("fake program: announces a gigabyte", "[.fake-program]") {
  Library cuda;
  const std::uint32_t size = 1u << 30;
  expect(write(program::host_socket, &size, sizeof size) == sizeof size, 2);
  for (;;) pause();
}

TEST_CASE("fake program: asks for impossible things", "[.fake-program]") {
  Library cuda;
  const std::uint64_t huge = ~std::uint64_t{0};
  const auto x = cuda.allocate(100);
  expect(cuda.ask({{"op", "allocate"}, {"bytes", huge}, {"kind", "device"}}).at("error") == 2, 2);
  expect(cuda.copy(x, 0x5000, huge, 1, 1).at("error") == 1, 3);
  expect(cuda.copy(x, 0x5000, huge / 2 + 2, 1, 1, {{"rows", 2}, {"to_pitch", huge}, {"from_pitch", huge}}).at("error") == 1, 4);
  expect(cuda.copy(x, 0x5000, 1, 1, 1, {{"rows", huge}, {"to_pitch", 0}, {"from_pitch", 0}}).at("error") == 1, 5);
  expect(cuda.copy(x + 99, 0x5000, 1, 1, 1, {{"rows", 2}, {"to_pitch", 1}, {"from_pitch", 1}}).at("error") == 1, 6);
  expect(cuda.copy(x, 0x5000, 4, 99, 1).at("error") == 21, 7);
  expect(cuda.copy(x, 0x5000, 4, 1, 1, {{"stream", huge}}).at("error") == 400, 8);
  expect(cuda.copy(program::memory_end - 1, 0x5000, huge, 4, 1).at("error") == 1, 9);
  expect(cuda.ask({{"op", "fill"}, {"to", x}, {"value", 1}, {"width", 4}, {"rows", 1}, {"row_bytes", 101}}).at("error") == 1, 10);
  expect(cuda.launch(x, 1, {{"shared", huge}}).at("error") != 0, 11);
  expect(cuda.launch(x, 1, {{"kernel", "nothing"}}).at("error") == 98, 12);
  expect(cuda.ask({{"op", "symbol"}, {"name", "v"}, {"bytes", huge}}).at("error") == 1, 13);
  expect(cuda.ask({{"op", "symbol"}, {"name", "v"}, {"bytes", 0}}).at("error") == 1, 14);
  expect(cuda.ask({{"op", "event"}, {"what", "record"}, {"event", huge}}).at("error") == 400, 15);
  expect(cuda.ask({{"op", "stream"}, {"what", "destroy"}, {"stream", 0}}).at("error") == 400, 16);
  expect(cuda.ask({{"op", "touch"}, {"address", huge}, {"at", huge}}).at("action") == "stop", 17);
  cuda.bye();
  cuda.bye();
  _exit(0);
}

TEST_CASE("fake program: makes as many mistakes as it can", "[.fake-program]") {
  Library cuda;
  for (int at = 0; at < 3000; ++at) cuda.ask({{"op", "free"}, {"address", 1}, {"kind", "device"}, {"at", at}});
  _exit(0);
}
