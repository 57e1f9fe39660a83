#include "program_judge/program_judge.hpp"

#include <cctype>
#include <charconv>
#include <utility>

#include "judge/comparison.hpp"
#include "program_judge/altered_run.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/native_run.hpp"
#include "program_judge/result_origin.hpp"
#include "program_judge/run_verdict.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

// Whether the program itself gave up. That it looked at the errors of its calls is for the findings to say.
bool has_given_up(const ConductedRun& run) {
  constexpr int abort_signal = 6;  // assert and abort
  const std::string ended = run.record.value("ended", "");
  if (run.record.contains("limit")) return false;
  return (ended == "exit" && run.record.value("status", 0) != 0) || (ended == "signal" && run.record.value("signal", 0) == abort_signal);
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

std::vector<KnownValues> given(const ProgramTrial& trial) {
  std::vector<KnownValues> all;
  for (const DataFile& one : trial.files) all.push_back({trial.type, one.content});
  return all;
}

void judge_result(LaunchRecord& record, const ProgramTrial& trial, const DataFolder& folder, const ConductedRun& run, bool knows_origin) {
  Result result = result_of(trial, folder, run);
  if (!result.values) return worsen(record, Verdict::wrong_answer, result.trouble);
  auto mismatch = compare(*result.values, trial.expectation, {});
  if (mismatch) {
    mismatch->output = trial.output.empty() ? "the output" : trial.output;
    record.verdict = worst(record.verdict, Verdict::wrong_answer);
    record.mismatch = std::move(mismatch);
  } else if (knows_origin && trial.must_come_from_a_kernel && record.verdict == Verdict::pass) {
    if (!came_from_a_kernel(trial.expectation, trial.type, run.copies, given(trial)))
      worsen(record, Verdict::rejected, "The result is right, but no kernel wrote it: it never came from the GPU's memory to the host.");
    else if (const auto at = sent_by_the_host(trial.expectation, trial.type, run.copies, given(trial)))
      reject_host_work(record, HostWork::is_sent, {*at}, "The result is right, but the host computed it and sent it to the GPU.");
  }
}

ConductedRun conducted(const BuiltProgram& program, const ProgramTrial& trial) {
  json description = described(program, trial.arguments, trial.device_bytes);
  if (trial.altered) description["kept_reads"] = reads_of(program);
  return conduct(program, std::move(description));
}

LaunchRecord record_of(const BuiltProgram& program, const ProgramTrial& trial, const ConductedRun& run) {
  LaunchRecord record{.shape = trial.shape,
                      .inputs = trial.inputs,
                      .config = {},
                      .message = {},
                      .findings = {},
                      .mismatch = {},
                      .counters = {},
                      .printed = {}};
  record.program = kept_record(run.record);
  keep_output(record, run);
  judge_findings(record, run.record);
  if (!trial.may_report_failure || !has_given_up(run)) judge_end(record, run);
  if (run.record.value("ended", "") == "exit" && run.record.value("status", 1) == 0)
    judge_result(record, trial, DataFolder(program.folder), run, !program.native);
  return record;
}

// Nobody may give up there.
ProgramTrial with_memory_enough(ProgramTrial trial) {
  if (trial.may_report_failure) trial.inputs = "the same numbers, and memory enough";
  trial.device_bytes = 0;
  trial.may_report_failure = false;
  return trial;
}

// A program that gives up with memory enough as well has not told that there was too little: then that run is what is wrong.
LaunchRecord judge_with_memory(LaunchRecord told, const BuiltProgram& program, const ProgramTrial& scarce) {
  const ProgramTrial trial = with_memory_enough(scarce);
  DataFolder(program.folder).fill(trial.files);
  const ConductedRun run = conducted(program, trial);
  const bool ends = run.record.value("ended", "") == "exit" && run.record.value("status", 1) == 0;
  return ends ? std::move(told) : record_of(program, trial, run);
}

}  // namespace

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial) {
  if (program.native)  // a real GPU has all its memory
    return judge_native_run(program, trial.files, trial.arguments, [&](const ConductedRun& run) {
      LaunchRecord record = record_of(program, with_memory_enough(trial), run);
      say_why(record);
      return record;
    });
  DataFolder(program.folder).fill(trial.files);
  const ConductedRun run = conducted(program, trial);
  LaunchRecord record = record_of(program, trial, run);
  if (record.verdict == Verdict::pass) {
    if (has_given_up(run))
      record = judge_with_memory(std::move(record), program, trial);
    else if (trial.altered && trial.must_come_from_a_kernel)
      judge_altered_run(record, program, trial);
  }
  say_why(record);
  return record;
}

LaunchRecord watch_program(const BuiltProgram& program, const ProgramTrial& trial, bool whole_reversed, const json& followed) {
  DataFolder(program.folder).fill(trial.files);
  json description = described(program, trial.arguments, trial.device_bytes);
  if (whole_reversed) description["options"]["reversed"] = true;
  if (!followed.is_null()) description["trace"] = followed;
  LaunchRecord record = record_of(program, trial, conduct(program, std::move(description)));
  if (whole_reversed) record.program["reversed"] = true;
  say_why(record);
  return record;
}

}  // namespace tilelab::judge
