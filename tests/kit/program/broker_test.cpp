// Whole programs, run by the broker: what comes of honest ones, of mistaken ones and of hostile ones.
#include "program/broker.hpp"

#include <algorithm>
#include <csignal>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "fake_program.hpp"

using namespace tilelab;
using nlohmann::json;

namespace {

const std::atomic<bool> never = false;

json run(json description) { return program::brokered(program::program_from(description), never); }

// The kinds of the host's mistakes with their places, "copy-size@3".
std::vector<std::string> mistakes(const json& report) {
  std::vector<std::string> all;
  for (const json& one : report.at("host"))
    all.push_back(one.at("kind").get<std::string>() + "@" + std::to_string(one.at("at").get<int>()));
  return all;
}

}  // namespace

TEST_CASE("a program allocates, copies, launches and frees, and nothing is found", "[broker]") {
  const json report = run(fake::program("honest"));
  CHECK(report.at("ended") == "exit");
  CHECK(report.at("status") == 42);
  CHECK(report.at("host").empty());
  CHECK(report.at("findings").empty());
  CHECK(report.at("errors").empty());
  REQUIRE(report.at("launches").size() == 1);  // two alike
  CHECK(report.at("launches")[0].at("count") == 2);
  CHECK(report.at("allocations")[0].at("freed_at") == 40);
}

TEST_CASE("one launch of a program can be followed, and the others are not", "[broker]") {
  json description = fake::program("honest");
  CHECK_FALSE(run(description).contains("traced"));
  description["trace"] = {{"launch", 2}, {"of", {{"block", {0, 0, 0}}}}, {"reversed", true}};
  const json report = run(description);
  CHECK(report.at("status") == 42);
  const json& traced = report.at("traced");
  CHECK(traced.at("number") == 2);
  CHECK(traced.at("kernel") == fake::add_one);
  CHECK(traced.at("grid") == report.at("launches")[0].at("grid"));
  CHECK(traced.at("status") == "completed");
  CHECK(traced.at("findings").empty());
  REQUIRE(report.at("launches").size() == 1);
  CHECK(report.at("launches")[0].at("number") == 1);  // of the first of two that are alike
  description["trace"]["launch"] = 3;
  CHECK_FALSE(run(description).contains("traced"));
  description["trace"]["of"] = {{"block", {0, 0}}};
  CHECK_THROWS(program::program_from(description));
}

TEST_CASE("a finding knows in which launch it was seen first", "[broker]") {
  const json report = run(fake::program("makes mistakes"));
  REQUIRE(report.at("findings").size() == 1);
  const auto number = report.at("findings")[0].at("number").get<std::uint64_t>();
  const auto is_it = [&](const json& one) { return one.at("number") == number && one.at("at") == report.at("findings")[0].at("at"); };
  CHECK(std::ranges::any_of(report.at("launches"), is_it));
}

TEST_CASE("each of the host's mistakes has its kind and its place", "[broker]") {
  const json report = run(fake::program("makes mistakes"));
  CHECK(report.at("ended") == "exit");
  CHECK(report.at("status") == 0);
  CHECK(mistakes(report) == std::vector<std::string>{"copy-size@3", "copy-direction@4", "double-free@6", "bad-free@7", "bad-free@8",
                                                     "use-after-free@9", "never-set@11", "device-pointer-on-host@12", "leak@1"});
  REQUIRE(report.at("findings").size() == 1);
  CHECK(report.at("findings")[0].at("at") == 13);
  CHECK(report.at("findings")[0].at("kernel") == fake::add_one);
  CHECK(report.at("host")[0].at("room") == 100);
  CHECK(report.at("host")[0].at("bytes") == 101);
}

TEST_CASE("nodes of a graph are checked when they are made, and race where they have no order", "[broker]") {
  const json report = run(fake::program("makes a graph"));
  CHECK(report.at("status") == 0);
  CHECK(mistakes(report) == std::vector<std::string>{"copy-size@83", "copy-race@85", "use-after-free@88", "leak@86"});
  CHECK(report.at("host")[1].at("in_graph") == true);
  CHECK(report.at("host")[1].at("other_at") == 84);
  CHECK(report.at("host")[2].at("never_allocated") == true);
  REQUIRE(report.at("launches").size() == 2);  // the one that cannot be, and the one that ran
  CHECK(report.at("launches")[0].at("at") == 81);
  CHECK(report.at("launches")[1].at("at") == 85);
  CHECK(report.at("errors")[0].at("op") == "cudaGraphAddKernelNode");
  CHECK(run(fake::program("allocates where nothing is reserved")).at("ended") == "garbled");
}

