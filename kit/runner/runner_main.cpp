// The process that hosts a submission. It answers launch requests on its socket. Launches run in child processes, so that a crash costs
// only one. A child serves one launch after another as long as each leaves it as it was: then the pages of its stacks and tables are there
// already. From a child that served before, only a launch without findings is believed; any other is made again in a new one, so that
// nothing that is found depends on earlier launches. This process itself never runs the submission's code.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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

// Memory shared with a child. What the child writes there is read once, and believed no more than any reply.
struct Mailbox {
  std::size_t request_bytes = 0, reply_bytes = 0;  // of what `text` holds; 0: nothing. Set when the text is whole
  bool goes_on = false;                            // the child takes another request
  char text[protocol::max_frame_bytes];

  void put(const std::string& what, std::size_t Mailbox::* bytes) {
    if (what.size() > sizeof text) return;
    std::memcpy(text, what.data(), what.size());
    this->*bytes = what.size();
  }
  std::string taken(std::size_t Mailbox::* bytes) {
    const std::size_t size = std::exchange(this->*bytes, 0);
    return size <= sizeof text ? std::string(text, size) : std::string();
  }
  void ask(const std::string& request) {
    reply_bytes = 0;
    put(request, &Mailbox::request_bytes);
  }
};

// Where one side tells the other that something lies in the mailbox. Linux closes the child's ends when it ends, for any reason.
struct Bell {
  Descriptor heard, rung;

  Bell() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for the launches");
    heard = Descriptor(ends[0]);
    rung = Descriptor(ends[1]);
  }
  bool ring() const { return write(rung.get(), "", 1) == 1; }  // false: the other side has gone; SIGPIPE is ignored
  bool hear() const {
    char byte = 0;
    return read(heard.get(), &byte, 1) == 1;
  }
};

// The child in which launches run. `frame`: its first launch. A later one's buffers come in files of its own.
class LaunchProcess {
 public:
  // Throws std::system_error.
  LaunchProcess(const Image& image, Frame& frame, Mailbox& mailbox) : mailbox_(mailbox) {
    for (std::size_t i = 0; i < frame.descriptors.size(); ++i) files_.emplace_back(memfd_create("launch", MFD_CLOEXEC));
    mailbox_.ask(frame.text);
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no process for the launch");
    if (pid_ == 0) serve(image, std::move(frame.descriptors));
    next_.heard = Descriptor();
    done_.rung = Descriptor();
  }
  LaunchProcess(const LaunchProcess&) = delete;
  LaunchProcess& operator=(const LaunchProcess&) = delete;
  ~LaunchProcess() {
    if (pid_ > 0) end();
  }

