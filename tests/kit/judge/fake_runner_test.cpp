// The fake runners: each case is one runner, on descriptor 3. Only the judge's tests start them.
#include "fake_runner.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "protocol/channel.hpp"

using namespace tilelab;
using namespace tilelab::protocol;

namespace {

struct Matrices {
  std::size_t M, N, K;
  std::vector<float> A, B, C;
};

std::vector<float> read_floats(int fd, std::size_t count) {
  std::vector<float> values(count);
  if (::pread(fd, values.data(), count * sizeof(float), 0) != static_cast<ssize_t>(count * sizeof(float))) std::_Exit(9);
  return values;
}

void write_floats(int fd, const std::vector<float>& values) {
  if (::pwrite(fd, values.data(), values.size() * sizeof(float), 0) < 0) std::_Exit(9);
}

// The product in fp32, one element after another, as a naive kernel computes it.
Matrices multiply(const LaunchRequest& request, const Frame& frame) {
  Matrices m{static_cast<std::size_t>(request.launch_arguments.at(0)),
             static_cast<std::size_t>(request.launch_arguments.at(1)),
             static_cast<std::size_t>(request.launch_arguments.at(2)),
             {},
             {},
             {}};
  m.A = read_floats(frame.descriptors.at(0).get(), m.M * m.K);
  m.B = read_floats(frame.descriptors.at(1).get(), m.K * m.N);
  m.C.resize(m.M * m.N);
  for (std::size_t i = 0; i < m.M; ++i) {
    for (std::size_t j = 0; j < m.N; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < m.K; ++k) sum += m.A[i * m.K + k] * m.B[k * m.N + j];
      m.C[i * m.N + j] = sum;
    }
  }
  return m;
}

LaunchReply completed(const Matrices& m) {
  LaunchReply reply;
  reply.config = {{1, 1, 1}, {16, 16, 1}, 0};
  reply.counters["global_load_bytes"] = 8 * m.M * m.N * m.K;
  return reply;
}

Finding finding(const std::string& kind, const std::string& severity) {
  return {.kind = kind,
          .severity = severity,
          .site = {"a.cu", 12, "kernel", "write", simt::Index3{0u, 0u, 0u}, simt::Index3{1u, 0u, 0u}},
          .other = {},
          .array = "As",
          .element = "As[0][1]",
          .message = "said by the fake",
          .count = 1};
}

using Behaviour = std::function<void(Matrices&, const Frame&, LaunchReply&)>;

// Computes honestly, then `change` may modify the result and the reply. C is written after that.
void serve(const Behaviour& change) {
  Channel channel{Descriptor(socket_descriptor)};
  for (;;) {
    Frame frame;
    try {
      frame = channel.receive();
    } catch (const ChannelError&) {
      std::_Exit(0);
    }
    const auto request = nlohmann::json::parse(frame.text).get<LaunchRequest>();
    Matrices m = multiply(request, frame);
    LaunchReply reply = completed(m);
    change(m, frame, reply);
    if (!m.C.empty()) write_floats(frame.descriptors.at(2).get(), m.C);
    channel.send(nlohmann::json(reply).dump());
  }
}

void write_raw(const std::string& bytes) {
  if (::write(socket_descriptor, bytes.data(), bytes.size()) < 0) std::_Exit(9);
}

// Reads a request like any runner.
Frame read_request() {
  Channel channel{Descriptor(::dup(socket_descriptor))};
  return channel.receive();
}

}  // namespace

