// Implements host_process.hpp.
#include "program/host_process.hpp"

#include <poll.h>
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
#include <system_error>
#include <thread>

#include "judge/process/runner_process.hpp"
#include "program/host_request.hpp"

namespace tilelab::program {

HostProcess::HostProcess(const std::vector<std::string>& argv) : staging_("tilelab-staging", staging_bytes) {
  judge::StartedChild child = judge::start_child(argv, {{staging_.descriptor(), host_staging}});
  pid_ = child.pid;
  channel_ = Channel(std::move(child.socket));
  if (child.trouble != 0) {
    kill();
    throw std::system_error(child.trouble, std::generic_category(), "cannot start " + argv.at(0));
  }
#ifdef SYS_pidfd_open
  alive_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#endif
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
