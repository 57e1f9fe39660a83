#include "program_judge/native_session.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "judge/process/orphans.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/native_run.hpp"
#include "program_judge/output_process.hpp"

namespace tilelab::judge {

NativeSession::NativeSession() = default;
NativeSession::~NativeSession() { end(); }

std::optional<ConductedRun> NativeSession::turn(const BuiltProgram& program, const std::vector<DataFile>& files,
                                                const std::vector<std::string>& arguments) {
  if (is_given_up_) return std::nullopt;
  const DataFolder folder(program.folder);
  if (!child_ || !folder.refill(files) || !ask(arguments)) {
    end();
    folder.fill(files);
    start(program);
    if (!ask(arguments)) return std::nullopt;
  }
  ConductedRun run;
  const auto deadline = OutputProcess::Clock::now() + program.native->most;
  auto drained = child_->drain(run.output, folder, deadline, channel_.get());
  if (drained == OutputProcess::Drained::told) {
    if (const auto status = told()) {
      run.record = record_of_exit(*status);
      return run;
    }
    drained = child_->drain(run.output, folder, deadline);  // it ended
  }
  run.wrote_too_much = drained == OutputProcess::Drained::too_much;
  if (drained != OutputProcess::Drained::whole) child_->kill();
  run.record = record_of_end(drained, child_->wait());
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

}  // namespace tilelab::judge
