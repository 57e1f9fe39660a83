// Implements host_process.hpp.
#include "program/host_process.hpp"

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
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "program/host_request.hpp"

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
[[noreturn]] void become(char* const* argv, int socket, int staging, int report, pid_t broker) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != broker) ::_exit(127);
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
  const pid_t broker = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) become(arguments.data(), theirs.get(), staging_file_.get(), report_writer.get(), broker);
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

namespace {

struct Task {
  char state = 0;
  pid_t parent = 0;
  std::uint64_t ticks = 0;
};

// The fields behind a process's name, which may hold anything: state, parent, and from the twelfth on four times: its own, and of the
// children that it waited for.
bool read_task(const std::filesystem::path& folder, Task& task) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text, '\0');  // unlike an iterator over the file, this throws nothing where the process has ended since
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return false;
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  fields >> task.state >> task.parent;
  for (int i = 0; i < 9; ++i) fields >> skipped;
  std::int64_t ticks = 0;
  for (int i = 0; i < 4 && fields >> ticks; ++i) task.ticks += static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 0));
  return !fields.fail();
}

std::map<pid_t, Task> all_tasks() {
  namespace fs = std::filesystem;
  std::map<pid_t, Task> tasks;
  std::error_code trouble;
  fs::directory_iterator at("/proc", trouble);
  for (; !trouble && at != fs::directory_iterator(); at.increment(trouble)) {
    const std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || name.size() > 9) continue;
    if (Task task; read_task(at->path(), task)) tasks[std::stoi(name)] = task;
  }
  return tasks;
}

// Asleep, stopped or dead. Whatever else a state may mean, that is not waiting.
bool all_threads_wait(pid_t process) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  fs::directory_iterator at("/proc/" + std::to_string(process) + "/task", trouble);
  if (trouble) return false;
  for (; at != fs::directory_iterator(); at.increment(trouble)) {
    if (Task task; read_task(at->path(), task) && std::string("STtZX").find(task.state) == std::string::npos) return false;
    if (trouble) return false;
  }
  return true;
}

}  // namespace

Activity activity_of(pid_t root) {
  const std::map<pid_t, Task> tasks = all_tasks();
  std::map<pid_t, std::vector<pid_t>> children;
  for (const auto& [pid, task] : tasks) children[task.parent].push_back(pid);
  std::uint64_t ticks = 0;
  bool is_waiting = tasks.contains(root);
  std::vector<pid_t> waiting{root};
  while (!waiting.empty()) {
    const pid_t one = waiting.back();
    waiting.pop_back();
    if (const auto found = tasks.find(one); found != tasks.end()) {
      ticks += found->second.ticks;
      is_waiting = is_waiting && all_threads_wait(one);
    }
    const std::vector<pid_t> below = std::move(children[one]);
    children.erase(one);  // processes come and go while /proc is read: nobody is counted twice
    waiting.insert(waiting.end(), below.begin(), below.end());
  }
  return {std::chrono::milliseconds(ticks * 1000 / static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L))), is_waiting};
}

bool HostClock::is_over() {
  look_if_due();
  return most_.count() != 0 && used_ >= most_;
}

bool HostClock::is_idle() {
  look_if_due();
  return most_idle_.count() != 0 && idle_looks_ * between_looks >= most_idle_;
}

bool HostClock::may_be_over() {
  if (most_.count() == 0) return false;
  const auto before = looked_;
  look();
  const auto unseen = std::chrono::duration_cast<std::chrono::milliseconds>(looked_ - before);
  return used_ + unseen * std::max(std::thread::hardware_concurrency(), 1u) >= most_;
}

void HostClock::look_if_due() {
  if (Clock::now() >= next_look()) look();
}

void HostClock::look() {
  const Activity now = activity_of(root_);
  idle_looks_ = now.is_waiting && now.used == last_used_ ? idle_looks_ + 1 : 0;
  last_used_ = now.used;
  used_ = std::max(used_, now.used);  // what has ended since is no longer counted
  looked_ = Clock::now();
}

}  // namespace tilelab::program
