// Runs one launch of a submission as a judge does. It writes down what one block did or, if no block is named, the memory traffic
// of the whole launch. It grades nothing. Exit status: 0 the report is written, whatever the launch's result; 2 it cannot be done
// as asked; 3 the tracer could not work; 4 the problem does not register itself, so the lab's own judge has to do it (--watch). The
// reason is one line on standard error.
#include <algorithm>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "judge/judge_task.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/report/watched_launch.hpp"
#include "judge/traced_problem.hpp"
#include "options/program_options.hpp"
#include "protocol/json/json_text.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

constexpr std::string_view usage =
    "usage: tracer --problem NAME [--shape 8x8x8] [--inputs NAME --block X,Y,Z [--order reversed] [--beside X,Y,Z] [--held THREAD,WRITE]] "
    "--runner RUNNER.json --report "
    "TRACE.json";

class NotRegistered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

ProgramOptions read_options(int argc, char** argv) {
  constexpr OptionRule::Kind optional = OptionRule::Kind::optional;
  ProgramOptions options(argc, argv,
                         {{"problem"},
                          {"shape", optional},
                          {"inputs", optional},
                          {"block", optional},
                          {"order", optional},
                          {"beside", optional},
                          {"held", optional},
                          {"runner"},
                          {"report"}},
                         usage);
  for (const char* beside : {"shape", "inputs"}) {
    if (options.has("block") && !options.has(beside)) options.refuse(std::string("--block needs --") + beside + " beside it");
  }
  for (const char* of_block : {"inputs", "order", "beside", "held"}) {
    if (options.has(of_block) && !options.has("block")) options.refuse(std::string("--") + of_block + " needs --block beside it");
  }
  return options;
}

const judge::TracedProblem& problem_named(const std::string& name) {
  const auto& problems = judge::traced_problems();
  const auto found = std::ranges::find(problems, name, &judge::TracedProblem::name);
  if (found == problems.end()) throw NotRegistered("the problem " + name + " does not say how it is traced or profiled");
  return *found;
}

json traced(const ProgramOptions& options, const judge::TracedProblem& problem) {
  const judge::Trial trial = judge::trial_to_trace(problem, options.text("shape"), options.text("inputs"));
  judge::RunnerProcess runner(judge::read_runner_argv(options.text("runner")));
  const bool reversed = options.has("order") && judge::parse_order(options.text("order"));
  judge::FollowedBlock followed{.at = judge::parse_block(options.text("block")), .reversed = reversed};
  if (options.has("beside")) followed.beside = judge::parse_block(options.text("beside"));
  if (options.has("held")) followed.held = judge::parse_held(options.text("held"));
  return judge::traced_launch(runner, trial, followed, problem.factors);
}

json profiled(const ProgramOptions& options, const judge::TracedProblem& problem) {
  const std::string shape = options.has("shape") ? options.text("shape") : judge::usual_profiled_shape(problem);
  const judge::Trial trial = judge::trial_to_profile(problem, shape);
  judge::RunnerProcess runner(judge::read_runner_argv(options.text("runner")));
  return judge::profiled_launch(runner, trial, shape);
}

void write_down(int argc, char** argv) {
  const ProgramOptions options = read_options(argc, argv);
  const judge::TracedProblem& problem = problem_named(options.text("problem"));
  const json report = options.has("block") ? traced(options, problem) : profiled(options, problem);
  judge::write_report(options.text("report"), json_text(report) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write_down(argc, argv);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const NotRegistered& error) {
    std::cerr << error.what() << "\n";
    return 4;
  } catch (const std::exception& error) {
    std::cerr << "tracer: " << error.what() << "\n";
    return 3;
  }
}
