// Kernels timed against each other on a fake driver. Every round has its own samples and inputs, outputs come back for the
// requested rounds, and they show a kernel that stops working.
#include "gpu/contest.hpp"

#include <cstring>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "judge/process/runner_process.hpp"
#include "judge/timed_problem.hpp"
#include "protocol/timed_input.hpp"

using namespace tilelab;
using protocol::Status;

namespace {

constexpr const char* shape = "24x40";
constexpr std::size_t output_bytes = sizeof(float) * 24 * 40;

std::vector<std::uint64_t> seeds(unsigned rounds) {
  judge::RandomStream random(5);
  std::vector<std::uint64_t> all(rounds);
  for (std::uint64_t& one : all) one = random.bits();
  return all;
}

// The finaliser of SplitMix64 backwards: what a kernel does that has found the stream of its inputs.
std::uint64_t unmixed(std::uint64_t z) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t found = odd;
    for (int i = 0; i < 6; ++i) found *= 2 - odd * found;
    return found;
  };
  z = (z ^ (z >> 31) ^ (z >> 62)) * inverse(0x94d049bb133111eb);
  z = (z ^ (z >> 27) ^ (z >> 54)) * inverse(0xbf58476d1ce4e5b9);
  return z ^ (z >> 30) ^ (z >> 60);
}

struct Timed {
  protocol::TimingReply reply;
  std::vector<std::string> faults;  // found in the kept rounds
};

Timed timed(const std::string& student, std::vector<unsigned> kept_rounds, unsigned rounds = 5) {
  cuda::ContestImage image;
  image.driver = TILELAB_FAKE_DRIVER;
  for (const std::string& name : {std::string("transposes"), student}) {
    cuda::ContestantImage& one = image.contestants.emplace_back();
    one.functions = {"_Z" + std::to_string(name.size()) + name + "PKfPfii"};
    one.kernel = name + "(float const*, float*, int, int)";
    one.ask_launch = "ask_two";
    one.alone = image.contestants.size() > 1;
  }
  const judge::TimedWork work = judge::work_to_time("transpose", shape);
  protocol::TimingRequest request;
  request.launch.arguments = work.arguments;
  request.launch.launch_arguments = work.launch_arguments;
  request.round_seeds = seeds(rounds);
  request.warm_up_seed = 77;
  request.warm_up_ms = 0;
  request.kept_contestant = 1;
  request.kept_rounds = std::move(kept_rounds);
  const judge::MemoryFile file{std::vector<std::byte>(request.kept_rounds.size() * output_bytes)};
  const Descriptor kept(::dup(file.descriptor()));
  cuda::Contest contest(image);
  Timed result{contest.run(request, kept), {}};
  const auto bytes = file.bytes();
  for (std::size_t i = 0; i < request.kept_rounds.size(); ++i) {
    std::vector<float> output(output_bytes / sizeof(float));
    std::memcpy(output.data(), bytes.data() + i * output_bytes, output_bytes);
    result.faults.push_back(work.inspect(request.round_seeds.at(request.kept_rounds[i]), output, judge::RandomStream(1)).fault);
  }
  return result;
}

}  // namespace

