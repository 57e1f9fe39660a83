// Launchers for the judge's tests: each gets `in`, `out` and `n`, and is to leave in + 1 in out. Only launcher_judge_test.cpp starts them.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "fake_library.hpp"

using namespace tilelab;
using fake::expect;
using fake::Library;
using nlohmann::json;

namespace {

constexpr int device_to_device = 3, by_address = 4;

struct Launcher {
  Library cuda;
  std::uint64_t in, out;
  int n;

  Launcher() {
    const json list = cuda.ask({{"op", "operands"}, {"count", 3}}).at("operands");
    in = list.at(0).at("address");
    out = list.at(1).at("address");
    n = list.at(2).at("value").get<int>();
  }
  std::size_t bytes() const { return static_cast<std::size_t>(n) * 4; }
  std::vector<float> answer() {
    std::vector<float> values = cuda.get(in, static_cast<std::size_t>(n));
    for (float& one : values) one += 1;
    return values;
  }
  // Writes what is there already, as a kernel would.
  void pass_on(std::uint64_t at, int count) { cuda.launch(at, count, {{"grid", {5, 1, 1}}}); }
  void device_copy(std::uint64_t to, std::uint64_t from, std::size_t count) { cuda.copy(to, from, count, device_to_device, 22); }
  [[noreturn]] void finish() {
    cuda.ask({{"op", "finish"}});
    _exit(0);
  }
};

// Memory of the host's and the device's, mapped here.
float* shared(Launcher& launcher, std::uint64_t& address) {
  address = launcher.cuda.allocate(launcher.bytes(), "managed");
  void* const mapped = mmap(nullptr, launcher.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, launcher.cuda.descriptor(), 0);
  expect(mapped != MAP_FAILED, 4);
  return static_cast<float*>(mapped);
}

}  // namespace

TEST_CASE("fake program: launcher that adds one", "[.fake-program]") {
  Launcher one;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.device_copy(scratch, one.in, one.bytes());
  one.cuda.launch(scratch, one.n);
  one.device_copy(one.out, scratch, one.bytes());
  one.cuda.ask({{"op", "free"}, {"address", scratch}, {"kind", "device"}});
  one.finish();
}

TEST_CASE("fake program: launcher that goes by way of managed memory", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  shared(one, managed);
  one.cuda.copy(managed, one.in, one.bytes(), by_address, 20);
  one.cuda.launch(managed, one.n);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  one.finish();
}

TEST_CASE("fake program: launcher that brings the result to the host and back", "[.fake-program]") {
  Launcher one;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.device_copy(scratch, one.in, one.bytes());
  one.cuda.launch(scratch, one.n);
  const auto seen = one.cuda.get(scratch, static_cast<std::size_t>(one.n));
  one.cuda.put(scratch, seen);
  one.pass_on(scratch, one.n);
  one.device_copy(one.out, scratch, one.bytes());
  one.finish();
}

TEST_CASE("fake program: launcher on memory of the host", "[.fake-program]") {
  Launcher one;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.cuda.copy(scratch, one.in, one.bytes(), 1, 20);
  one.cuda.launch(scratch, one.n);
  one.cuda.copy(one.out, scratch, one.bytes(), 2, 21);
  one.cuda.ask({{"op", "free"}, {"address", scratch}, {"kind", "device"}});
  one.finish();
}

TEST_CASE("fake program: launcher that computes on the host", "[.fake-program]") {
  Launcher one;
  one.cuda.put(one.out, one.answer());
  one.finish();
}

