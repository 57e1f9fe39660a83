#include "program_judge/native_run.hpp"

#include <sys/wait.h>

#include "judge/orphans.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/output_process.hpp"

namespace tilelab::judge {

ConductedRun run_natively(const BuiltProgram& program, const std::vector<std::string>& arguments) {
  using nlohmann::json;
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
