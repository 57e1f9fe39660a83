#include "judge/process/runner_process.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

constexpr off_t stderr_bytes = 4096;
constexpr std::chrono::milliseconds usual_shutdown_grace(100);

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Receives a process's standard error. Its size is sealed, so the process cannot write more than that.
Descriptor make_stderr_file() {
  Descriptor file(::memfd_create("tilelab-stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0 || ::ftruncate(file.get(), stderr_bytes) != 0) fail("memfd_create");
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("seal a memory file");
  return file;
}

// Those that run now, for a signal handler. One that finds no place is not killed by it.
std::array<std::atomic<pid_t>, 64> running{};

void replace_running(pid_t before, pid_t after) noexcept {
  for (std::atomic<pid_t>& place : running) {
    pid_t expected = before;
    if (place.compare_exchange_strong(expected, after)) return;
  }
}

std::string last_words(int file) {
  std::string text(stderr_bytes, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::erase(text, '\0');
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Runs between fork and exec: async-signal-safe calls only. All descriptors given have high numbers, so dup2 overwrites none.
[[noreturn]] void become(char* const* argv, std::span<const std::pair<int, int>> files, int report, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before prctl took effect
  for (const int one : {SIGTERM, SIGINT, SIGPIPE, SIGTTOU}) ::signal(one, SIG_DFL);
  int last = 0;
  bool placed = true;
  for (const auto& [from, to] : files) {
    placed = placed && ::dup2(from, to) >= 0;
    last = std::max(last, to);
  }
  if (placed && ::dup2(report, last + 1) >= 0 && ::fcntl(last + 1, F_SETFD, FD_CLOEXEC) == 0) {
    ::close_range(static_cast<unsigned>(last) + 2, ~0u, 0);
    ::execvp(argv[0], argv);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(last + 1, &error, sizeof error);
  ::_exit(127);
}

Descriptor high_copy(int fd) {
  Descriptor high(::fcntl(fd, F_DUPFD_CLOEXEC, 10));
  if (high.get() < 0) fail("cannot make a descriptor for a child");
  return high;
}

bool cares = false;

}  // namespace

// A running runner and our end of its socket. end() kills its process group.
struct RunnerProcess::Process {
  pid_t pid = -1;
  Descriptor stderr_file;
  Channel channel{Descriptor()};
  ChildEnd ended = ChildEnd::exit;  // by itself

  explicit Process(const std::vector<std::string>& argv);
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Returns how it ended, in words.
  std::string end() {
    if (pid < 0) return {};
    ::kill(-pid, SIGKILL);
    return wait();
  }

  // For a runner that has closed its socket: it gets `patience` to end by itself, so that its own exit status is known.
  std::string end_gently(std::chrono::milliseconds patience) {
    for (long tries = 0; tries < patience.count(); ++tries) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == pid) {
        ::kill(-pid, SIGKILL);  // children that it may have left in its group
        replace_running(pid, 0);
        pid = -1;
        ended = how_ended(status);
        return end_in_words(status);
      }
      ::usleep(1000);
    }
    end();
    return "was stopped";
  }

  bool has_unread_bytes() const {
    int bytes = 0;
    return ::ioctl(channel.descriptor(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
  }

 private:
  std::string wait() {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    replace_running(pid, 0);
    pid = -1;
    return end_in_words(status);
  }
};

StartedChild start_child(const std::vector<std::string>& argv, std::vector<std::pair<int, int>> files, void (*begun)(pid_t)) {
  std::array<int, 2> sockets{}, report{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) fail("socketpair");
  StartedChild child{.socket = Descriptor(sockets[0])};
  const Descriptor theirs(sockets[1]);
  if (::pipe2(report.data(), O_CLOEXEC) != 0) fail("pipe2");
  const Descriptor report_reader(report[0]);
  Descriptor report_writer = high_copy(Descriptor(report[1]).get());
  files.emplace_back(theirs.get(), protocol::socket_descriptor);
  std::vector<Descriptor> copies;
  for (auto& [from, to] : files) from = copies.emplace_back(high_copy(from)).get();

  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  child.pid = ::fork();
  if (child.pid < 0) fail("fork");
  if (child.pid == 0) become(arguments.data(), files, report_writer.get(), parent);
  // Parent and child both call it, because either may be first. It fails after the child's exec, when the child has already done it.
  ::setpgid(child.pid, child.pid);
  if (begun != nullptr) begun(child.pid);
  report_writer = Descriptor();
  if (::read(report_reader.get(), &child.trouble, sizeof child.trouble) != sizeof child.trouble) child.trouble = 0;
  return child;
}

RunnerProcess::Process::Process(const std::vector<std::string>& argv) : stderr_file(make_stderr_file()) {
  const Descriptor null_file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  StartedChild child = start_child(argv, {{null_file.get(), 0}, {null_file.get(), 1}, {stderr_file.get(), 2}},
                                   [](pid_t begun) { replace_running(0, begun); });
  pid = child.pid;
  channel = Channel(std::move(child.socket));
  if (child.trouble == 0) return;
  end();
  throw std::system_error(child.trouble, std::generic_category(), "cannot start " + argv.at(0));
}

void kill_runners() noexcept {
  for (const std::atomic<pid_t>& place : running) {
    if (const pid_t pid = place.load(); pid > 0) ::kill(-pid, SIGKILL);
  }
}

RunnerProcess::RunnerProcess(std::vector<std::string> argv, std::chrono::milliseconds slack, std::chrono::milliseconds shutdown_grace)
    : argv_(std::move(argv)), slack_(slack), shutdown_grace_(shutdown_grace) {}

RunnerProcess::~RunnerProcess() {
  if (!process_ || shutdown_grace_.count() == 0) return;
  process_->channel = Channel(Descriptor());
  process_->end_gently(shutdown_grace_);
}

Answer RunnerProcess::launch(const protocol::LaunchRequest& request, const std::vector<MemoryFile>& files) {
  std::vector<int> descriptors;
  for (const MemoryFile& file : files) descriptors.push_back(file.descriptor());
  const auto limit = std::chrono::milliseconds(request.clock_ms) * protocol::wall_clock_factor + slack_;
  return ask(json_text(request), limit, descriptors);
}

Answer RunnerProcess::ask(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files) {
  const bool fresh = !process_;
  Answer answer = attempt(request, limit, memory_files);
  // The runner had died since its last answer. That says nothing about this launch, so it is tried once more.
  if (answer.kind == Answer::Kind::never_started && !fresh) answer = attempt(request, limit, memory_files);
  return answer;
}

Answer RunnerProcess::attempt(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files) {
  try {
    if (!process_) process_ = std::make_unique<Process>(argv_);
  } catch (const std::system_error& error) {
    return {.kind = Answer::Kind::never_started, .text = error.what()};
  }
  const auto give_up = [this](Answer::Kind kind, const std::string& end) {
    const std::string words = last_words(process_->stderr_file.get());
    const ChildEnd ended = process_->ended;
    process_.reset();
    return Answer{kind, ended, words.empty() ? "the runner " + end : "the runner " + end + ": " + words};
  };
  try {
    process_->channel.send(request, memory_files);
    return {.text = process_->channel.receive(static_cast<int>(std::min<long>(limit.count(), 3'600'000))).text};
  } catch (const ChannelTimeout&) {
    const bool unread = process_->has_unread_bytes();
    process_->end();
    return unread ? give_up(Answer::Kind::never_started, "never read its request")
                  : give_up(Answer::Kind::timeout, "did not answer in time");
  } catch (const ChannelReset&) {
    return give_up(Answer::Kind::never_started, process_->end_gently(std::max(shutdown_grace_, usual_shutdown_grace)));
  } catch (const ChannelClosed& error) {
    const std::string end = process_->end_gently(std::max(shutdown_grace_, usual_shutdown_grace));
    return give_up(Answer::Kind::died, end + " (" + error.what() + ")");
  } catch (const ChannelError& error) {
    process_->end();
    return give_up(Answer::Kind::garbled, std::string("broke off the conversation (") + error.what() + ")");
  }
}

MemoryFile::MemoryFile(std::span<const std::byte> content)
    : file_(::memfd_create("tilelab-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING)), size_(content.size()) {
  if (file_.get() < 0) fail("memfd_create");
  if (!file_.write_at(0, content.data(), size_)) fail("write to a memory file");
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("seal a memory file");
}

std::vector<std::byte> MemoryFile::bytes() const {
  std::vector<std::byte> copy(size_);
  if (!file_.read_at(0, copy.data(), size_)) fail("read a memory file");
  return copy;
}

OrphanCare::OrphanCare() { cares = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0; }

OrphanCare::~OrphanCare() {
  reap_orphans();
  cares = false;
}

void reap_orphans() {
  if (!cares) return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (;;) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended > 0 || (ended < 0 && errno == EINTR)) continue;
    if (ended < 0 || std::chrono::steady_clock::now() >= deadline) return;  // there are none, or one does not end
    usleep(500);
  }
}

}  // namespace tilelab::judge
