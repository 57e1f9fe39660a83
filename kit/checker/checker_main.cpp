// Runs one described launch of any kernel under every detector, and writes down what was found. Grades nothing.
// Exit status: 0 the report is written, whatever was found; 3 the checker could not work, and why is on standard error.
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "checker/described_launch.hpp"
#include "judge/judge_files.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

constexpr std::string_view usage = "usage: checker --launch LAUNCH.json --runner RUNNER.json --report REPORT.json";

void check(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  for (const char* name : {"--launch", "--runner", "--report"}) {
    if (!options.contains(name)) throw std::runtime_error(std::string(usage));
  }
  const checker::LaunchDescription launch = checker::read_description(options.at("--launch"));
  judge::RunnerProcess runner(judge::read_runner_argv(options.at("--runner")));
  const judge::LaunchRecord record = checker::check_launch(runner, launch);
  json report = record;
  report["metrics"] = record.traffic ? json(record.traffic->metrics) : json::object();
  judge::write_report(options.at("--report"), report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    check(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "checker: " << error.what() << "\n";
    return 3;
  }
}
