// Launches through the worker process, on a fake driver. Results come back, every kind of error gets its verdict, and no error
// affects the next launch.
#include "gpu/device_launch.hpp"

#include <cstring>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "judge/process/runner_process.hpp"
#include "protocol/protocol.hpp"

using namespace tilelab;
using Catch::Matchers::ContainsSubstring;
using protocol::LaunchReply;
using protocol::Status;

namespace {

constexpr int elements = 100;

cuda::CubinImage image_of(const std::string& kernel) {
  cuda::CubinImage image;
  image.driver = TILELAB_FAKE_DRIVER;
  for (const std::string& name : {kernel, std::string("scale")})
    image.functions.push_back(name == "plain" ? name : "_Z" + std::to_string(name.size()) + name + "PKfPfi");
  image.kernel = kernel + "(float const*, float*, int)";
  image.ask_launch = "ask";
  image.poison_shared = "poison";
  return image;
}

struct Launched {
  LaunchReply reply;
  std::vector<float> out;
};

// A launch of `threads` threads over `in` = 0, 1, 2, …
Launched launch(cuda::LaunchWorker& worker, int threads = 32, unsigned clock_ms = 20'000) {
  std::vector<float> in(elements), out(elements, -1);
  std::iota(in.begin(), in.end(), 0.0f);
  const judge::MemoryFile files[] = {judge::MemoryFile(std::as_bytes(std::span(in))), judge::MemoryFile(std::as_bytes(std::span(out)))};
  protocol::LaunchRequest request;
  request.arguments = {{.name = "in", .role = protocol::Role::input, .bytes = sizeof(float) * elements},
                       {.name = "out", .role = protocol::Role::output, .bytes = sizeof(float) * elements},
                       {.name = "n", .role = protocol::Role::scalar, .element = "int", .bytes = 4, .bits = elements}};
  request.launch_arguments = {threads};
  request.clock_ms = clock_ms;
  Frame frame{.text = nlohmann::json(request).dump(), .descriptors = {}};
  for (const auto& file : files) frame.descriptors.emplace_back(::dup(file.descriptor()));
  const auto reply = judge::read_reply(worker.answer(frame));
  REQUIRE(reply);
  std::memcpy(out.data(), files[1].bytes().data(), sizeof(float) * elements);
  return {*reply, out};
}

LaunchReply reply_of(const std::string& kernel, int threads = 32, unsigned clock_ms = 20'000) {
  const auto image = image_of(kernel);
  cuda::LaunchWorker worker(image);
  return launch(worker, threads, clock_ms).reply;
}

}  // namespace

TEST_CASE("a launch on the GPU gives back what the kernel wrote and what the launch function answered", "[launch-worker]") {
  const auto image = image_of("scale");
  cuda::LaunchWorker worker(image);
  for (int i = 0; i < 2; ++i) {
    const auto [reply, out] = launch(worker);
    REQUIRE(reply.status == Status::completed);
    CHECK(reply.findings.empty());
    CHECK(reply.config.block.x == 32);
    CHECK(reply.counters.at("registers") == 16);
    CHECK(out[elements - 1] == 2 * (elements - 1));
  }
}

TEST_CASE("under a tool that watches memory, outputs are as unwritten as they come", "[launch-worker]") {
  auto image = image_of("idle");
  image.watched = GENERATE(false, true);
  cuda::LaunchWorker worker(image);
  float as_it_comes = 0;
  std::memset(&as_it_comes, 0x11, sizeof as_it_comes);
  CHECK(launch(worker).out[elements / 2] == (image.watched ? as_it_comes : -1));
}

TEST_CASE("a kernel that hangs on the GPU is a timeout, and the next launch is served", "[launch-worker]") {
  auto image = image_of("hangs");
  cuda::LaunchWorker worker(image);
  CHECK(launch(worker, 32, 200).reply.status == Status::timeout);
  image.kernel = image_of("scale").kernel;  // the next process loads this one
  CHECK(launch(worker).reply.status == Status::completed);
}

TEST_CASE("an illegal address on the GPU is out of bounds, and the next launch gets a new context", "[launch-worker]") {
  auto image = image_of("stray");
  cuda::LaunchWorker worker(image);
  const LaunchReply reply = launch(worker).reply;
  REQUIRE(reply.findings.size() == 1);
  CHECK(reply.findings[0].kind == "out-of-bounds");
  CHECK_THAT(reply.findings[0].message, ContainsSubstring("an illegal access"));
  image.kernel = image_of("scale").kernel;
  CHECK(launch(worker).reply.status == Status::completed);
}

TEST_CASE("a process that dies with a launch in hand is a crash", "[launch-worker]") {
  const LaunchReply reply = reply_of("dies");
  CHECK(reply.status == Status::crash);
  CHECK_THAT(reply.detail, ContainsSubstring("signal"));
}

TEST_CASE("what is written beside a buffer on the GPU is out of bounds, by array and element", "[launch-worker]") {
  const LaunchReply past = reply_of("past"), before = reply_of("before");
  REQUIRE(past.findings.size() == 1);
  CHECK(past.findings[0].element == "out[103]");
  CHECK_THAT(past.findings[0].message, ContainsSubstring("past the last element of out"));
  REQUIRE(before.findings.size() == 1);
  CHECK(before.findings[0].element == "out[-2]");
}

TEST_CASE("what a kernel prints on the GPU belongs to its own launch", "[launch-worker]") {
  const auto image = image_of("prints");
  cuda::LaunchWorker worker(image);
  CHECK(launch(worker).reply.printed == "thread 1\n");
  CHECK(launch(worker).reply.printed == "thread 2\n");
}

TEST_CASE("a block without enough registers says so, to be compiled for fewer", "[launch-worker]") {
  const LaunchReply reply = reply_of("wide", 1024);
  CHECK(reply.status == Status::launch_error);
  CHECK(reply.counters.at("short_of_registers") == 1);
  CHECK_THAT(reply.detail, ContainsSubstring("__launch_bounds__"));
  CHECK(reply_of("wide", 256).status == Status::completed);
}

TEST_CASE("a block larger than __launch_bounds__ is a launch error and no matter of registers", "[launch-worker]") {
  const LaunchReply reply = reply_of("bounded", 256);
  CHECK(reply.status == Status::launch_error);
  CHECK(reply.counters.count("short_of_registers") == 0);
}

TEST_CASE("the GPU is not asked for a launch that CUDA refuses", "[launch-worker]") {
  CHECK(reply_of("scale", 2000).status == Status::launch_error);
  CHECK(reply_of("scale", 0).status == Status::launch_error);
}

TEST_CASE("a kernel of the right name with other parameters is not launched", "[launch-worker]") {
  auto image = image_of("plain");  // extern "C": the name does not contain the parameters
  cuda::LaunchWorker worker(image);
  const LaunchReply reply = launch(worker).reply;
  CHECK(reply.status == Status::launch_error);
  CHECK_THAT(reply.detail, ContainsSubstring("does not have the parameters"));
}

TEST_CASE("a GPU that cannot be used is our failure, not the submission's", "[launch-worker]") {
  auto image = image_of("scale");
  image.driver = "/nonexistent/libcuda.so.1";
  cuda::LaunchWorker worker(image);
  const LaunchReply reply = launch(worker).reply;
  CHECK(reply.status == Status::internal_error);
  CHECK_THAT(reply.detail, ContainsSubstring("/nonexistent/libcuda.so.1"));
}