TEST_CASE("host code that looks at managed memory before the kernel is done is told", "[broker]") {
  const json report = run(fake::program("looks too early"));
  CHECK(report.at("status") == 0);
  CHECK(mistakes(report) == std::vector<std::string>{"read-before-sync@50", "partly-set@30"});
  CHECK(report.at("host")[0].at("other_at") == 30);
}

TEST_CASE("a kernel's crash is CUDA's error from the next wait on", "[broker]") {
  const json report = run(fake::program("its kernel crashes"));
  CHECK(report.at("status") == 1);
  REQUIRE(report.at("errors").size() == 1);
  CHECK(report.at("errors")[0].at("returned_at") == 60);
  CHECK(report.at("errors")[0].at("seen") == true);
  CHECK(report.at("host").empty());  // it never came to its end: no leaks
}

TEST_CASE("how a run ended is known", "[broker]") {
  const auto [name, ended] = GENERATE(table<std::string, std::string>({{"launches what cannot be built", "refused"},
                                                                       {"its runner dies", "internal"},
                                                                       {"asks for nothing", "exit"},
                                                                       {"crashes", "signal"},
                                                                       {"is killed", "internal"},
                                                                       {"leaves a child behind", "exit"}}));
  const json report = run(fake::program(name));
  CHECK(report.at("ended") == ended);
  if (ended == "refused") CHECK(report.at("refusal").at("message") == "uses a texture");
  if (ended == "signal") CHECK(report.at("signal") == SIGABRT);
}

TEST_CASE("a program that never ends is ended", "[broker]") {
  json description = fake::program("never ends");
  description["limits"]["wall_ms"] = 500;
  CHECK(run(description).at("ended") == "timeout");
}

TEST_CASE("a program that asks without end is ended when its time is over, and how often it asked is told", "[broker]") {
  json description = fake::program("asks without end");
  description["limits"]["wall_ms"] = 500;
  const json report = run(description);
  CHECK(report.at("limit") == "wall-clock");
  CHECK(report.at("most") == 500);
  CHECK(report.at("calls") > 10);
}

TEST_CASE("a program that does nothing but wait is ended before its time", "[broker]") {
  json description = fake::program("never ends");
  description["limits"]["idle_ms"] = 750;
  const json report = run(description);
  CHECK(report.at("ended") == "timeout");
  CHECK(report.at("limit") == "idle");
  CHECK(report.at("most") == 750);
}

TEST_CASE("a program that closes its socket and waits is ended before its time", "[broker]") {
  json description = fake::program("closes its socket and waits");
  description["limits"]["idle_ms"] = 750;
  CHECK(run(description).value("limit", "") == "idle");
}

TEST_CASE("a program that works, stops for a moment, or has a child that works is not idle", "[broker]") {
  json description = fake::program(GENERATE("computes for ever", "naps for ever", "waits for a child that computes", "asks now and then"));
  description["limits"].update({{"idle_ms", 750}, {"wall_ms", 2500}});
  CHECK(run(description).value("limit", "") == "wall-clock");
}

TEST_CASE("a program that breaks the rules is ended, and the broker lives", "[broker]") {
  const auto name = GENERATE("copies pieces that the copy does not have", "asks in the middle of a copy",
                             "passes other arguments than the kernel has", "talks nonsense", "announces a gigabyte");
  CAPTURE(name);
  CHECK(run(fake::program(name)).at("ended") == "garbled");
}

TEST_CASE("numbers of any size are answered with CUDA's errors", "[broker]") {
  const json report = run(fake::program("asks for impossible things"));
  CHECK(report.at("ended") == "exit");
  CHECK(report.at("status") == 0);
}

TEST_CASE("the record of a run has an end", "[broker]") {
  const json report = run(fake::program("makes as many mistakes as it can"));
  CHECK(report.at("host").size() == 1000);
  CHECK(report.at("truncated") == true);
}

TEST_CASE("a program that cannot be started is no fault of the program", "[broker]") {
  json description = fake::program("honest");
  description["host"]["argv"] = {"/nonexistent/program"};
  CHECK_THROWS_AS(run(description), std::system_error);
}
