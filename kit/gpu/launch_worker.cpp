// Parent and child talk over a socket pair, one frame in each direction. The child first says that its context is ready, or why
// not. Then it answers requests with {"reply": …, "spoiled": …}. On machines where GPU and processor share memory, a kernel might
// change the child's memory. So the parent trusts the child no more than a judge trusts a runner.
#include "gpu/device_launch.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>

#include "protocol/json/json_text.hpp"
#include "protocol/protocol.hpp"
#include "runner/child_end.hpp"

namespace tilelab::cuda {
namespace {

using protocol::Status;

std::string plain_reply(Status status, std::string detail) {
  protocol::LaunchReply reply;
  reply.status = status;
  reply.detail = std::move(detail);
  return json_text(reply);
}

[[noreturn]] void serve(const CubinImage& image, Channel channel) {
  std::optional<DeviceSession> session;
  try {
    session.emplace(image);
    channel.send(json_text({{"trouble", ""}}));
  } catch (const std::exception& error) {
    channel.send(json_text({{"trouble", error.what()}}));
    _exit(1);
  }
  try {
    for (;;) {
      const Frame frame = channel.receive();
      const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
      const LaunchOutcome outcome = session->launch(request, frame.descriptors);
      channel.send(json_text({{"reply", outcome.reply}, {"spoiled", outcome.spoiled}}));
      if (outcome.spoiled) _exit(0);
    }
  } catch (const std::exception&) {
    _exit(0);  // the parent has ended
  }
}

}  // namespace

struct LaunchWorker::Process {
  pid_t pid = -1;
  ChildEnd ended = ChildEnd::exit;
  Channel channel{Descriptor()};

  explicit Process(const CubinImage& image) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::system_error(errno, std::generic_category(), "no socket for the launches");
    }
    channel = Channel(Descriptor(ends[0]));
    Descriptor theirs(ends[1]);
    pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "no process for the launches");
    if (pid != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    channel = Channel(Descriptor());
    close(protocol::socket_descriptor);  // only the parent talks to the judge
    serve(image, Channel(std::move(theirs)));
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  ~Process() {
    if (pid > 0) kill(pid, SIGKILL);
  }

  std::string end_in_words() {
    for (int tries = 0; tries < 1000; ++tries) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) == pid) {
        pid = 0;  // after waitpid, the number may belong to another process
        ended = how_ended(status);
        return tilelab::end_in_words(status);
      }
      usleep(1000);
    }
    return "did not end";
  }
};

LaunchWorker::LaunchWorker(const CubinImage& image, std::chrono::milliseconds patience) : image_(image), patience_(patience) {}

LaunchWorker::~LaunchWorker() = default;

// A process whose kernel hangs may take a while to leave the GPU. It is reaped after that, and nobody waits for it.
void LaunchWorker::end_process() {
  if (process_ && process_->pid > 0) ending_.push_back(process_->pid);
  process_.reset();
}

void LaunchWorker::reap() {
  const auto is_gone = [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; };
  std::erase_if(ending_, is_gone);
  if (process_ && is_gone(process_->pid)) {  // it died between launches, so no launch is to blame
    process_->pid = 0;
    process_.reset();
  }
}

std::string LaunchWorker::answer(const Frame& frame) {
  const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
  reap();
  try {
    if (!process_) {
      process_ = std::make_unique<Process>(image_);
      const auto hello = json_from(process_->channel.receive(static_cast<int>(patience_.count())).text);
      if (const auto trouble = hello.at("trouble").get<std::string>(); !trouble.empty()) throw DriverError(trouble);
    }
  } catch (const std::exception& error) {
    end_process();
    return plain_reply(Status::internal_error, std::string("the GPU cannot be used: ") + error.what());
  }
  try {
    std::vector<int> files;
    for (const Descriptor& file : frame.descriptors) files.push_back(file.get());
    process_->channel.send(frame.text, files);
    const auto said = json_from(process_->channel.receive(static_cast<int>(request.clock_ms)).text);
    const std::string reply = json_text(said.at("reply"));
    if (said.at("spoiled").get<bool>()) end_process();
    return reply;
  } catch (const ChannelTimeout&) {
    end_process();
    return plain_reply(Status::timeout, "The kernel did not end within " + std::to_string(request.clock_ms) + " ms on the GPU.");
  } catch (const ChannelError&) {
    const std::string end = process_->end_in_words();
    const Status status = status_of_ours(process_->ended);
    end_process();
    return plain_reply(status, "The process that used the GPU " + end + ".");
  } catch (const nlohmann::json::exception&) {
    end_process();
    return plain_reply(Status::crash, "The process that used the GPU sent an invalid answer.");
  }
}

}  // namespace tilelab::cuda
