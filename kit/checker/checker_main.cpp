// Runs one described launch of any kernel under every detector, and writes down what was found. It grades nothing. Exit status: 0
// the report is written, whatever was found; 2 the command line is wrong; 3 the checker could not work. The reason is on standard
// error.
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "checker/described_launch.hpp"
#include "judge/judge_task.hpp"
#include "options/program_options.hpp"
#include "protocol/json/json_text.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

constexpr std::string_view usage = "usage: checker --launch LAUNCH.json --runner RUNNER.json --report REPORT.json";

void check(int argc, char** argv) {
  const ProgramOptions options(argc, argv, {{"launch"}, {"runner"}, {"report"}}, usage);
  const checker::LaunchDescription launch = checker::read_description(options.text("launch"));
  judge::RunnerProcess runner(judge::read_runner_argv(options.text("runner")));
  const judge::LaunchRecord record = checker::check_launch(runner, launch);
  json report = record;
  report["metrics"] = record.traffic ? json(record.traffic->metrics) : json::object();
  if (record.trace) report["trace"] = *record.trace;
  judge::write_report(options.text("report"), json_text(report) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    check(argc, argv);
    return 0;
  } catch (const OptionError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "checker: " << error.what() << "\n";
    return 3;
  }
}
