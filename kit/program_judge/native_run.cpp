#include "program_judge/native_run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <cerrno>
#include <system_error>

#include "judge/orphans.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/output_process.hpp"
#include "runner/channel.hpp"

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

// Shares the GPU with others while this run lasts and no longer: a kernel that is to be timed waits for one run, not for all of a case's.
// Taken as grader/machine/gpu_lock.py takes it: the gate first, which a program that wants the GPU alone holds while it waits.
Descriptor shared_device(const NativeProgram& program) {
  if (program.lock.empty()) return Descriptor();
  const Descriptor gate = locked(program.gate, LOCK_EX);
  return locked(program.lock, LOCK_SH);
}

}  // namespace

ConductedRun run_natively(const BuiltProgram& program, const std::vector<std::string>& arguments) {
  using nlohmann::json;
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
  run.record = {{"native", true}};
  for (const char* list : {"launches", "findings", "host", "allocations", "errors"}) run.record[list] = json::array();
  if (drained == OutputProcess::Drained::late) {
    run.record["ended"] = "timeout";
  } else if (WIFSIGNALED(status)) {
    run.record["ended"] = "signal";
    run.record["signal"] = WTERMSIG(status);
  } else {
    run.record["ended"] = "exit";
    run.record["status"] = WEXITSTATUS(status);
  }
  return run;
}

}  // namespace tilelab::judge
