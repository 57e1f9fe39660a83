// Runs a whole CUDA program without a GPU and writes down what was found. It judges nothing. Exit status: 0 the report is written,
// whatever the program did; 2 the command line is wrong; 3 the broker could not work. The reason is on standard error.
#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "options/program_options.hpp"
#include "program/broker.hpp"
#include "protocol/json/json_text.hpp"

namespace {

using namespace tilelab;

constexpr std::string_view usage = "usage: broker --program PROGRAM.json --report REPORT.json";

std::atomic<bool> stop = false;
// A launch may take long: it ends now, and then the run does.
void on_signal(int) {
  stop = true;
  judge::kill_runners();
}

void run_with_broker(int argc, char** argv) {
  const ProgramOptions options(argc, argv, {{"program"}, {"report"}}, usage);
  struct sigaction action{};
  action.sa_handler = on_signal;  // no SA_RESTART: a wait is to end
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaction(one, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // who started us is gone, and nobody would read the report
  const judge::OrphanCare care;
  judge::write_report(options.text("report"), json_text(program::brokered(program::read_program(options.text("program")), stop)) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("broker", 3, [&] { run_with_broker(argc, argv); });
}
