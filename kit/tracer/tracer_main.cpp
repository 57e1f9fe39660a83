// Runs one launch of a submission as a judge does. It writes down what one block did or, if no block is named, the memory traffic
// of the whole launch. It grades nothing. Exit status: 0 the report is written, whatever the launch's result; 2 it cannot be done
// as asked; 3 the tracer could not work. The reason is one line on standard error.
#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "judge/judge_files.hpp"
#include "judge/launch_judge.hpp"
#include "judge/record.hpp"
#include "judge/runner_process.hpp"
#include "judge/traced_problem.hpp"
#include "options/program_options.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

constexpr std::string_view usage =
    "usage: tracer --problem NAME [--shape 8x8x8] [--inputs NAME --block X,Y,Z] --runner RUNNER.json --report TRACE.json";

ProgramOptions read_options(int argc, char** argv) {
  constexpr OptionRule::Kind optional = OptionRule::Kind::optional;
  ProgramOptions options(argc, argv, {{"problem"}, {"shape", optional}, {"inputs", optional}, {"block", optional}, {"runner"}, {"report"}},
                         usage);
  for (const char* beside : {"shape", "inputs"}) {
    if (options.has("block") && !options.has(beside)) options.refuse(std::string("--block needs --") + beside + " beside it");
  }
  if (options.has("inputs") && !options.has("block")) options.refuse("--inputs needs --block beside it");
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
    json values = operand.values;
    if (operand.type == ElementType::f32) values = std::vector<float>(operand.values.begin(), operand.values.end());  // fewer digits
    inputs.push_back({{"name", operand.name}, {"columns", operand.columns}, {"values", std::move(values)}});
  }
  return inputs;
}

judge::LaunchRecord launched(const ProgramOptions& options, const judge::Trial& trial, const judge::LaunchOptions& watching) {
  judge::RunnerProcess runner(judge::read_runner_argv(options.text("runner")));
  return judge::judge_launch(runner, trial, watching);
}

json traced(const ProgramOptions& options, const judge::TracedProblem& problem) {
  const judge::Trial trial = judge::trial_to_trace(problem, options.text("shape"), options.text("inputs"));
  judge::LaunchOptions watching;
  watching.trace = protocol::TraceRequest{parse_block(options.text("block"))};
  const judge::LaunchRecord launch = launched(options, trial, watching);
  json report{{"factors", problem.factors}, {"inputs", inputs_json(trial)}, {"launch", launch}};
  if (launch.trace) report["trace"] = *launch.trace;
  return report;
}

json profiled(const ProgramOptions& options, const judge::TracedProblem& problem) {
  const std::string shape = options.has("shape") ? options.text("shape") : judge::usual_profiled_shape(problem);
  const judge::Trial trial = judge::trial_to_profile(problem, shape);
  judge::LaunchOptions watching;
  watching.traffic = true;
  return {{"shape", shape}, {"launch", launched(options, trial, watching)}};
}

void write_down(int argc, char** argv) {
  const ProgramOptions options = read_options(argc, argv);
  const judge::TracedProblem& problem = problem_named(options.text("problem"));
  const json report = options.has("block") ? traced(options, problem) : profiled(options, problem);
  judge::write_report(options.text("report"), report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
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
