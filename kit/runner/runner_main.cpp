// The process that hosts a submission. It answers launch requests on its socket. Each launch runs in its own child process, so
// that no launch sees another's memory and a crash costs only one launch. This process itself never runs the submission's code.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "protocol/channel.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/protocol.hpp"
#include "runner/child_end.hpp"
#include "runner/launch.hpp"
#include "runner/launch_signals.hpp"
#include "runner/submission/image.hpp"

namespace {

using namespace tilelab;
using protocol::LaunchReply;
using protocol::Status;

// Memory shared with the child. The child writes its answer here; it is read after the child has ended.
struct Mailbox {
  std::size_t bytes;
  char text[protocol::max_frame_bytes - sizeof(std::size_t)];
};

[[noreturn]] void child(const Image& image, const protocol::LaunchRequest& request, const Frame& frame, Mailbox& mailbox) {
  close(protocol::socket_descriptor);  // only the parent talks to the judge
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);  // then the limits of one process are those of the whole submission; only root is exempt
  run_launch(image, request, frame.descriptors, [&mailbox](const LaunchReply& reply) {
    // The kernel's output may not be valid UTF-8.
    const std::string text = json_text(reply);
    if (text.size() <= sizeof mailbox.text) {
      std::memcpy(mailbox.text, text.data(), text.size());
      mailbox.bytes = text.size();
    }
    _exit(0);
  });
}

std::uint64_t processor_ms(const rusage& used) {
  const auto ms = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_usec) / 1000;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

std::string answer(const Image& image, const Frame& frame, Mailbox& mailbox) {
  const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
  mailbox.bytes = 0;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return json_text(plain_reply(Status::internal_error, "no pipe for the launch"));
  Descriptor reader(ends[0]), writer(ends[1]);  // Linux closes `writer` when the child ends, for any reason
  const pid_t pid = fork();
  if (pid < 0) return json_text(plain_reply(Status::internal_error, "no process for the launch"));
  if (pid == 0) child(image, request, frame, mailbox);
  writer = Descriptor();
  pollfd poller{reader.get(), POLLIN, 0};
  const bool ended = poll(&poller, 1, static_cast<int>(request.clock_ms * protocol::wall_clock_factor)) > 0;
  if (!ended) kill(pid, SIGKILL);
  int status = 0;
  rusage used{};
  wait4(pid, &status, 0, &used);
  if (mailbox.bytes != 0 && mailbox.bytes <= sizeof mailbox.text) return {mailbox.text, mailbox.bytes};
  if (!ended && processor_ms(used) * 2 < request.clock_ms)
    return json_text(plain_reply(Status::internal_error, "the launch got " + std::to_string(processor_ms(used)) +
                                                             " ms of the processor in all its time: this machine is too busy"));
  if (!ended) return json_text(plain_reply(Status::timeout, "The launch ran out of time."));
  if (WIFEXITED(status) && WEXITSTATUS(status) == no_memory_status) return json_text(no_memory_reply());
  const Status of_end = WIFEXITED(status) ? Status::internal_error : status_of_ours(how_ended(status));
  return json_text(plain_reply(of_end, "the launch gave no answer: it " + end_in_words(status)));
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