TEST_CASE("every contestant is timed in every round", "[contest]") {
  const auto [reply, faults] = timed("transposes", {0, 3, 4});
  REQUIRE(reply.status == Status::completed);
  REQUIRE(reply.nanoseconds.size() == 2);
  for (const auto& times : reply.nanoseconds) CHECK(times == std::vector<double>(5, 250'000.0));
  CHECK(reply.warm_up_rounds == 1);
  CHECK(faults == std::vector<std::string>(3));
}

TEST_CASE("a kernel that stops working after some launches shows in the outputs of later rounds", "[contest]") {
  const auto [reply, faults] = timed("tires", {0, 8}, 9);
  REQUIRE(reply.status == Status::completed);
  CHECK(faults.at(0).empty());
  CHECK(faults.at(1) == "out[0][0] is wrong");
}

TEST_CASE("a kernel that changes its input is found out after the launch that did it", "[contest]") {
  const auto [reply, faults] = timed("meddles", {});
  CHECK(reply.status == Status::crash);
  CHECK(reply.contestant == 1);
  CHECK(reply.detail == "A timed launch changed its input in.");
}

TEST_CASE("a kernel that computes the next round's inputs from those of this one is wrong in the next", "[contest]") {
  const auto [reply, faults] = timed("foresees", {0, 1, 4});
  REQUIRE(reply.status == Status::completed);
  for (const std::string& fault : faults) CHECK_FALSE(fault.empty());
}

TEST_CASE("the inputs of a round tell its own seed, and that seed foretells no other round", "[contest]") {
  const auto all = seeds(61);
  const std::set<std::uint64_t> secrets(all.begin(), all.end());
  CHECK(secrets.size() == all.size());
  for (const std::uint64_t seed : all) {
    const std::uint64_t known = unmixed(timed_input::stream(seed, 0));
    CHECK(unmixed(known) == seed);
    for (std::uint64_t step = 1; step <= 1024; ++step) {  // where rounds counted up, these were the seeds of the next
      CHECK_FALSE(secrets.contains(seed + step));
      CHECK_FALSE(secrets.contains(known + step));
      CHECK_FALSE(secrets.contains(timed_input::stream(seed, step)));
    }
  }
}

TEST_CASE("a kernel that takes far too long is not waited for", "[contest]") {
  const auto [reply, faults] = timed("crawls", {});
  CHECK(reply.status == Status::timeout);
  CHECK(reply.slow);
  CHECK(reply.contestant == 1);
  CHECK(reply.detail.find("1000 times as long") != std::string::npos);
}

TEST_CASE("a kernel whose launches wait for the device is not waited for again and again", "[contest]") {
  const auto [reply, faults] = timed("printsy", {});
  CHECK(reply.status == Status::timeout);
  CHECK(reply.slow);
  CHECK(reply.contestant == 1);
  CHECK(reply.detail.find("waits until the device is idle") != std::string::npos);
}

TEST_CASE("a library's product takes part beside kernels", "[contest]") {
  cuda::ContestImage image;
  image.driver = TILELAB_FAKE_DRIVER;
  image.contestants.emplace_back().library = TILELAB_FAKE_DRIVER;
  const judge::TimedWork work = judge::work_to_time("matmul", "17x23x9");
  protocol::TimingRequest request;
  request.launch.arguments = work.arguments;
  request.launch.launch_arguments = work.launch_arguments;
  request.round_seeds = seeds(2);
  request.warm_up_ms = 0;
  request.kept_rounds = {0, 1};
  const judge::MemoryFile file{std::vector<std::byte>(2 * sizeof(float) * 17 * 23)};
  const Descriptor kept(::dup(file.descriptor()));
  cuda::Contest contest(image);
  const auto reply = contest.run(request, kept);
  REQUIRE(reply.status == Status::completed);
  CHECK(reply.nanoseconds == std::vector<std::vector<double>>{std::vector<double>(2, 250'000.0)});
  const auto bytes = file.bytes();
  for (unsigned round = 0; round < 2; ++round) {
    std::vector<float> output(17 * 23);
    std::memcpy(output.data(), bytes.data() + round * sizeof(float) * output.size(), sizeof(float) * output.size());
    CHECK(work.inspect(request.round_seeds[round], output, judge::RandomStream(1)).fault.empty());
    output[100] += 1;
    CHECK_FALSE(work.inspect(request.round_seeds[round], output, judge::RandomStream(1)).fault.empty());
  }
}

TEST_CASE("a library takes no part where something else than a product is timed", "[contest]") {
  cuda::ContestImage image;
  image.driver = TILELAB_FAKE_DRIVER;
  image.contestants.emplace_back().library = TILELAB_FAKE_DRIVER;
  const judge::TimedWork work = judge::work_to_time("transpose", shape);
  protocol::TimingRequest request;
  request.launch.arguments = work.arguments;
  request.launch.launch_arguments = work.launch_arguments;
  const auto reply = cuda::Contest(image).run(request, Descriptor());
  CHECK(reply.status == Status::internal_error);
  CHECK(reply.detail.find("C = A·B") != std::string::npos);
}

TEST_CASE("a contestant that goes astray is named", "[contest]") {
  cuda::ContestImage image;
  image.driver = TILELAB_FAKE_DRIVER;
  cuda::ContestantImage& one = image.contestants.emplace_back();
  one.functions = {"_Z5strayPKfPfi"};
  one.kernel = "stray(float const*, float*, int)";
  one.ask_launch = "ask";
  one.alone = true;
  protocol::TimingRequest request;
  request.launch.arguments = {{.name = "in", .role = protocol::Role::input, .bytes = 16},
                              {.name = "out", .role = protocol::Role::output, .bytes = 16},
                              {.name = "n", .role = protocol::Role::scalar, .element = "int", .bytes = 4, .bits = 4}};
  request.launch.launch_arguments = {32};
  cuda::Contest contest(image);
  const auto reply = contest.run(request, Descriptor());
  CHECK(reply.status == Status::crash);
  CHECK(reply.contestant == 0);
  CHECK_FALSE(reply.detail.empty());
}