TEST_CASE("fake program: launcher that sends what the host computed to a kernel", "[.fake-program]") {
  Launcher one;
  one.cuda.put(one.out, one.answer());
  one.pass_on(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that sends the host's result piece by piece", "[.fake-program]") {
  Launcher one;
  const auto answer = one.answer();
  for (std::size_t i = 0; i < answer.size(); ++i) one.cuda.put(one.out + 4 * i, {answer[i]});
  one.pass_on(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that hands the host's result over in managed memory", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  float* const seen = shared(one, managed);
  const auto answer = one.answer();
  std::copy(answer.begin(), answer.end(), seen);
  one.pass_on(managed, one.n);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  one.finish();
}

TEST_CASE("fake program: launcher that writes over what a kernel left in managed memory", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  float* const seen = shared(one, managed);
  one.pass_on(managed, one.n);
  const auto answer = one.answer();
  std::copy(answer.begin(), answer.end(), seen);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  one.finish();
}

TEST_CASE("fake program: launcher that writes to managed memory while a kernel runs", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  float* const seen = shared(one, managed);
  const auto answer = one.answer();
  std::thread([=] {
    for (;;) std::copy(answer.begin(), answer.end(), const_cast<float volatile*>(seen));
  }).detach();
  usleep(20'000);
  one.cuda.launch(managed, one.n);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  one.finish();
}

TEST_CASE("fake program: launcher that makes the result of pieces of the input", "[.fake-program]") {
  Launcher one;  // the input counts up, so the next element is the answer
  one.device_copy(one.out, one.in + 4, one.bytes() - 4);
  one.device_copy(one.out + one.bytes() - 4, one.in + one.bytes() - 4, 4);
  one.cuda.launch(one.out + one.bytes() - 4, 1);
  one.finish();
}

TEST_CASE("fake program: launcher that finishes before its kernel", "[.fake-program]") {
  Launcher one;
  one.cuda.say(json{{"op", "finish"}}.dump());
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that ends the program", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.cuda.bye();
  _exit(0);
}

TEST_CASE("fake program: launcher that gives back an operand", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  expect(one.cuda.ask({{"op", "free"}, {"address", one.in}, {"kind", "device"}, {"at", 50}}).at("error") != 0, 5);
  one.finish();
}

TEST_CASE("fake program: launcher that resets the device", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.cuda.ask({{"op", "device"}, {"what", "reset"}, {"at", 51}});
  one.finish();
}

TEST_CASE("fake program: launcher that changes its input", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.cuda.launch(one.in, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that clears its input", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.cuda.ask({{"op", "fill"}, {"to", one.in}, {"rows", 1}, {"row_bytes", one.bytes()}, {"width", 1}, {"value", 0}, {"at", 61}});
  one.finish();
}

TEST_CASE("fake program: launcher that calls its kernel like a function", "[.fake-program]") {
  Launcher one;
  one.cuda.ask({{"op", "note"}, {"kind", "not-configured"}, {"kernel", fake::add_one}, {"at", 62}});
  _exit(1);
}

TEST_CASE("fake program: launcher that forgets the end", "[.fake-program]") {
  Launcher one;
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n - 1);
  one.finish();
}

TEST_CASE("fake program: launcher that forgets everything", "[.fake-program]") {
  Launcher one;
  one.finish();
}

TEST_CASE("fake program: launcher that keeps something back", "[.fake-program]") {
  Launcher one;
  one.cuda.allocate(100, "device", 77);
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that leaves notes for the next run", "[.fake-program]") {
  if (access("notes", F_OK) == 0 || access("locked", F_OK) == 0) _exit(7);
  Launcher one;
  close(open("notes", O_CREAT | O_WRONLY, 0600));
  expect(system("mkdir -p locked/inside && ln -s / locked/link && chmod 0 locked/inside locked .") == 0, 8);
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that leaves threads and children at work", "[.fake-program]") {
  Launcher one;
  std::thread([] {
    for (;;) pause();
  }).detach();
  if (fork() == 0) {
    for (;;) pause();
  }
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.finish();
}

TEST_CASE("fake program: launcher that writes nonsense to its socket", "[.fake-program]") {
  Launcher one;
  one.cuda.say("{\"op\": [");
  one.finish();
}

TEST_CASE("fake program: launcher that calls what the library cannot do", "[.fake-program]") {
  Launcher one;
  one.cuda.say(R"({"op": "refuse", "at": 20, "message": "Views are missing here."})");
  pause();
}

TEST_CASE("fake program: launcher that asks for other operands", "[.fake-program]") {
  Library cuda;
  cuda.ask({{"op", "operands"}, {"count", 2}});
  _exit(9);
}

TEST_CASE("fake program: launcher that never comes back", "[.fake-program]") {
  Launcher one;
  for (;;) pause();
}

TEST_CASE("fake program: launcher that prints without end", "[.fake-program]") {
  Launcher one;
  const std::string line(1 << 16, 'x');
  for (;;) expect(write(1, line.data(), line.size()) > 0, 10);
}

TEST_CASE("fake program: launcher that fills its folder", "[.fake-program]") {
  Launcher one;
  for (int i = 0;; ++i) close(open(std::to_string(i % 20'000).c_str(), O_CREAT | O_WRONLY, 0600));
}

TEST_CASE("fake program: launcher that uses up its processor time", "[.fake-program]") {
  Launcher one;
  std::signal(SIGXCPU, SIG_DFL);
  raise(SIGXCPU);
}

TEST_CASE("fake program: launcher that ignores the end of its processor time", "[.fake-program]") {
  Launcher one;
  std::signal(SIGXCPU, SIG_IGN);
  for (std::atomic<bool> runs{true}; runs;) {
  }
}

TEST_CASE("fake program: launcher that keeps a child at work and asks without end", "[.fake-program]") {
  Launcher one;
  if (fork() == 0) {
    for (std::atomic<bool> runs{true}; runs;) {
    }
  }
  for (;;) one.cuda.ask({{"op", "memory"}});
}

TEST_CASE("fake program: launcher that writes a file beyond its size", "[.fake-program]") {
  Launcher one;
  std::signal(SIGXFSZ, SIG_DFL);
  raise(SIGXFSZ);
}

TEST_CASE("fake program: launcher that does not look whether its file was written", "[.fake-program]") {
  Launcher one;
  const int file = open("out.bin", O_CREAT | O_WRONLY, 0600);
  expect(ftruncate(file, 1 << 20) == 0, 11);
  _exit(3);
}

TEST_CASE("fake program: launcher that is refused memory", "[.fake-program]") {
  Launcher one;
  one.cuda.ask({{"op", "touch"}, {"address", 0}, {"write", false}, {"signal", SIGABRT}, {"refused_bytes", 1ull << 40}});
  std::signal(SIGABRT, SIG_DFL);
  abort();
}

TEST_CASE("fake program: launcher that sends the host's result in disguise", "[.fake-program]") {
  Launcher one;
  auto values = one.answer();
  for (float& value : values) value -= 1000;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.cuda.put(scratch, values);
  for (int i = 0; i < 1000; ++i) one.cuda.launch(scratch, one.n);
  one.device_copy(one.out, scratch, one.bytes());
  one.finish();
}

TEST_CASE("fake program: launcher that looks at its input", "[.fake-program]") {
  Launcher one;
  one.answer();
  one.device_copy(one.out, one.in, one.bytes());
  one.cuda.launch(one.out, one.n);
  one.finish();
}

// The input by way of memory of its own, and what becomes of it when 100 launches have added 1.
TEST_CASE("fake program: launcher that sends what it computed from a copy of its input", "[.fake-program]") {
  Launcher one;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.device_copy(scratch, one.in, one.bytes());
  auto values = one.cuda.get(scratch, static_cast<std::size_t>(one.n));
  for (float& value : values) value -= 99;
  one.cuda.put(scratch, values);
  for (int i = 0; i < 100; ++i) one.cuda.launch(scratch, one.n);
  one.device_copy(one.out, scratch, one.bytes());
  one.finish();
}

TEST_CASE("fake program: launcher that computes in managed memory what kernels finish", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  float* const seen = shared(one, managed);
  one.cuda.copy(managed, one.in, one.bytes(), by_address, 20);
  one.pass_on(managed, one.n);
  for (int i = 0; i < one.n; ++i) seen[i] -= 99;
  for (int i = 0; i < 100; ++i) one.cuda.launch(managed, one.n);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  one.finish();
}

TEST_CASE("fake program: launcher that looks at all that its kernels make", "[.fake-program]") {
  Launcher one;
  std::uint64_t managed = 0;
  float* const seen = shared(one, managed);
  one.cuda.copy(managed, one.in, one.bytes(), by_address, 20);
  one.cuda.launch(managed, one.n);
  one.cuda.copy(one.out, managed, one.bytes(), by_address, 21);
  const auto before = one.answer(), after = one.cuda.get(one.out, static_cast<std::size_t>(one.n));
  for (std::size_t i = 0; i < after.size(); ++i)
    if (after[i] != before[i] || seen[i] != before[i]) _exit(9);  // what it is shown fits together
  one.finish();
}

TEST_CASE("fake program: launcher that carries its input to a kernel", "[.fake-program]") {
  Launcher one;
  const auto scratch = one.cuda.allocate(one.bytes());
  one.cuda.put(scratch, one.cuda.get(one.in, static_cast<std::size_t>(one.n)));
  one.cuda.launch(scratch, one.n);
  one.device_copy(one.out, scratch, one.bytes());
  one.finish();
}