  // Whether it takes this as a further launch. The reply to it, as to the first, is waited_for().
  bool takes(const Frame& frame) {
    if (!goes_on_ || frame.descriptors.size() != files_.size()) return false;
    sizes_.clear();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      struct stat about{};
      if (fstat(frame.descriptors[i].get(), &about) != 0 || about.st_size < 0 || about.st_size > most_copied_bytes) return false;
      sizes_.push_back(static_cast<std::size_t>(about.st_size));
      if (!copied(frame.descriptors[i], files_[i], sizes_[i])) return false;
    }
    before_ms_ = used_ms();
    is_first_ = false;
    mailbox_.ask(frame.text);
    return next_.ring();
  }

  // The reply, its buffers written to the frame's files; empty: none in time, or no believable one.
  std::string waited_for(const Frame& frame, unsigned clock_ms) {
    clock_ms_ = clock_ms;
    pollfd poller{done_.heard.get(), POLLIN, 0};
    ran_out_ = poll(&poller, 1, static_cast<int>(clock_ms * protocol::wall_clock_factor)) <= 0;
    goes_on_ = !ran_out_ && done_.hear() && mailbox_.goes_on;
    if (!goes_on_) ended_ = end();  // before its answer is read: now it changes no more
    std::string reply = mailbox_.taken(&Mailbox::reply_bytes);
    if (is_first_ || reply.empty()) return reply;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!copied(files_[i], frame.descriptors[i], sizes_[i])) return "";
    }
    return reply;
  }
  bool is_first() const { return is_first_; }
  bool goes_on() const { return goes_on_; }
  bool ran_out_of_time() const { return ran_out_; }

  // Of a launch without a reply.
  LaunchReply explanation() const {
    const auto [status, used] = ended_;
    if (ran_out_ && used * 2 < clock_ms_)
      return plain_reply(Status::internal_error,
                         "the launch got " + std::to_string(used) + " ms of the processor in all its time: this machine is too busy");
    if (ran_out_) return plain_reply(Status::timeout, "The launch ran out of time.");
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_memory_status) return no_memory_reply();
    const Status of_end = WIFEXITED(status) ? Status::internal_error : status_of_ours(how_ended(status));
    return plain_reply(of_end, "the launch gave no answer: it " + end_in_words(status));
  }

 private:
  static bool copied(const Descriptor& from, const Descriptor& to, std::size_t size) {
    std::vector<char> bytes(size);
    return from.read_at(0, bytes.data(), size) && to.write_at(0, bytes.data(), size);
  }
  static std::uint64_t milliseconds(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
  }
  std::uint64_t used_ms() const {
    clockid_t clock{};
    timespec time{};
    return clock_getcpuclockid(pid_, &clock) == 0 && clock_gettime(clock, &time) == 0 ? milliseconds(time) : 0;
  }
  // Its status, and the milliseconds of the processor that the last launch used. A process that is ending already keeps its status.
  std::pair<int, std::uint64_t> end() {
    kill(pid_, SIGKILL);
    int status = 0;
    rusage used{};
    wait4(pid_, &status, 0, &used);
    pid_ = 0;
    const auto ms = [](const timeval& time) { return milliseconds({time.tv_sec, time.tv_usec * 1000}); };
    const std::uint64_t all = ms(used.ru_utime) + ms(used.ru_stime);
    return {status, all - std::min(all, before_ms_)};
  }

  // `files`: of the first launch, closed behind it.
  [[noreturn]] void serve(const Image& image, std::vector<Descriptor> files) {
    close(protocol::socket_descriptor);  // only the parent talks to the judge
    next_.rung = Descriptor();
    done_.heard = Descriptor();
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);  // then the limits of one process are those of the whole submission; only root is exempt
    const auto deliver = [this](const LaunchEnd& end) {
      mailbox_.goes_on = end.goes_on;
      mailbox_.put(json_text(end.reply), &Mailbox::reply_bytes);  // the kernel's output may not be valid UTF-8
      if (!end.goes_on || !done_.ring()) _exit(0);
    };
    for (bool is_first = true; is_first || next_.hear(); is_first = false) {
      const auto request = json_from(mailbox_.taken(&Mailbox::request_bytes)).get<protocol::LaunchRequest>();
      run_launch(image, request, is_first ? files : files_, is_first, deliver);
      files.clear();
    }
    _exit(0);
  }

  static constexpr off_t most_copied_bytes = 8 << 20;  // of a buffer: to copy more costs more than a new process

  Mailbox& mailbox_;
  Bell next_, done_;
  std::vector<Descriptor> files_;
  std::vector<std::size_t> sizes_;  // in bytes, of the present launch
  pid_t pid_ = 0;
  unsigned clock_ms_ = 0;
  std::uint64_t before_ms_ = 0;
  std::pair<int, std::uint64_t> ended_;
  bool is_first_ = true, goes_on_ = false, ran_out_ = false;
};

class Launches {
 public:
  // Throws std::bad_alloc.
  explicit Launches(const Image& image) : image_(image) {
    void* memory = mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mailbox_ = static_cast<Mailbox*>(memory);
  }

  std::string answer(Frame& frame) {
    const unsigned clock_ms = json_from(frame.text).get<protocol::LaunchRequest>().clock_ms;
    for (;;) {
      try {
        if (!process_ || !process_->takes(frame)) {
          process_.reset();
          process_ = std::make_unique<LaunchProcess>(image_, frame, *mailbox_);
        }
      } catch (const std::system_error& error) {
        return json_text(plain_reply(Status::internal_error, error.what()));
      }
      std::string reply = process_->waited_for(frame, clock_ms);
      const bool is_final = !reply.empty() || process_->is_first() || process_->ran_out_of_time();
      if (reply.empty() && is_final) reply = json_text(process_->explanation());
      if (!is_final) reuses_ = false;  // so no more than one launch is made twice
      if (!process_->goes_on() || !reuses_) process_.reset();
      if (is_final) return reply;
    }
  }

 private:
  const Image& image_;
  Mailbox* mailbox_;
  std::unique_ptr<LaunchProcess> process_;
  bool reuses_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--image") {
    std::fprintf(stderr, "usage: runner --image image.json   (started by a judge, which it answers on descriptor 3)\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const Image image = load_image(argv[2]);
    Channel channel{Descriptor(protocol::socket_descriptor)};
    Launches launches(image);
    for (;;) {
      Frame frame;
      try {
        frame = channel.receive();
      } catch (const ChannelError&) {
        return 0;  // the judge closed the socket
      }
      channel.send(launches.answer(frame));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runner: %s\n", error.what());
    return 1;
  }
}
