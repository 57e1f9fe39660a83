// The framed socket carries messages and descriptors, and survives a peer that follows no rule.
#include "protocol/channel.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "protocol/protocol.hpp"

using namespace tilelab;

namespace {

// One end for a Channel, and the other as a bare descriptor for peers that use no Channel.
struct Ends {
  Channel channel;
  Descriptor peer;
};

Ends connect() {
  std::array<int, 2> fds{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  return {Channel(Descriptor(fds[0])), Descriptor(fds[1])};
}

void write_raw(int fd, const std::string& bytes) { REQUIRE(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())); }

std::string header(std::uint32_t size) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((size >> shift) & 0xff);
  return bytes;
}

void send_with_descriptors(int socket, const std::string& bytes, const std::vector<int>& fds) {
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)));
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* first = CMSG_FIRSTHDR(&message);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(first), fds.data(), fds.size() * sizeof(int));
  REQUIRE(::sendmsg(socket, &message, 0) == static_cast<ssize_t>(bytes.size()));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

TEST_CASE("a frame arrives as it was sent, descriptors beside it", "[channel]") {
  auto [channel, peer] = connect();
  Channel other(std::move(peer));
  const Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  const std::string text(100'000, 'x');
  std::thread sender([&] { other.send(text, {memory.get(), memory.get()}); });
  const Frame frame = channel.receive(10'000);
  sender.join();
  CHECK(frame.text == text);
  REQUIRE(frame.descriptors.size() == 2);
  struct stat sent{}, got{};
  ::fstat(memory.get(), &sent);
  ::fstat(frame.descriptors[1].get(), &got);
  CHECK(sent.st_ino == got.st_ino);
  CHECK((::fcntl(frame.descriptors[1].get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("frames that arrive together are told apart, an empty one too", "[channel]") {
  auto [channel, peer] = connect();
  write_raw(peer.get(), header(2) + "{}" + header(0) + header(1) + "1");
  CHECK(channel.receive(1000).text == "{}");
  CHECK(channel.receive(1000).text.empty());
  CHECK(channel.receive(1000).text == "1");
}

TEST_CASE("a frame longer than the limit is refused before it is read", "[channel]") {
  const std::uint32_t size = GENERATE(std::uint32_t{protocol::max_frame_bytes + 1}, 1u << 30, 0xffffffffu);
  auto [channel, peer] = connect();
  write_raw(peer.get(), header(size));
  CHECK_THROWS_AS(channel.receive(60'000), ChannelError);
}

TEST_CASE("a peer that goes away in the middle of a frame is an error", "[channel]") {
  const std::string sent = GENERATE(std::string(), header(5).substr(0, 2), header(5), header(5) + "1234");
  auto [channel, peer] = connect();
  write_raw(peer.get(), sent);
  peer = Descriptor();
  CHECK_THROWS_AS(channel.receive(60'000), ChannelError);
}

TEST_CASE("a peer that says nothing, or only half a frame, runs into the deadline", "[channel]") {
  const std::string sent = GENERATE(std::string(), header(5).substr(0, 2), header(5) + "1");
  auto [channel, peer] = connect();
  write_raw(peer.get(), sent);
  CHECK_THROWS_AS(channel.receive(20), ChannelTimeout);
}

TEST_CASE("what has already arrived is read even without time to wait", "[channel]") {
  auto [channel, peer] = connect();
  write_raw(peer.get(), header(2) + "ok");
  CHECK(channel.receive(0).text == "ok");
}

TEST_CASE("sending to a peer that has closed is an error, not a signal", "[channel]") {
  auto [channel, peer] = connect();
  peer = Descriptor();
  CHECK_THROWS_AS(channel.send("hello"), ChannelReset);
}

TEST_CASE("a peer that goes away without reading is told apart from one that read first", "[channel]") {
  const bool reads = GENERATE(true, false);
  auto [channel, peer] = connect();
  channel.send("hello");
  if (reads) {
    std::array<char, 9> bytes{};
    REQUIRE(::read(peer.get(), bytes.data(), bytes.size()) == 9);
  }
  peer = Descriptor();
  try {
    channel.receive(60'000);
    FAIL("nothing was sent");
  } catch (const ChannelReset&) {
    CHECK_FALSE(reads);
  } catch (const ChannelError&) {
    CHECK(reads);
  }
}

TEST_CASE("a frame too long to be received is not sent", "[channel]") {
  auto [channel, peer] = connect();
  CHECK_THROWS_AS(channel.send(std::string(protocol::max_frame_bytes + 1, 'x')), ChannelError);
}

TEST_CASE("descriptors of a frame that is refused are closed", "[channel][not-under-qemu]") {
  const auto [count, announced] = GENERATE(table<std::size_t, std::uint32_t>({{3, 0xffffffffu}, {200, 2}, {65, 2}}));
  auto [channel, peer] = connect();
  const Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  const std::size_t before = open_descriptors();
  send_with_descriptors(peer.get(), header(announced) + "{}", std::vector<int>(count, memory.get()));
  CHECK_THROWS_AS(channel.receive(1000), ChannelError);
  CHECK(open_descriptors() == before);
}

TEST_CASE("descriptors that ride on a frame's body are dropped", "[channel]") {
  auto [channel, peer] = connect();
  const Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  const std::size_t before = open_descriptors();
  write_raw(peer.get(), header(4));
  send_with_descriptors(peer.get(), "body", {memory.get()});
  CHECK(channel.receive(1000).descriptors.empty());
  CHECK(open_descriptors() == before);
}
