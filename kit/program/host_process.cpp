// What processes and their threads do, as /proc shows it.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "program/host_process.hpp"

namespace tilelab::program {

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

}  // namespace tilelab::program
