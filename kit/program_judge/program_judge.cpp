#include "program_judge/program_judge.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "judge/answer_record.hpp"
#include "judge/comparison.hpp"
#include "judge/reply_check.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/result_origin.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

constexpr std::size_t longest_text = 1000;
constexpr std::array<std::pair<std::string_view, Verdict>, 11> host_mistakes{{{"copy-size", Verdict::out_of_bounds},
                                                                              {"copy-direction", Verdict::crash},
                                                                              {"device-pointer-on-host", Verdict::crash},
                                                                              {"host-pointer-on-device", Verdict::out_of_bounds},
                                                                              {"use-after-free", Verdict::out_of_bounds},
                                                                              {"double-free", Verdict::crash},
                                                                              {"bad-free", Verdict::crash},
                                                                              {"unasked-launch", Verdict::launch_error},
                                                                              {"unchecked-error", Verdict::launch_error},
                                                                              {"read-before-sync", Verdict::race},
                                                                              {"copy-race", Verdict::race}}};

void worsen(LaunchRecord& record, Verdict verdict, const std::string& message) {
  if (worst(verdict, record.verdict) == record.verdict && record.verdict != Verdict::pass) return;
  record.verdict = verdict;
  record.message = message;
}

// How the program ended, where that was not by itself with status 0.
void judge_end(LaunchRecord& record, const ConductedRun& run) {
  const std::string ended = run.record.at("ended").get<std::string>();
  const auto number = [&](const char* key) { return std::to_string(run.record.value(key, 0)); };
  if (run.wrote_too_much) return worsen(record, Verdict::timeout, "The program wrote without end.");
  if (ended == "exit") {
    if (run.record.value("status", 0) != 0) worsen(record, Verdict::crash, "The program ended with status " + number("status") + ".");
  } else if (ended == "signal") {
    worsen(record, Verdict::crash, "The program was ended by signal " + number("signal") + ".");
  } else if (ended == "timeout") {
    worsen(record, Verdict::timeout, "The program did not end in its time.");
  } else if (ended == "garbled") {
    worsen(record, Verdict::rejected, "The program wrote over what connects it to the device.");
  } else if (ended == "refused") {
    const json& refusal = run.record.at("refusal");
    const auto verdict = verdict_named(refusal.value("verdict", "")).value_or(Verdict::internal_error);
    worsen(record, verdict == Verdict::pass ? Verdict::internal_error : verdict, tame(refusal.value("message", ""), longest_text));
  } else {
    worsen(record, Verdict::internal_error, "the program's run broke off: " + tame(run.record.value("detail", ended), longest_text));
  }
}

// The sentences about findings are the grader's, which knows the lines: judge.json hands it the conductor's whole record.
void judge_findings(LaunchRecord& record, const json& report) {
  for (const json& one : report.value("findings", json::array())) {
    const auto verdict = verdict_named(one.value("kind", ""));
    if (verdict && one.value("severity", "") == "error") record.verdict = worst(record.verdict, *verdict);
  }
  for (const json& one : report.value("host", json::array()))
    record.verdict = worst(record.verdict, verdict_of_host_mistake(one.value("kind", "")));
  for (const json& one : report.value("launches", json::array())) {
    const std::string status = one.value("status", "");
    if (status == "internal-error") record.verdict = Verdict::internal_error;
    if (status == "timeout") record.verdict = worst(record.verdict, Verdict::timeout);
    if (status == "crash") record.verdict = worst(record.verdict, Verdict::crash);
  }
}

// The numbers in a text; nothing if there is something else between them.
std::optional<std::vector<double>> numbers_in(const std::string& text) {
  std::vector<double> found;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
    if (at == end) return found;
    double value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (after != end && std::isspace(static_cast<unsigned char>(*after)) == 0)) return std::nullopt;
    found.push_back(value);
    at = after;
  }
}

struct Result {
  std::optional<std::vector<double>> values;
  std::string trouble;
};

std::string count_of(std::size_t number, const char* what) { return std::to_string(number) + " " + what + (number == 1 ? "" : "s"); }

Result result_of(const ProgramTrial& trial, const DataFolder& folder, const ConductedRun& run) {
  const std::size_t size = trial.expectation.values.size();
  if (trial.output.empty()) {
    auto values = numbers_in(run.output);
    if (!values) return {{}, "The program's output is not only numbers with blanks or line ends between them."};
    if (values->size() == size) return {std::move(values), {}};
    return {{}, "The program wrote " + count_of(values->size(), "number") + "; " + std::to_string(size) + " belong there."};
  }
  auto found = folder.read(trial.output, size * bytes_of(trial.type) * 4 + 4096);
  if (!found.content) return {{}, "The program's result " + trial.output + " " + found.trouble + "."};
  if (found.content->size() == size * bytes_of(trial.type)) return {decoded(trial.type, *found.content), {}};
  return {{},
          trial.output + " holds " + count_of(found.content->size(), "byte") + "; " + count_of(size, "number") + " of " +
              count_of(bytes_of(trial.type), "byte") + " belong there."};
}

void judge_result(LaunchRecord& record, const ProgramTrial& trial, const DataFolder& folder, const ConductedRun& run) {
  Result result = result_of(trial, folder, run);
  if (!result.values) return worsen(record, Verdict::wrong_answer, result.trouble);
  auto mismatch = compare(*result.values, trial.expectation, {});
  if (mismatch) {
    mismatch->output = trial.output.empty() ? "the output" : trial.output;
    record.verdict = worst(record.verdict, Verdict::wrong_answer);
    record.mismatch = std::move(mismatch);
  } else if (trial.must_come_from_a_kernel) {
    if (!came_from_a_kernel(trial.expectation, trial.type, run.copies))
      worsen(record, Verdict::rejected, "The result is right, but no kernel wrote it: it never came from the GPU's memory to the host.");
    else if (sent_by_the_host(trial.expectation, trial.type, run.copies))
      worsen(record, Verdict::rejected, "The result is right, but the host computed it and sent it to the GPU.");
  }
}

}  // namespace

Verdict verdict_of_host_mistake(const std::string& kind) {
  for (const auto& [name, verdict] : host_mistakes)
    if (name == kind) return verdict;
  return Verdict::pass;
}

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial) {
  LaunchRecord record{.shape = trial.shape,
                      .inputs = trial.inputs,
                      .config = {},
                      .message = {},
                      .findings = {},
                      .mismatch = {},
                      .counters = {},
                      .printed = {}};
  const DataFolder folder(program.folder);
  folder.fill(trial.files);
  const ConductedRun run = conduct(program, trial.arguments);
  record.program = run.record;
  judge_findings(record, run.record);
  judge_end(record, run);
  if (run.record.value("ended", "") == "exit" && run.record.value("status", 1) == 0) judge_result(record, trial, folder, run);
  if (record.verdict != Verdict::pass && record.message.empty()) record.message = reason(record);
  if (record.verdict != Verdict::pass && record.message.empty()) record.message = "a mistake on the host's side or in a kernel";
  return record;
}

}  // namespace tilelab::judge
