#include "program_judge/conducted_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "program/custody.hpp"
#include "program_judge/data_folder.hpp"
#include "runner/channel.hpp"

extern char** environ;

namespace tilelab::judge {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 16u << 20;
constexpr std::chrono::milliseconds between_looks{500};
constexpr std::chrono::seconds slack{20};  // for the conductor itself, beyond the time that a program has

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("the file " + path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads the program's output until its end, or until there is too much: there, or in its folder.
bool drain(int pipe, std::string& output, const DataFolder& folder, Clock::time_point deadline) {
  auto looked = Clock::now();
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) throw std::runtime_error("the conductor did not end in time");
    pollfd poller{pipe, POLLIN, 0};
    const bool is_ready = poll(&poller, 1, static_cast<int>(std::min<long long>(left, 500))) > 0;
    if (Clock::now() - looked >= between_looks) {
      if (folder.is_overfull()) return false;
      looked = Clock::now();
    }
    if (!is_ready) continue;
    const ssize_t got = read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    output.append(buffer.data(), std::min(static_cast<std::size_t>(got), most_output - output.size()));
    if (output.size() == most_output) return false;
  }
}

// The conductor as a child process. It is killed if it is not waited for.
class Child {
 public:
  Child(const std::vector<std::string>& argv, int output, const std::string& folder) {
    std::vector<char*> words;
    for (const std::string& one : argv) words.push_back(const_cast<char*>(one.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    const int trouble = posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (trouble != 0) throw std::system_error(trouble, std::generic_category(), "the conductor cannot be started");
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const { kill(pid_, SIGTERM); }
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace

BuiltProgram read_program_file(const std::string& path) {
  const json value = json::parse(text_of(path));
  BuiltProgram program{.conductor = value.at("conductor").get<std::string>(),
                       .description = value.at("description"),
                       .launcher = {},
                       .folder = value.at("folder").get<std::string>(),
                       .scratch = value.at("scratch").get<std::string>()};
  if (value.contains("launcher")) {
    const json& launcher = value.at("launcher");
    program.launcher = {launcher.at("arguments").get<std::vector<std::string>>(), launcher.at("memory").get<std::string>() == "host"};
  }
  return program;
}

ConductedRun conduct(const BuiltProgram& program, const std::vector<std::string>& arguments, std::size_t device_bytes) {
  json description = program.description;
  for (const std::string& one : arguments) description.at("host").at("argv").push_back(one);
  if (device_bytes != 0) description.at("limits")["memory_bytes"] = device_bytes;
  return conduct(program, std::move(description));
}

ConductedRun conduct(const BuiltProgram& program, json description) {
  const std::string base = program.scratch + "/program", report = base + ".report", copies = base + ".copies", file = base + ".json";
  for (const std::string& old : {report, copies}) std::filesystem::remove(old);
  description["custody"] = copies;
  std::ofstream(file) << description.dump();
  const std::chrono::milliseconds most(description.at("limits").at("wall_ms").get<std::int64_t>());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe for the program's output");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  Child child({program.conductor, "--program", file, "--report", report}, writer.get(), program.folder);
  writer = Descriptor();
  ConductedRun run;
  run.wrote_too_much = !drain(reader.get(), run.output, DataFolder(program.folder), Clock::now() + most + slack);
  if (run.wrote_too_much) child.stop();
  if (const int status = child.wait(); !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the conductor failed with status " + std::to_string(status));
  run.record = json::parse(text_of(report));
  run.copies = read_copies(copies);
  return run;
}

std::vector<CopiedBytes> read_copies(const std::string& path) {
  std::vector<CopiedBytes> all;
  const std::string text = text_of(path);
  for (std::size_t at = 0; at < text.size();) {
    program::CustodyHeader header;
    if (text.size() - at < sizeof header) throw std::runtime_error("the record of copies is cut short");
    std::memcpy(&header, text.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > text.size() - at) throw std::runtime_error("the record of copies is cut short");
    const auto* first = reinterpret_cast<const std::byte*>(text.data() + at);
    all.push_back({header.to_the_device != 0, header.at, header.address, {first, first + header.bytes}});
    at += header.bytes;
  }
  return all;
}

}  // namespace tilelab::judge
