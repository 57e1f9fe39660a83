// The process that hosts a submission. It answers launch requests on its socket. Each launch runs in its own child process, so
// that no launch sees another's memory and a crash costs only one launch. This process itself never runs the submission's code.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "runner/channel.hpp"
#include "runner/image.hpp"
#include "runner/launch.hpp"
#include "runner/protocol.hpp"

namespace {

using namespace tilelab;
using protocol::LaunchReply;
using protocol::Status;

// Memory shared with the child. The child writes its answer here; it is read after the child has ended.
struct Mailbox {
  std::size_t bytes;
  char text[protocol::max_frame_bytes - sizeof(std::size_t)];
};

LaunchReply plain_reply(Status status, std::string detail) {
  LaunchReply reply;
  reply.status = status;
  reply.detail = std::move(detail);
  return reply;
}

[[noreturn]] void child(const Image& image, const protocol::LaunchRequest& request, const Frame& frame, Mailbox& mailbox) {
  close(protocol::socket_descriptor);  // only the parent talks to the judge
  run_launch(image, request, frame.descriptors, [&mailbox](const LaunchReply& reply) {
    // The kernel's output may not be valid UTF-8.
    const std::string text = nlohmann::json(reply).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() <= sizeof mailbox.text) {
      std::memcpy(mailbox.text, text.data(), text.size());
      mailbox.bytes = text.size();
    }
    _exit(0);
  });
}

std::string answer(const Image& image, const Frame& frame, Mailbox& mailbox) {
  const auto request = nlohmann::json::parse(frame.text).get<protocol::LaunchRequest>();
  mailbox.bytes = 0;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nlohmann::json(plain_reply(Status::internal_error, "no pipe for the launch")).dump();
  Descriptor reader(ends[0]), writer(ends[1]);  // Linux closes `writer` when the child ends, for any reason
  const pid_t pid = fork();
  if (pid < 0) return nlohmann::json(plain_reply(Status::internal_error, "no process for the launch")).dump();
  if (pid == 0) child(image, request, frame, mailbox);
  writer = Descriptor();
  pollfd poller{reader.get(), POLLIN, 0};
  const bool ended = poll(&poller, 1, static_cast<int>(request.clock_ms * protocol::wall_clock_factor)) > 0;
  if (!ended) kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  if (mailbox.bytes != 0 && mailbox.bytes <= sizeof mailbox.text) return {mailbox.text, mailbox.bytes};
  if (!ended) return nlohmann::json(plain_reply(Status::timeout, "The launch ran out of time.")).dump();
  if (WIFSIGNALED(status))
    return nlohmann::json(plain_reply(Status::crash, std::string("The kernel crashed: ") + strsignal(WTERMSIG(status)) + ".")).dump();
  return nlohmann::json(plain_reply(Status::internal_error, "the launch ended without an answer")).dump();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--image") {
    std::fprintf(stderr, "usage: runner --image image.json   (started by a judge, which it answers on descriptor 3)\n");
    return 2;
  }
  try {
    const Image image = load_image(argv[2]);
    Channel channel{Descriptor(protocol::socket_descriptor)};
    void* memory = mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    for (;;) {
      Frame frame;
      try {
        frame = channel.receive();
      } catch (const ChannelError&) {
        return 0;  // the judge closed the socket
      }
      channel.send(answer(image, frame, *static_cast<Mailbox*>(memory)));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runner: %s\n", error.what());
    return 1;
  }
}
