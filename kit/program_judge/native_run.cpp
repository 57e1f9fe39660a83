#include "program_judge/native_run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <cerrno>
#include <system_error>

#include "judge/process/orphans.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/native_session.hpp"
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

ConductedRun run_alone(const BuiltProgram& program, const std::vector<std::string>& arguments) {
  const Descriptor shared = shared_device(*program.native);
  std::vector<std::string> argv = program.native->argv;
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  OutputProcess child(argv, program.folder, true);
  ConductedRun run;
  const auto drained = child.drain(run.output, DataFolder(program.folder), OutputProcess::Clock::now() + program.native->most);
  run.wrote_too_much = drained == OutputProcess::Drained::too_much;
  if (drained != OutputProcess::Drained::whole) child.kill();
  const int status = child.wait();
  reap_orphans();
  run.record = record_of_end(drained, status);
  return run;
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

nlohmann::json record_of_end(OutputProcess::Drained drained, int status) {
  const bool is_late = drained == OutputProcess::Drained::late;
  if (!is_late && how_ended(status) == ChildEnd::exit) return record_of_exit(WEXITSTATUS(status));
  nlohmann::json record = empty_record();
  const std::string limit = is_late ? "" : limit_met(status);
  // Where too much was written, we have killed it.
  const bool is_ours = !is_late && how_ended(status) == ChildEnd::outside && drained != OutputProcess::Drained::too_much;
  record["ended"] = is_late ? "timeout" : is_ours ? "internal" : "signal";
  if (is_ours) record["detail"] = "it " + end_in_words(status);
  if (!limit.empty()) record["limit"] = limit;
  if (!is_late) record["signal"] = signal_of(status);
  return record;
}

nlohmann::json record_of_exit(int status) {
  nlohmann::json record = empty_record();
  record["ended"] = "exit";
  record["status"] = status & 0xff;
  return record;
}

}  // namespace tilelab::judge
