// A lab's judge: runs the lab's Catch2 cases against one submission's runner and writes one JSON file. What is secret comes on
// standard input. It prints nothing on standard output. Exit status: 0 every case passed, 1 some did not, 2 the judge could not work,
// 4 there is no launch as --watch asks for.
#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <catch2/reporters/catch_reporter_streaming_base.hpp>

#include "judge/bench.hpp"
#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/programs/host_code.hpp"
#include "judge/report/record.hpp"
#include "judge/report/watched_launch.hpp"
#include "judge/traced_problem.hpp"
#include "protocol/json/json_text.hpp"

namespace {

using namespace tilelab;

// Opens and closes the bench's cases and prints nothing. The bench's record becomes judge.json; what a person reads is made from that.
class CaseReporter final : public Catch::StreamingReporterBase {
 public:
  using StreamingReporterBase::StreamingReporterBase;
  static std::string getDescription() { return "records cases for --report, prints nothing"; }

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    std::vector<std::string> tags;
    for (const Catch::Tag& tag : info.tags) tags.emplace_back(tag.original);
    trouble_.clear();
    judge::bench().open_case(info.name, std::move(tags));
  }
  void assertionEnded(const Catch::AssertionStats& stats) override {
    const auto& result = stats.assertionResult;
    if (!result.isOk()) trouble_ = result.hasMessage() ? std::string(result.getMessage()) : result.getExpression();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override { judge::bench().close_case(stats.totals.assertions.allOk(), trouble_); }

 private:
  std::string trouble_;
};

CATCH_REGISTER_REPORTER("judge", CaseReporter)

struct Options {
  std::string runner, program, report, watch, cases;
  judge::LaunchOptions launch;
  std::uint64_t order = 0;
  unsigned shutdown_grace_ms = 0, launch_ms = 0;
};

// Accepts only a whole number. Catch2 alone would read "12abc" as 12, and "-1" as a very large number.
template <std::unsigned_integral Number>
auto into(Number& value) {
  return [&value](const std::string& digits) {
    using namespace Catch::Clara;
    const char* const end = digits.data() + digits.size();
    const auto [after, error] = std::from_chars(digits.data(), end, value);
    if (error == std::errc{} && after == end) return ParserResult::ok(ParseResultType::Matched);
    return ParserResult::runtimeError("'" + digits + "' is no whole number, or too large a one");
  };
}

// Catch2 reads the command line; our options are added to its own. Throws if the command line cannot be used.
Options parse_options(Catch::Session& session, int argc, char** argv) {
  using Catch::Clara::Opt;
  Options options;
  session.cli(
      session.cli() | Opt(options.runner, "FILE")["--runner"]("JSON file with the argv that starts the submission's runner") |
      Opt(options.program, "FILE")["--program"]("JSON file about the submission, where it is a whole program") |
      Opt(into(options.order), "N")["--shuffle"]("run blocks and threads shuffled by this number; 0: in order") |
      Opt(options.launch.allow_same_value_writes)["--allow-same-value-writes"]("plain writes of one value to one place are no race") |
      Opt(options.launch.early_return_is_error)["--early-return-is-error"]("a thread may not return before a barrier of its block") |
      Opt(options.launch.follows_shared)["--through-shared"]("a technique needs shared memory: threads use what others laid there") |
      Opt(options.launch.traffic)["--traffic"]("count what every launch asks of memory, also where its case does not") |
      Opt(into(options.shutdown_grace_ms),
          "N")["--shutdown-grace-ms"]("how long the runner may take to end, under a tool that writes a report then") |
      Opt(into(options.launch_ms), "N")["--launch-ms"]("the most that a launch may take; 0: as long as its trial says") |
      Opt(options.watch, "JSON")["--watch"]("judge nothing, and report what one of the launches does") |
      Opt(options.cases, "FILE")["--cases"]("cases that the grader made from a lab's description, instead of those compiled in") |
      Opt(options.report, "FILE")["--report"]("where the cases are written as JSON"));
  if (session.applyCommandLine(argc, argv) != 0) throw std::runtime_error("the command line cannot be read");
  if (options.order != 0) options.launch.order_seed = options.order;
  return options;
}

// Read from the environment, which whoever starts the judge sets. Only an emulator needs it. Throws unless it is 1 to 100.
unsigned clock_factor() {
  const char* text = std::getenv("TILELAB_CLOCK_FACTOR");
  if (text == nullptr) return 1;
  unsigned factor = 0;
  const char* end = text + std::strlen(text);
  if (std::from_chars(text, end, factor).ptr != end || factor < 1 || factor > 100)
    throw std::runtime_error("TILELAB_CLOCK_FACTOR is no number from 1 to 100");
  return factor;
}

bool only_lists(const Catch::ConfigData& config) {
  return config.showHelp || config.libIdentify || config.listTests || config.listTags || config.listReporters || config.listListeners;
}

// A launch of any size, of a problem that registered itself.
nlohmann::json watched_problem(const judge::TracedProblem& problem, const nlohmann::json& asked, judge::RunnerProcess& runner) {
  const std::string shape = asked.value("shape", ""), usual = asked.value("usual", "");
  if (asked.contains("trace")) {
    const judge::Trial trial = judge::trial_to_trace(problem, shape.empty() ? usual : shape, asked.value("inputs", ""));
    return judge::traced_launch(runner, trial, judge::watched(asked), problem.factors);
  }
  const std::string counted = shape.empty() ? judge::usual_profiled_shape(problem) : shape;
  return judge::profiled_launch(runner, judge::trial_to_profile(problem, counted), counted);
}

// One of the launches that the tests ask for.
nlohmann::json watched_test(const judge::CollectedTrials& collected, const nlohmann::json& asked, judge::RunnerProcess& runner) {
  const std::string shape = asked.value("shape", "");
  if (asked.contains("trace"))
    return judge::traced_launch(runner, collected.to_trace(shape, asked.value("usual", ""), asked.value("inputs", "")),
                                judge::watched(asked), {});
  const judge::Trial& trial = collected.to_profile(shape);
  nlohmann::json report = judge::profiled_launch(runner, trial, judge::numbers_of(trial.shape));
  report["takes_any_shape"] = false;
  return report;
}

int judge_all(int argc, char** argv) {
  Catch::Session session;
  const Options options = parse_options(session, argc, argv);
  Catch::ConfigData& config = session.configData();
  if (only_lists(config)) return session.run();
  if (options.runner.empty() == options.program.empty() || options.report.empty())
    throw std::runtime_error("--report and one of --runner and --program are needed");
  const judge::JudgeTask task = judge::read_task(std::cin);
  std::filesystem::remove(options.report);  // if the judge fails, no older report may remain there
  if (!(options.program.empty() && options.cases.empty()) && judge::read_host_code == nullptr)
    throw std::runtime_error("this judge was linked for kernels alone: lab.toml has no contract for host code");
  const judge::OrphanCare care;
  const std::unique_ptr<judge::HostCode> program = options.program.empty() ? nullptr : judge::read_host_code(options.program);
  judge::RunnerProcess runner(options.runner.empty() ? std::vector<std::string>{} : judge::read_runner_argv(options.runner),
                              std::chrono::seconds(5), std::chrono::milliseconds(options.shutdown_grace_ms));
  // `--watch '{"problem": "matmul", "shape": "8x8x8", "usual": "8x8x8", "inputs": "", "trace": {"block": [0, 0, 0]}}'`; without "trace" the
  // launch is profiled, without "problem" it is one of the tests. Of a submission with host code, "launch" says which of a run's launches
  // is traced, counted from 1; without it, the report says which there are. With "whole_reversed" every launch runs its blocks and threads
  // in reverse order.
  const nlohmann::json asked = options.watch.empty() ? nlohmann::json() : json_from(options.watch);
  const auto report = [&](const nlohmann::json& said) {
    judge::write_report(options.report, json_text(said) + "\n");
    return 0;
  };
  if (!asked.is_null() && program == nullptr)
    if (const auto* problem = judge::traced_problem(asked.value("problem", ""))) return report(watched_problem(*problem, asked, runner));
  judge::CollectedTrials collected;
  const auto judge_trial = [&](const judge::Trial& trial) {
    if (!asked.is_null()) return collected.put_down(trial);
    return program ? program->judge(trial, options.launch) : judge::judge_launch(runner, trial, options.launch);
  };
  judge::Bench bench(judge_trial, task.key, clock_factor());
  if (options.launch.follows_shared) bench.ask_for_shared();
  if (options.launch_ms != 0) bench.allow_at_most(std::chrono::milliseconds(options.launch_ms));
  judge::use_bench(&bench);
  if (program) program->share_time_of(bench);
  if (program && !asked.is_null()) program->collect();
  config.reporterSpecifications.assign(1, Catch::ReporterSpec("judge", {}, {}, {}));
  const auto& cases = bench.cases();
  const auto all_passed = [&] { return std::all_of(cases.begin(), cases.end(), [](const auto& one) { return one.passed; }); };
  const std::vector<std::string> specs = options.cases.empty() ? task.specs() : std::vector<std::string>{};
  if (!options.cases.empty()) judge::run_described_cases(options.cases, task, config.abortAfter > 0);
  if (options.cases.empty() && task.groups.empty()) session.run();
  for (const std::string& spec : specs) {
    Catch::ConfigData group = session.configData();
    group.testsOrTags.assign(1, spec);
    session.useConfigData(group);
    session.run();
    if (group.abortAfter > 0 && !all_passed()) break;
  }
  if (!asked.is_null())
    return report(program ? nlohmann::json{{"launch", program->watch(collected, asked)}} : watched_test(collected, asked, runner));
  judge::write_report(options.report, judge::report_text(cases));
  return all_passed() && !cases.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return judge_all(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << "\n";
    return 4;
  } catch (const std::exception& error) {
    std::cerr << "judge: " << error.what() << "\n";
    return 2;
  }
}
