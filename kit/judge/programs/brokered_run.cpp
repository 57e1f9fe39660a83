#include "judge/programs/brokered_run.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "judge/process/runner_process.hpp"
#include "judge/programs/native_run.hpp"
#include "program/memory/provenance.hpp"
#include "protocol/json/json_text.hpp"

extern char** environ;

namespace tilelab::judge {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds slack{20};  // for the broker itself, beyond the time that a program has

// The processor time of a launcher's launches is halved by whoever made its trial.
void cut(json& limits, const RunShare& share, bool is_launcher) {
  const auto halve = [&](const char* key) {
    if (limits.contains(key)) limits[key] = limits.at(key).get<std::uint64_t>() >> share.halvings;
  };
  halve("host_clock_ms");
  halve("idle_ms");
  if (!is_launcher) halve("clock_ms");
  if (!is_launcher) halve("wall_ms");
  limits["wall_ms"] = std::min(limits.at("wall_ms").get<std::uint64_t>(), static_cast<std::uint64_t>(share.most.count()));
}

// A program that ignores the signal of a file that is too large fails at its next write, and ends as it likes.
void note_full_file(json& record, const json& limits, const DataFolder& folder) {
  const auto most = limits.value("file_bytes", std::uint64_t{0});
  const bool has_failed = record.value("ended", "") == "signal" || (record.value("ended", "") == "exit" && record.value("status", 0) != 0);
  if (most == 0 || !has_failed || record.contains("limit") || folder.usage().largest_file < most) return;
  record["limit"] = "file-size";
  record["most"] = most;
}

constexpr std::size_t most_output = 16u << 20;
constexpr std::chrono::milliseconds between_looks{500};

constexpr unsigned most_depth = 200;
constexpr std::size_t most_entries = 10'000;
constexpr std::uintmax_t most_bytes = 512u << 20;

[[noreturn]] void fail_in_folder(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

// A program may take away the rights to its own folders, and then they could not be removed. Follows no link.
void unlock(int folder, unsigned depth) {
  if (depth > most_depth) return;
  fchmod(folder, 0700);
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // fdopendir takes it
  DIR* const entries = again < 0 ? nullptr : fdopendir(again);
  if (entries == nullptr) return;
  while (const dirent* one = readdir(entries)) {
    const std::string name = one->d_name;
    if (one->d_type != DT_DIR || name == "." || name == "..") continue;
    if (fchmodat(folder, name.c_str(), 0700, 0) != 0) continue;  // nobody else is at work here: the program has ended
    if (const Descriptor inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); inner.get() >= 0)
      unlock(inner.get(), depth + 1);
  }
  closedir(entries);
}

// An earlier run may have taken away the rights to the folder itself.
int opened_data_folder(const std::string& path) {
  constexpr int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const int folder = open(path.c_str(), how);
  return folder < 0 && errno == EACCES && chmod(path.c_str(), 0700) == 0 ? open(path.c_str(), how) : folder;
}

// The folder in which a file lies, and its name there. Each step opens a folder in the one before, and follows no link. A folder that
// is not there is made, or is -1. Throws std::runtime_error for a path that leads elsewhere.
std::pair<Descriptor, std::string> place_of(int top, const std::string& path, bool makes) {
  Descriptor folder(openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t first = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos; first = end + 1, end = path.find('/', first)) {
    const std::string name = path.substr(first, end - first);
    if (name.empty() || name == "." || name == "..") throw std::runtime_error("'" + path + "' is no path below the program's folder");
    if (makes) mkdirat(folder.get(), name.c_str(), 0755);
    folder = Descriptor(openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.get() < 0) break;
  }
  return {std::move(folder), path.substr(path.rfind('/') + 1)};
}

}  // namespace

DataFolder::DataFolder(const std::string& path) : path_(path), folder_(opened_data_folder(path)) {
  if (folder_.get() < 0) fail_in_folder("the program's folder " + path + " cannot be opened");
}

void DataFolder::fill(const std::vector<DataFile>& files) const {
  unlock(folder_.get(), 0);
  for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry.path());  // follows no link
  write(files);
}

void DataFolder::write(const std::vector<DataFile>& files) const {
  for (const DataFile& one : files) {
    const auto [folder, name] = place_of(folder_.get(), one.name, true);
    if (name.empty()) continue;  // a folder
    const Descriptor file(openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.get() < 0) fail_in_folder("the file " + one.name + " cannot be made for the program");
    if (!file.write_at(0, one.content.data(), one.content.size()))
      fail_in_folder("the file " + one.name + " cannot be written for the program");
  }
}

bool DataFolder::refill(const std::vector<DataFile>& files) const {
  const int again = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // fdopendir takes it
  DIR* const entries = again < 0 ? nullptr : fdopendir(again);
  if (entries == nullptr) return false;
  bool is_empty = true;
  std::size_t seen = 0;
  while (const dirent* one = readdir(entries)) {
    const std::string name = one->d_name;
    if (name == "." || name == "..") continue;
    is_empty = is_empty && ++seen <= most_entries && unlinkat(folder_.get(), name.c_str(), 0) == 0;
    if (!is_empty) break;
  }
  closedir(entries);
  try {
    if (is_empty) write(files);
  } catch (const std::system_error&) {
    return false;
  }
  return is_empty;
}

