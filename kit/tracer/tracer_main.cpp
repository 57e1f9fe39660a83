// Runs one launch of a submission as a judge does, and writes down what one block of it did or, without a block, what
// memory traffic all of it made. Grades nothing.
// Exit status: 0 the report is written, whatever the launch came to; 2 it cannot be done as asked; 3 the tracer could not
// work. Why, in one line, is on standard error.
#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "judge/judge_files.hpp"
#include "judge/launch_judge.hpp"
#include "judge/record.hpp"
#include "judge/runner_process.hpp"
#include "judge/traced_problem.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

constexpr std::string_view usage =
    "usage: tracer --problem NAME [--shape 8x8x8] [--inputs NAME --block X,Y,Z] --runner RUNNER.json --report TRACE.json";

using Options = std::map<std::string, std::string>;

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  for (const char* name : {"--problem", "--runner", "--report"}) {
    if (!options.contains(name)) throw std::runtime_error(std::string(usage));
  }
  return options;
}

std::array<unsigned, 3> parse_block(const std::string& text) {
  std::array<unsigned, 3> block{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned& one : block) {
    const auto [after, error] = std::from_chars(at, end, one);
    const bool last = &one == &block.back();
    if (error != std::errc{} || (last ? after != end : after == end || *after != ','))
      throw std::invalid_argument("a block is three numbers, X,Y,Z");
    at = last ? after : after + 1;
  }
  return block;
}

const judge::TracedProblem& problem_named(const std::string& name) {
  const auto& problems = judge::traced_problems();
  const auto found = std::ranges::find(problems, name, &judge::TracedProblem::name);
  if (found == problems.end()) throw std::invalid_argument("the problem " + name + " does not say how it is traced or profiled");
  return *found;
}

json inputs_json(const judge::Trial& trial) {
  json inputs = json::array();
  for (const judge::Operand& operand : trial.operands) {
    if (operand.kind != judge::Operand::Kind::input) continue;
    inputs.push_back({{"name", operand.name}, {"columns", operand.columns}, {"values", operand.values}});
  }
  return inputs;
}

judge::LaunchRecord launched(const Options& options, const judge::Trial& trial, const judge::LaunchOptions& watching) {
  judge::RunnerProcess runner(judge::read_runner_argv(options.at("--runner")));
  return judge::judge_launch(runner, trial, watching);
}

json traced(const Options& options, const judge::TracedProblem& problem) {
  if (!options.contains("--inputs") || !options.contains("--shape")) throw std::runtime_error(std::string(usage));
  const judge::Trial trial = judge::trial_to_trace(problem, options.at("--shape"), options.at("--inputs"));
  judge::LaunchOptions watching;
  watching.trace = protocol::TraceRequest{parse_block(options.at("--block"))};
  const judge::LaunchRecord launch = launched(options, trial, watching);
  json report{{"factors", problem.factors}, {"inputs", inputs_json(trial)}, {"launch", launch}};
  if (launch.trace) report["trace"] = *launch.trace;
  return report;
}

json profiled(const Options& options, const judge::TracedProblem& problem) {
  const std::string shape = options.contains("--shape") ? options.at("--shape") : judge::usual_profiled_shape(problem);
  const judge::Trial trial = judge::trial_to_profile(problem, shape);
  judge::LaunchOptions watching;
  watching.traffic = true;
  return {{"shape", shape}, {"launch", launched(options, trial, watching)}};
}

void write_down(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const judge::TracedProblem& problem = problem_named(options.at("--problem"));
  const json report = options.contains("--block") ? traced(options, problem) : profiled(options, problem);
  judge::write_report(options.at("--report"), report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write_down(argc, argv);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "tracer: " << error.what() << "\n";
    return 3;
  }
}
