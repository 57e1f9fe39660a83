// A runner process is started, restarted, limited, and distinguished from one that never started.
#include "judge/process/runner_process.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fake_runner.hpp"

using namespace tilelab;
using namespace tilelab::judge;
using Catch::Matchers::ContainsSubstring;
using Kind = Answer::Kind;

namespace {

// The buffers of fake::small_request(), all zero.
struct Buffers {
  std::vector<MemoryFile> files;
  Buffers() {
    for (const std::size_t bytes : {24, 24, 16}) files.emplace_back(std::vector<std::byte>(bytes));
  }
};

// Waits until a killed process, which is not our child, is gone. Returns false if it is still alive after the last try.
bool is_gone(pid_t pid) {
  for (int tries = 0; tries < 5000; ++tries) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string ignored, state;
    if (!(stat >> ignored >> ignored >> state) || state == "Z" || state == "X") return true;
    ::usleep(1000);
  }
  return false;
}

}  // namespace

TEST_CASE("a runner answers one launch after the other", "[runner-process]") {
  RunnerProcess runner(fake::runner("honest"));
  const Buffers buffers;
  for (int i = 0; i < 3; ++i) {
    const Answer answer = runner.launch(fake::small_request(), buffers.files);
    REQUIRE(answer.kind == Kind::reply);
    CHECK(read_reply(answer.text));
  }
}

TEST_CASE("a runner that cannot be started is no fault of the submission", "[runner-process]") {
  const Buffers buffers;
  RunnerProcess missing({"/nonexistent/runner"});
  const Answer absent = missing.launch(fake::small_request(), buffers.files);
  CHECK(absent.kind == Kind::never_started);
  CHECK_THAT(absent.text, ContainsSubstring("cannot start /nonexistent/runner"));

  RunnerProcess refused({"sh", "-c", "echo no namespaces here >&2; exit 7"});
  const Answer ended = refused.launch(fake::small_request(), buffers.files);
  CHECK(ended.kind == Kind::never_started);
  CHECK_THAT(ended.text, ContainsSubstring("status 7: no namespaces here"));
}

TEST_CASE("a runner that never reads its request is no fault of the submission", "[runner-process]") {
  const Buffers buffers;
  RunnerProcess runner({"sleep", "1000"}, std::chrono::milliseconds(10));
  auto request = fake::small_request();
  request.clock_ms = 1;
  CHECK(runner.launch(request, buffers.files).kind == Kind::never_started);
}

TEST_CASE("a runner that leaves the conversation has died, and the next launch gets a new one", "[runner-process]") {
  const auto name = GENERATE("dies", "closes its socket and stays", "sends half a frame");
  CAPTURE(name);
  RunnerProcess runner(fake::runner(name));
  const Buffers buffers;
  for (int i = 0; i < 2; ++i) CHECK(runner.launch(fake::small_request(), buffers.files).kind == Kind::died);
}

TEST_CASE("a runner that breaks the conversation's rules was tampered with", "[runner-process]") {
  RunnerProcess runner(fake::runner("announces a gigabyte"));
  const Buffers buffers;
  for (int i = 0; i < 2; ++i) CHECK(runner.launch(fake::small_request(), buffers.files).kind == Kind::garbled);
}

TEST_CASE("what a dying runner wrote to its standard error is kept", "[runner-process]") {
  RunnerProcess runner(fake::runner("dies"));
  const Buffers buffers;
  CHECK_THAT(runner.launch(fake::small_request(), buffers.files).text, ContainsSubstring("status 11") && ContainsSubstring("help"));
}

TEST_CASE("a runner that died after its answer is replaced without a word", "[runner-process]") {
  RunnerProcess runner(fake::runner("answers once and dies"));
  const Buffers buffers;
  for (int i = 0; i < 3; ++i) CHECK(runner.launch(fake::small_request(), buffers.files).kind == Kind::reply);
}

TEST_CASE("a runner that hangs is killed with everything it started", "[runner-process]") {
  RunnerProcess runner(fake::runner("hangs with a child"), std::chrono::seconds(1));
  const Buffers buffers;
  auto request = fake::small_request();
  request.clock_ms = 1;
  CHECK(runner.launch(request, buffers.files).kind == Kind::timeout);
  const auto bytes = buffers.files[2].bytes();
  std::array<float, 2> pids{};
  std::memcpy(pids.data(), bytes.data(), sizeof pids);
  REQUIRE(pids[0] > 0);
  REQUIRE(pids[1] > 0);
  CHECK(is_gone(static_cast<pid_t>(pids[0])));
  CHECK(is_gone(static_cast<pid_t>(pids[1])));
}

TEST_CASE("a runner cannot resize or reseal the buffers", "[runner-process]") {
  RunnerProcess runner(fake::runner("truncates the buffers"));
  const Buffers buffers;
  const auto reply = read_reply(runner.launch(fake::small_request(), buffers.files).text);
  REQUIRE(reply);
  CHECK(reply->counters.at("truncated") == 0);
  CHECK(buffers.files[0].bytes().size() == 24);
}

TEST_CASE("a runner inherits its socket and the standard descriptors, nothing else", "[runner-process]") {
  RunnerProcess runner(fake::runner("counts its descriptors"));
  const Buffers buffers;
  const auto reply = read_reply(runner.launch(fake::small_request(), buffers.files).text);
  REQUIRE(reply);
  CHECK(reply->counters.at("own_descriptors") == 4);
}
