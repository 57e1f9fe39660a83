#include "judge/programs/native_run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "judge/process/runner_process.hpp"
#include "operands/operand.hpp"
#include "runner/child_end.hpp"

namespace tilelab::judge {
namespace {

Descriptor locked(const std::string& path, int how) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  int status = file.get() < 0 ? -1 : 0;
  while (status == 0 && flock(file.get(), how) != 0) {
    if (errno != EINTR) status = -1;
  }
  if (status != 0) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

nlohmann::json empty_record() {
  using nlohmann::json;
  json record = {{"native", true}};
  for (const char* list : {"launches", "findings", "host", "allocations", "errors"}) record[list] = json::array();
  return record;
}

BrokeredRun run_alone(const BuiltProgram& program, const std::vector<std::string>& arguments) {
  const Descriptor shared = shared_device(*program.native);
  std::vector<std::string> argv = program.native->argv;
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  OutputProcess child(argv, program.folder, true);
  BrokeredRun run;
  const auto drained = child.drain(run.output, DataFolder(program.folder), OutputProcess::Clock::now() + program.native->most);
  run.too_much = child.too_much();
  if (drained != OutputProcess::Drained::whole) child.kill();
  const int status = child.wait();
  reap_orphans();
  run.record = record_of_end(drained, status, program.native->most);
  return run;
}

constexpr std::size_t longest_error = 300;
constexpr unsigned char made_by_kernel = 2;

std::string place(std::size_t index) { return "tilelab_" + std::to_string(index); }

std::vector<std::byte> bytes_in(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

LaunchRecord judge_native_run(const BuiltProgram& program, const std::vector<DataFile>& files, const std::vector<std::string>& arguments,
                              const NativeVerdict& judge) {
  if (NativeSession* const session = program.native->session.get()) {
    if (const auto run = session->turn(program, files, arguments)) {
      LaunchRecord record = judge(*run);
      if (record.verdict == Verdict::pass) return record;
    }
    session->give_up();
  }
  DataFolder(program.folder).fill(files);
  return judge(run_alone(program, arguments));
}

Descriptor shared_device(const NativeProgram& program) {
  if (program.lock.empty()) return Descriptor();
  const Descriptor gate = locked(program.gate, LOCK_EX);
  return locked(program.lock, LOCK_SH);
}

nlohmann::json record_of_end(OutputProcess::Drained drained, int status, std::chrono::milliseconds most) {
  const bool is_late = drained == OutputProcess::Drained::late;
  if (!is_late && how_ended(status) == ChildEnd::exit) return record_of_exit(WEXITSTATUS(status));
  nlohmann::json record = empty_record();
  const std::string limit = is_late ? "wall-clock" : limit_met(status);
  // Where too much was written, we have killed it.
  const bool is_ours = !is_late && how_ended(status) == ChildEnd::outside && drained != OutputProcess::Drained::too_much;
  record["ended"] = is_late ? "timeout" : is_ours ? "internal" : "signal";
  if (is_ours) record["detail"] = "it " + end_in_words(status);
  if (!limit.empty()) record["limit"] = limit;
  if (is_late) record["most"] = most.count();
  if (!is_late) record["signal"] = signal_of(status);
  return record;
}

nlohmann::json record_of_exit(int status) {
  nlohmann::json record = empty_record();
  record["ended"] = "exit";
  record["status"] = status & 0xff;
  return record;
}

NativeSession::NativeSession() = default;
NativeSession::~NativeSession() { end(); }

std::optional<BrokeredRun> NativeSession::turn(const BuiltProgram& program, const std::vector<DataFile>& files,
                                               const std::vector<std::string>& arguments) {
  if (is_given_up_) return std::nullopt;
  const DataFolder folder(program.folder);
  if (!child_ || !folder.refill(files) || !ask(arguments)) {
    end();
    folder.fill(files);
    start(program);
    if (!ask(arguments)) return std::nullopt;
  }
  BrokeredRun run;
  const auto deadline = OutputProcess::Clock::now() + program.native->most;
  auto drained = child_->drain(run.output, folder, deadline, channel_.get());
  if (drained == OutputProcess::Drained::told) {
    if (const auto status = told()) {
      run.record = record_of_exit(*status);
      return run;
    }
    drained = child_->drain(run.output, folder, deadline);  // it ended
  }
  run.too_much = child_->too_much();
  if (drained != OutputProcess::Drained::whole) child_->kill();
  run.record = record_of_end(drained, child_->wait(), program.native->most);
  end();
  return run;
}

void NativeSession::give_up() {
  end();
  is_given_up_ = true;
}

void NativeSession::start(const BuiltProgram& program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "no channel to a program");
  channel_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  device_ = shared_device(*program.native);
  child_ = std::make_unique<OutputProcess>(program.native->argv, program.folder, true, other.get());
}

void NativeSession::end() {
  child_.reset();
  channel_ = Descriptor();
  device_ = Descriptor();
  reap_orphans();
}

bool NativeSession::ask(const std::vector<std::string>& arguments) const {
  std::string words;
  for (const std::string& one : arguments) words += one + '\0';
  const auto bytes = static_cast<std::uint32_t>(words.size());
  std::string message(sizeof bytes, '\0');
  std::memcpy(message.data(), &bytes, sizeof bytes);
  message += words;
  return send(channel_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(message.size());
}

std::optional<int> NativeSession::told() const {
  std::int32_t status = 0;
  if (recv(channel_.get(), &status, sizeof status, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof status)) return std::nullopt;
  return status;
}

std::vector<DataFile> native_files(const std::vector<const Operand*>& operands, bool on_host) {
  std::vector<DataFile> files;
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& one = *operands[i];
    if (!one.is_buffer()) {
      char number[64];
      std::snprintf(number, sizeof number, "scalar %.17g\n", one.number);
      list += number;
      continue;
    }
    files.push_back({place(i), content_before(one, Fill::telling)});
    list += std::string(on_host ? "host " : "device ") + name_of(one.kind) + " " + std::to_string(files.back().content.size()) + "\n";
  }
  files.push_back({"tilelab_operands", bytes_in(list)});
  return files;
}

NativeResults native_results(const std::vector<const Operand*>& operands, const DataFolder& folder) {
  NativeResults results;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    OperandContent& one = results.contents.emplace_back();
    if (!operands[i]->is_buffer()) continue;
    one.before = content_before(*operands[i], Fill::telling);
    auto found = folder.read(place(i) + ".out", one.before.size());
    if (!found.content || found.content->size() != one.before.size())
      return {{}, "The program left no whole result of " + operands[i]->name + "."};
    one.after = std::move(*found.content);
    one.origins.assign(one.after.size(), made_by_kernel);
  }
  return results;
}

std::string native_error(const DataFolder& folder) {
  const auto found = folder.read("tilelab_error", longest_error);
  if (!found.content) return {};
  return tame(std::string(reinterpret_cast<const char*>(found.content->data()), found.content->size()), longest_error);
}

}  // namespace tilelab::judge
