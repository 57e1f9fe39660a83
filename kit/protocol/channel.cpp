// Implements the framing of channel.hpp over poll and sendmsg. The peer may be hostile. So every read is limited in bytes and in
// time, every descriptor that arrives has an owner before any other step can fail, and nothing that a peer does raises SIGPIPE.
#include "protocol/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "protocol/protocol.hpp"

namespace tilelab {
namespace {

constexpr std::size_t max_descriptors = 64;  // one for each buffer argument; a frame with more closes the conversation
constexpr int send_timeout_ms = 10'000;      // so that a peer that stops reading cannot block us

using Clock = std::chrono::steady_clock;
using Header = std::array<unsigned char, 4>;
using ControlBuffer = std::array<char, CMSG_SPACE(max_descriptors * sizeof(int))>;

[[noreturn]] void fail_with_errno(const char* what) {
  const int error = errno;
  const std::string text = std::string(what) + ": " + std::strerror(error);
  if (error == EPIPE || error == ECONNRESET) throw ChannelReset(text);
  throw ChannelError(text);
}

// The point in time at which waiting ends. A negative timeout means no deadline.
class Deadline {
 public:
  explicit Deadline(int timeout_ms) {
    if (timeout_ms >= 0) end_ = Clock::now() + std::chrono::milliseconds(timeout_ms);
  }
  // The timeout for poll(). After the deadline it is 0 and not an error: bytes that have arrived may still be read.
  int remaining_ms() const {
    if (!end_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(left);
  }
  bool passed() const { return end_ && Clock::now() >= *end_; }

 private:
  std::optional<Clock::time_point> end_;
};

void wait_until_ready(int fd, short events, const Deadline& deadline) {
  for (;;) {
    pollfd ready{fd, events, 0};
    const int count = ::poll(&ready, 1, deadline.remaining_ms());
    if (count > 0) return;  // also for POLLHUP and POLLERR: the next call reports them
    if (count < 0 && errno != EINTR) fail_with_errno("cannot wait for the peer");
    if (deadline.passed()) throw ChannelTimeout("the peer did not answer in time");
  }
}

// Whether a failed socket call should be repeated after the next poll.
bool is_transient() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

void send_bytes(int fd, const char* bytes, std::size_t size, msghdr message, const Deadline& deadline) {
  while (size > 0) {
    wait_until_ready(fd, POLLOUT, deadline);
    iovec part{const_cast<char*>(bytes), size};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && is_transient()) {
      if (deadline.passed()) throw ChannelTimeout("the peer stopped reading");
      continue;
    }
    if (sent < 0) fail_with_errno("cannot send to the peer");
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
    message.msg_control = nullptr;  // the descriptors were sent with the first byte
    message.msg_controllen = 0;
  }
}

// All the bytes at once, whatever the system call moves of them each time.
template <class Call, class Byte>
bool move_all(Call call, int fd, std::size_t offset, Byte* at, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t moved = call(fd, at, bytes, static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    at += moved, offset += static_cast<std::size_t>(moved), bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

// Takes ownership of every descriptor that Linux installed, even if the frame is refused next.
std::vector<Descriptor> take_descriptors(msghdr& message) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control; control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

// Fills `bytes`. Descriptors are taken from the first part only; Linux drops those that come with later parts.
void receive_bytes(int fd, char* bytes, std::size_t size, std::vector<Descriptor>* descriptors, const Deadline& deadline) {
  while (size > 0) {
    wait_until_ready(fd, POLLIN, deadline);
    alignas(cmsghdr) ControlBuffer control_buffer;
    iovec part{bytes, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptors) {
      message.msg_control = control_buffer.data();
      message.msg_controllen = control_buffer.size();
    }
    const ssize_t got = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && is_transient()) {
      if (deadline.passed()) throw ChannelTimeout("the peer did not answer in time");
      continue;
    }
    if (got < 0) fail_with_errno("cannot read from the peer");
    if (descriptors) {
      *descriptors = take_descriptors(message);
      if (message.msg_flags & MSG_CTRUNC) throw ChannelError("the peer sent too many file descriptors");
      descriptors = nullptr;
    }
    if (got == 0) throw ChannelClosed("the peer closed the connection");
    bytes += got;
    size -= static_cast<std::size_t>(got);
    // A peer that sends one byte at a time must not exceed the deadline.
    if (size > 0 && deadline.passed()) throw ChannelTimeout("the peer did not answer in time");
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    Descriptor old(std::exchange(fd_, other.release()));  // closes the descriptor that we held
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);  // not repeated on EINTR: Linux has already released the number
}

bool Descriptor::read_at(std::size_t offset, void* to, std::size_t bytes) const {
  return move_all(::pread, fd_, offset, static_cast<char*>(to), bytes);
}

bool Descriptor::write_at(std::size_t offset, const void* from, std::size_t bytes) const {
  return move_all(::pwrite, fd_, offset, static_cast<const char*>(from), bytes);
}

void Channel::send(const std::string& text, const std::vector<int>& descriptors) {
  if (text.size() > protocol::max_frame_bytes)
    throw ChannelError("a frame of " + std::to_string(text.size()) + " bytes is too long to send");
  if (descriptors.size() > max_descriptors) throw ChannelError("too many file descriptors to send");
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string frame;
  frame.reserve(sizeof(Header) + text.size());
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>((size >> shift) & 0xff);
  frame += text;

  msghdr message{};
  alignas(cmsghdr) ControlBuffer control_buffer{};
  if (!descriptors.empty()) {
    const std::size_t bytes = descriptors.size() * sizeof(int);
    message.msg_control = control_buffer.data();
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(control), descriptors.data(), bytes);
  }
  send_bytes(socket_.get(), frame.data(), frame.size(), message, Deadline(send_timeout_ms));
}

Frame Channel::receive(int timeout_ms) {
  const Deadline deadline(timeout_ms);
  Frame frame;
  Header header;
  receive_bytes(socket_.get(), reinterpret_cast<char*>(header.data()), header.size(), &frame.descriptors, deadline);
  std::size_t size = 0;
  for (std::size_t i = 0; i < header.size(); ++i) size |= static_cast<std::size_t>(header[i]) << (8 * i);
  if (size > protocol::max_frame_bytes) throw ChannelError("the peer announced a frame of " + std::to_string(size) + " bytes");
  frame.text.resize(size);
  receive_bytes(socket_.get(), frame.text.data(), size, nullptr, deadline);
  return frame;
}

}  // namespace tilelab
