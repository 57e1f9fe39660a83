// A framed conversation over a Unix stream socket: a four-byte little-endian length, then that many bytes of JSON. File
// descriptors are sent with the first byte of a frame.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilelab {

// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  // All these bytes from or to that place of a file; false: there are fewer, or an error, which errno says.
  bool read_at(std::size_t offset, void* to, std::size_t bytes) const;
  bool write_at(std::size_t offset, const void* from, std::size_t bytes) const;

 private:
  int fd_ = -1;
};

// The peer closed the socket, sent too much, or sent nothing before the deadline.
struct ChannelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ChannelClosed : ChannelError {
  using ChannelError::ChannelError;
};  // gone, in the middle of the conversation
struct ChannelTimeout : ChannelError {
  using ChannelError::ChannelError;
};  // the peer may still be alive
struct ChannelReset : ChannelError {
  using ChannelError::ChannelError;
};  // the peer is gone and had not read everything that it was sent

struct Frame {
  std::string text;
  std::vector<Descriptor> descriptors;
};

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  void send(const std::string& text, const std::vector<int>& descriptors = {});
  // Waits at most timeout_ms (negative: without limit) for a whole frame. Throws ChannelError.
  Frame receive(int timeout_ms = -1);
  int descriptor() const { return socket_.get(); }

 private:
  Descriptor socket_;
};

}  // namespace tilelab