TEST_CASE("fake runner: honest", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply&) {});
}
TEST_CASE("fake runner: computes nothing", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply&) { m.C.clear(); });
}
TEST_CASE("fake runner: off by one in the last element", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply&) { m.C.back() += 1; });
}
TEST_CASE("fake runner: NaN", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply&) { m.C.front() = std::numeric_limits<float>::quiet_NaN(); });
}
TEST_CASE("fake runner: changes an input", "[.fake]") {
  serve([](Matrices& m, const Frame& frame, LaunchReply&) {
    m.B.back() += 1;
    write_floats(frame.descriptors.at(1).get(), m.B);
  });
}
TEST_CASE("fake runner: right but racy", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply& reply) {
    reply.findings = {finding("race", "error"), finding("uninitialized-read", "error")};
  });
}
TEST_CASE("fake runner: right with a note", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply& reply) { reply.findings = {finding("barrier-divergence", "note")}; });
}
TEST_CASE("fake runner: right the first time", "[.fake]") {
  serve([](Matrices& m, const Frame& frame, LaunchReply& reply) {
    reply.left_data = true;
    if (nlohmann::json::parse(frame.text).get<LaunchRequest>().second) m.C.back() += 1;
  });
}
TEST_CASE("fake runner: leaves data that nobody minds", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply& reply) { reply.left_data = true; });
}
TEST_CASE("fake runner: out of bounds and unfinished", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply& reply) {
    m.C.clear();
    reply.findings = {finding("out-of-bounds", "error")};
  });
}
TEST_CASE("fake runner: launch error", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply& reply) {
    m.C.clear();
    reply.status = Status::launch_error;
    reply.detail = "The block is too large.";
  });
}
TEST_CASE("fake runner: times out by itself", "[.fake]") {
  serve([](Matrices& m, const Frame&, LaunchReply& reply) {
    m.C.clear();
    reply.status = Status::timeout;
    reply.findings = {finding("timeout", "error")};
  });
}
TEST_CASE("fake runner: admits a fault of ours", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply& reply) {
    reply.status = Status::internal_error;
    reply.detail = "no memory";
  });
}
TEST_CASE("fake runner: finds what only a grader may find", "[.fake]") {
  serve([](Matrices&, const Frame&, LaunchReply& reply) { reply.findings = {finding("internal-error", "error")}; });
}
TEST_CASE("fake runner: truncates the buffers", "[.fake]") {
  serve([](Matrices&, const Frame& frame, LaunchReply& reply) {
    reply.counters["truncated"] = 0;
    for (const Descriptor& file : frame.descriptors) {
      if (::ftruncate(file.get(), 1) == 0 || ::ftruncate(file.get(), 1 << 20) == 0 || errno != EPERM) reply.counters["truncated"] += 1;
      if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE) == 0) reply.counters["truncated"] += 1;
    }
  });
}
TEST_CASE("fake runner: counts its descriptors", "[.fake]") {
  serve([](Matrices&, const Frame& frame, LaunchReply& reply) {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    const auto all = static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
    reply.counters["own_descriptors"] = all - frame.descriptors.size() - 1;  // listing them opens one itself
  });
}
TEST_CASE("fake runner: answers once and dies", "[.fake]") {
  Channel channel{Descriptor(socket_descriptor)};
  const Frame frame = channel.receive();
  const Matrices m = multiply(nlohmann::json::parse(frame.text).get<LaunchRequest>(), frame);
  write_floats(frame.descriptors.at(2).get(), m.C);
  channel.send(nlohmann::json(completed(m)).dump());
  std::_Exit(0);
}

TEST_CASE("fake runner: dies", "[.fake]") {
  read_request();
  ::write(2, "help\n", 5) == 5 ? std::_Exit(11) : std::_Exit(12);
}
TEST_CASE("fake runner: hangs with a child", "[.fake]") {
  const Frame frame = read_request();
  const pid_t grandchild = ::fork();
  if (grandchild == 0) {
    for (;;) ::pause();
  }
  write_floats(frame.descriptors.at(2).get(), {static_cast<float>(::getpid()), static_cast<float>(grandchild)});
  for (;;) ::pause();
}
TEST_CASE("fake runner: closes its socket and stays", "[.fake]") {
  read_request();
  ::close(socket_descriptor);
  for (;;) ::pause();
}
TEST_CASE("fake runner: announces a gigabyte", "[.fake]") {
  read_request();
  write_raw(std::string("\0\0\0\x40", 4) + "x");
  for (;;) ::pause();
}
TEST_CASE("fake runner: sends half a frame", "[.fake]") {
  read_request();
  write_raw(std::string("\x10\0\0\0", 4) + "{");
  ::close(socket_descriptor);
  for (;;) ::pause();
}
TEST_CASE("fake runner: answers nonsense", "[.fake]") {
  Channel channel{Descriptor(socket_descriptor)};
  channel.receive();
  channel.send("\xff{]");
  for (;;) ::pause();
}