DataFolder::Usage DataFolder::usage() const {
  namespace fs = std::filesystem;
  Usage usage;
  std::error_code trouble;  // the program may remove what is looked at
  std::uintmax_t bytes = 0;
  std::size_t entries = 0;
  fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, trouble);
  for (; !trouble && at != fs::recursive_directory_iterator() && ++entries <= most_entries; at.increment(trouble)) {
    std::error_code gone;
    const std::uintmax_t size = at->symlink_status(gone).type() == fs::file_type::regular ? at->file_size(gone) : 0;
    if (!gone) {
      bytes += size;
      usage.largest_file = std::max(usage.largest_file, size);
    }
    if (at.depth() < static_cast<int>(most_depth)) continue;
    usage.too_much = "more than " + std::to_string(most_depth) + " folders in one another";
    at.disable_recursion_pending();
  }
  if (entries > most_entries) usage.too_much = "more than " + std::to_string(most_entries) + " files and folders";
  if (bytes > most_bytes) usage.too_much = "more than " + std::to_string(most_bytes >> 20) + " MiB of files";
  return usage;
}

DataFolder::Found DataFolder::read(const std::string& name, std::size_t most_bytes) const {
  const auto [folder, last] = place_of(folder_.get(), name, false);
  const Descriptor file(openat(folder.get(), last.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (folder.get() < 0 || file.get() < 0)
    return {std::nullopt, errno == ENOENT || folder.get() < 0 ? "does not exist" : "is no plain file that can be read"};
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {std::nullopt, "is no plain file that can be read"};
  if (static_cast<std::size_t>(about.st_size) > most_bytes) return {std::nullopt, "is far too large"};
  std::vector<std::byte> content(static_cast<std::size_t>(about.st_size));
  if (!file.read_at(0, content.data(), content.size())) return {std::nullopt, "was shortened while it was read"};
  return {std::move(content), {}};
}

BuiltProgram read_program_file(const std::string& path) {
  const json value = json_of(path);
  BuiltProgram program{.broker = value.at("broker").get<std::string>(),
                       .description = value.at("description"),
                       .launcher = {},
                       .native = {},
                       .folder = value.at("folder").get<std::string>(),
                       .scratch = value.at("scratch").get<std::string>()};
  if (value.contains("launcher")) {
    const json& launcher = value.at("launcher");
    program.launcher = {launcher.at("arguments").get<std::vector<std::string>>(), launcher.at("memory").get<std::string>() == "host"};
  }
  if (value.contains("native")) {
    const json& native = value.at("native");
    program.native = {native.at("argv").get<std::vector<std::string>>(),
                      std::chrono::milliseconds(native.at("wall_ms").get<std::int64_t>()), native.value("gate", ""),
                      native.value("lock", ""), std::make_shared<NativeSession>()};
    if (program.native->argv.empty()) throw std::runtime_error(path + ": the native program's argv is empty");
  }
  return program;
}

json described(const BuiltProgram& program, const std::vector<std::string>& arguments, std::size_t device_bytes) {
  json description = program.description;
  for (const std::string& one : arguments) description.at("host").at("argv").push_back(one);
  json& limits = description.at("limits");
  const auto usual = limits.at("memory_bytes").get<std::size_t>();
  if (device_bytes != 0) limits.update({{"memory_bytes", device_bytes}, {"taken_bytes", std::max(usual, device_bytes) - device_bytes}});
  return description;
}

std::string reads_of(const BuiltProgram& program) { return program.scratch + "/program.reads"; }

BrokeredRun run_with_broker(const BuiltProgram& program, json description) {
  const std::string base = program.scratch + "/program", report = base + ".report", copies = base + ".copies", file = base + ".json";
  for (const std::string& old : {report, copies}) std::filesystem::remove(old);
  description["transfer_log"] = copies;
  if (program.share) cut(description.at("limits"), program.share(), program.launcher.has_value());
  std::ofstream(file) << json_text(description);
  const std::chrono::milliseconds most(description.at("limits").at("wall_ms").get<std::int64_t>());
  OutputProcess child({program.broker, "--program", file, "--report", report}, program.folder, false);
  BrokeredRun run;
  const auto drained = child.drain(run.output, DataFolder(program.folder), Clock::now() + most + slack);
  if (drained == OutputProcess::Drained::late) throw std::runtime_error("the broker did not end in time");
  run.too_much = child.too_much();
  if (!run.too_much.empty()) child.stop();
  const int status = child.wait();
  reap_orphans();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the broker failed with status " + std::to_string(status));
  run.record = json_of(report);
  run.copies = read_copies(copies);
  note_full_file(run.record, description.at("limits"), DataFolder(program.folder));
  return run;
}

std::vector<CopiedBytes> read_copies(const std::string& path) {
  std::vector<CopiedBytes> all;
  const std::string text = content_of(path);
  for (std::size_t at = 0; at < text.size();) {
    program::TransferHeader header;
    if (text.size() - at < sizeof header) throw std::runtime_error("the record of copies is cut short");
    std::memcpy(&header, text.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > text.size() - at) throw std::runtime_error("the record of copies is cut short");
    const auto* first = reinterpret_cast<const std::byte*>(text.data() + at);
    CopiedBytes& one = all.emplace_back();
    one = {.to_the_device = header.to_the_device != 0, .at = header.at, .address = header.address, .bytes = {first, first + header.bytes}};
    at += header.bytes;
    if (one.address > ~std::uint64_t{0} - one.bytes.size()) one.address = 0;  // the program may name any
    if (one.to_the_device) continue;
    const std::size_t bits = (one.bytes.size() + 7) / 8;
    if (bits > text.size() - at) throw std::runtime_error("the record of copies is cut short");
    one.by_kernel.resize(one.bytes.size());
    for (std::size_t i = 0; i < one.bytes.size(); ++i) one.by_kernel[i] = (text[at + i / 8] >> (i % 8) & 1) != 0;
    at += bits;
  }
  return all;
}

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
      too_much_ = folder.usage().too_much;
      if (!too_much_.empty()) return Drained::too_much;
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
    if (output.size() < most_output) continue;
    too_much_ = "more than " + std::to_string(most_output >> 20) + " MiB of output";
    return Drained::too_much;
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
