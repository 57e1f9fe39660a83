#include "program/host/host_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "program/host/host_protocol.hpp"

namespace tilelab::program {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

Descriptor moved_up(int fd) {
  const Descriptor low(fd);
  if (fd < 0) fail("cannot make a descriptor for the program");
  Descriptor high(::fcntl(fd, F_DUPFD_CLOEXEC, 10));
  if (high.get() < 0) fail("cannot make a descriptor for the program");
  return high;
}

// Runs between fork and exec: async-signal-safe calls only. All descriptors given have high numbers, so dup2 overwrites none.
[[noreturn]] void become(char* const* argv, int socket, int staging, int report, pid_t conductor) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != conductor) ::_exit(127);
  for (const int one : {SIGTERM, SIGINT, SIGPIPE, SIGTTOU}) ::signal(one, SIG_DFL);
  if (::dup2(socket, host_socket) >= 0 && ::dup2(staging, host_staging) >= 0 && ::dup2(report, host_staging + 1) >= 0 &&
      ::fcntl(host_staging + 1, F_SETFD, FD_CLOEXEC) == 0) {
    ::close_range(host_staging + 2, ~0u, 0);
    ::execvp(argv[0], argv);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(host_staging + 1, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

HostProcess::HostProcess(const std::vector<std::string>& argv) {
  staging_file_ = moved_up(::memfd_create("tilelab-staging", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (::ftruncate(staging_file_.get(), staging_bytes) != 0 ||
      ::fcntl(staging_file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("make staging memory");
  void* mapped = ::mmap(nullptr, staging_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, staging_file_.get(), 0);
  if (mapped == MAP_FAILED) fail("map staging memory");
  staging_ = static_cast<char*>(mapped);

  std::array<int, 2> socket{}, report{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket.data()) != 0) fail("socketpair");
  channel_ = Channel(Descriptor(socket[0]));
  const Descriptor theirs = moved_up(socket[1]);
  if (::pipe2(report.data(), O_CLOEXEC) != 0) fail("pipe2");
  const Descriptor report_reader(report[0]);
  Descriptor report_writer = moved_up(report[1]);

  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t conductor = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) become(arguments.data(), theirs.get(), staging_file_.get(), report_writer.get(), conductor);
  ::setpgid(pid_, pid_);
  report_writer = Descriptor();
  int error = 0;
  if (::read(report_reader.get(), &error, sizeof error) == sizeof error) {
    kill();
    throw std::system_error(error, std::generic_category(), "cannot start " + argv.at(0));
  }
#ifdef SYS_pidfd_open
  alive_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#endif
}

HostProcess::~HostProcess() {
  kill();
  if (staging_ != nullptr) ::munmap(staging_, staging_bytes);
}

HostProcess::Wake HostProcess::wait(Clock::time_point deadline) {
  std::array<pollfd, 2> polled{pollfd{channel_.descriptor(), POLLIN, 0}, pollfd{alive_.get(), POLLIN, 0}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  const int count = ::poll(polled.data(), alive_.get() >= 0 ? 2 : 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
  if (count < 0) return Wake::interrupted;
  if ((polled[0].revents & POLLIN) != 0) return Wake::request;
  if (count > 0) return Wake::ended;
  return Clock::now() >= deadline ? Wake::deadline : Wake::interrupted;
}

std::optional<int> HostProcess::status() {
  int status = 0;
  if (!status_ && pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

void HostProcess::kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (!status_ && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace tilelab::program
