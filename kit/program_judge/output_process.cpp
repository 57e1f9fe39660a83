#include "program_judge/output_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

extern char** environ;

namespace tilelab::judge {
namespace {

constexpr std::size_t most_output = 16u << 20;
constexpr std::chrono::milliseconds between_looks{500};

}  // namespace

OutputProcess::OutputProcess(const std::vector<std::string>& argv, const std::string& folder, bool apart, int input) : apart_(apart) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for a program's output");
  reader_ = Descriptor(ends[0]);
  const Descriptor writer(ends[1]);
  std::vector<char*> words;
  for (const std::string& one : argv) words.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input < 0) posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, writer.get(), 1);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (apart) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int trouble = posix_spawnp(&pid_, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) {
    pid_ = -1;
    throw std::system_error(trouble, std::generic_category(), argv.at(0) + " cannot be started");
  }
}

OutputProcess::~OutputProcess() {
  if (pid_ <= 0) return;
  kill();
  waitpid(pid_, nullptr, 0);
}

OutputProcess::Drained OutputProcess::drain(std::string& output, const DataFolder& folder, Clock::time_point deadline, int told) {
  std::array<char, 1 << 16> buffer;
  auto looked = Clock::now();
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Drained::late;
    std::array<pollfd, 2> pollers{{{reader_.get(), POLLIN, 0}, {told, POLLIN, 0}}};  // poll passes over -1
    poll(pollers.data(), pollers.size(), static_cast<int>(std::min<long long>(left, between_looks.count())));
    if (Clock::now() - looked >= between_looks) {
      if (folder.is_overfull()) return Drained::too_much;
      looked = Clock::now();
    }
    if (pollers[0].revents == 0) {
      if (pollers[1].revents != 0) return Drained::told;
      continue;
    }
    const ssize_t got = read(reader_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Drained::whole;
    output.append(buffer.data(), std::min(static_cast<std::size_t>(got), most_output - output.size()));
    if (output.size() == most_output) return Drained::too_much;
  }
}

void OutputProcess::stop() const { ::kill(pid_, SIGTERM); }

void OutputProcess::kill() const { ::kill(apart_ ? -pid_ : pid_, SIGKILL); }

int OutputProcess::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

}  // namespace tilelab::judge
