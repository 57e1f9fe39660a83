#include "judge/programs/program_judge.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "judge/bench.hpp"
#include "judge/comparison.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/programs/host_code.hpp"
#include "judge/programs/native_run.hpp"
#include "judge/programs/operand_files.hpp"
#include "judge/programs/result_files.hpp"
#include "judge/programs/result_origin.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

constexpr const char* told =
    "The result is right, but it does not follow from the numbers that reached the GPU: let the kernel compute it from the numbers as they "
    "are in the files.";

const std::string slower =
    "The result is right. To see that a kernel makes it, the program runs again with other numbers on the GPU. Then: ";

json pair_of(const std::string& base, ElementType type, const std::vector<std::byte>& from, const std::vector<std::byte>& to) {
  write_file(base + ".from", from.data(), from.size());
  write_file(base + ".to", to.data(), to.size());
  return {{"from", base + ".from"}, {"to", base + ".to"}, {"element_bytes", bytes_of(type)}};
}

std::vector<std::byte> widened(const std::vector<std::byte>& numbers) {
  return encoded(ElementType::f64, decoded(ElementType::f32, numbers));
}

json pairs_of(const ProgramTrial& trial, const std::string& scratch) {
  json pairs = json::array();
  for (std::size_t i = 0; i < trial.files.size(); ++i) {
    const std::string base = scratch + "/altered" + std::to_string(i);
    const std::vector<std::byte>&from = trial.files[i].in_memory(), &to = trial.altered->files.at(i).in_memory();
    const ElementType type = trial.files[i].type.value_or(trial.type);
    if (from.empty()) continue;  // a folder
    pairs.push_back(pair_of(base, type, from, to));
    if (type == ElementType::f32)  // a program may widen them first
      pairs.push_back(pair_of(base + "wide", ElementType::f64, widened(from), widened(to)));
  }
  return pairs;
}

std::vector<KnownValues> known(const ProgramTrial& trial, const std::vector<DataFile>& files) {
  std::vector<KnownValues> all;
  for (const DataFile& one : files) all.push_back({one.type.value_or(trial.type), one.in_memory()});
  return all;
}

// What the host may do with what it was shown: see HostReads.
enum class Shown { nothing, carries, tagged };

// Where the other result came from. `unseen`: the run was stopped before anybody could tell, and the record says why.
enum class Maker { kernel, host, unseen };

Maker maker_of(LaunchRecord& record, const BuiltProgram& program, const ProgramTrial& trial, Shown shown) {
  json description = described(program, trial.arguments, trial.device_bytes);
  description["altered"] = pairs_of(trial, program.scratch);
  description["shown_reads"] = reads_of(program);
  if (shown != Shown::nothing) description["options"]["carries"] = true;
  if (shown == Shown::tagged) description["options"]["tagged"] = true;
  DataFolder(program.folder).fill(trial.files);
  const BrokeredRun run = run_with_broker(program, std::move(description));
  LaunchRecord again = record;
  judge_end(again, run);
  const std::vector<KnownValues> given = known(trial, trial.altered->files);
  std::vector<Expectation> right{trial.altered->expectation};
  right.insert(right.end(), trial.altered->others.begin(), trial.altered->others.end());
  const bool is_fault_of_ours = again.verdict == Verdict::internal_error;
  const auto is_made = [&](std::size_t i) {
    return came_from_a_kernel(right[i], i == 0 ? trial.type : trial.other_results.at(i - 1).type, run.copies, given);
  };
  const auto places = std::views::iota(std::size_t{0}, right.size());
  if (!is_fault_of_ours && std::ranges::all_of(places, is_made)) return Maker::kernel;
  if (!is_fault_of_ours && again.verdict != Verdict::timeout) return Maker::host;
  worsen(record, again.verdict, is_fault_of_ours ? again.message : slower + again.message);
  return Maker::unseen;
}

// The second run of a program that passed: the device gets other numbers than the host has read. What the host computed is then another
// result than what a kernel makes of the numbers that it was given. What the program reads from the device are still the bytes of the first
// run: so the host learns nothing of the other numbers. How the program ends, what it prints and what it writes down counts for nothing: a
// program that checks the GPU's result against its own finds it wrong.
void judge_altered_run(LaunchRecord& record, const BuiltProgram& program, const ProgramTrial& trial) {
  for (const Shown shown : {Shown::nothing, Shown::carries, Shown::tagged})
    if (maker_of(record, program, trial, shown) != Maker::host) return;
  worsen(record, Verdict::rejected, told);
}

// Whether the program itself gave up. That it looked at the errors of its calls is for the findings to say.
bool has_given_up(const BrokeredRun& run) {
  constexpr int abort_signal = 6;  // assert and abort
  const std::string ended = run.record.value("ended", "");
  if (run.record.contains("limit")) return false;
  return (ended == "exit" && run.record.value("status", 0) != 0) || (ended == "signal" && run.record.value("signal", 0) == abort_signal);
}

void judge_result(LaunchRecord& record, const ProgramTrial& trial, const DataFolder& folder, const BrokeredRun& run, bool knows_origin) {
  for (const ResultFile& result : results_of(trial)) {
    FoundResult found = found_result(result, folder, run.output);
    if (!found.values) return worsen(record, Verdict::wrong_answer, found.trouble);
    if (auto mismatch = compare(*found.values, found.expectation, {})) {
      mismatch->output = result.name.empty() ? "the output" : result.name;
      record.verdict = worst(record.verdict, Verdict::wrong_answer);
      record.mismatch = std::move(mismatch);
      return;
    }
  }
  if (!knows_origin || !trial.must_come_from_a_kernel) return;
  const std::vector<KnownValues> given = known(trial, trial.files);
  for (const ResultFile& result : results_of(trial)) {  // as the GPU has it, however it is written down
    if (record.verdict != Verdict::pass) return;
    const std::string name = result.name.empty() || trial.other_results.empty() ? "The result" : result.name;
    if (!came_from_a_kernel(result.expectation, result.type, run.copies, given))
      worsen(record, Verdict::rejected, name + " is right, but no kernel wrote it: it never came from the GPU's memory to the host.");
    else if (const auto at = sent_by_the_host(result.expectation, result.type, run.copies, given))
      reject_host_work(record, HostWork::is_sent, {*at}, name + " is right, but the host computed it and sent it to the GPU.");
  }
}

BrokeredRun ran_with_broker(const BuiltProgram& program, const ProgramTrial& trial) {
  json description = described(program, trial.arguments, trial.device_bytes);
  if (trial.altered) description["kept_reads"] = reads_of(program);
  if (trial.counts_traffic) description["options"]["traffic"] = true;
  return run_with_broker(program, std::move(description));
}

LaunchRecord record_of(const BuiltProgram& program, const ProgramTrial& trial, const BrokeredRun& run) {
  LaunchRecord record{.shape = trial.shape, .inputs = trial.inputs};
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
  const BrokeredRun run = ran_with_broker(program, trial);
  const bool ends = run.record.value("ended", "") == "exit" && run.record.value("status", 1) == 0;
  return ends ? std::move(told) : record_of(program, trial, run);
}

class BuiltHostCode;
BuiltHostCode* current = nullptr;  // whose program all checks run

AskedRun asked_run(const ProgramTrial& trial) { return {trial.shape, trial.inputs, trial.expectation.values.size()}; }

class BuiltHostCode final : public HostCode {
 public:
  explicit BuiltHostCode(BuiltProgram program) : program_(std::move(program)) { current = this; }
  ~BuiltHostCode() override { current = nullptr; }
  BuiltHostCode(const BuiltHostCode&) = delete;
  BuiltHostCode& operator=(const BuiltHostCode&) = delete;

  void share_time_of(const Bench& bench) override {
    program_.share = [&bench] { return RunShare{bench.time_for_a_run(), bench.halvings()}; };
  }

  LaunchRecord judge(const Trial& trial, const LaunchOptions& options) const override { return judge_launcher(program_, trial, options); }

  void collect() override { collects_ = true; }

  LaunchRecord check(const ProgramTrial& trial) {
    return collects_ ? put_down_record(asked_run(trials_.emplace_back(trial))) : judge_program(program_, trial);
  }

  LaunchRecord watch(const CollectedTrials& launchers, const json& asked) const override {
    const std::string shape = asked.value("shape", ""), usual = asked.value("usual", ""), inputs = asked.value("inputs", "");
    const bool whole_reversed = asked.value("whole_reversed", false);
    json followed;  // as program.json says it; null: none is followed
    if (asked.contains("launch"))
      followed = {{"launch", asked.at("launch")}, {"of", asked.at("trace")}, {"reversed", asked.value("reversed", false)}};
    if (program_.launcher)
      return watch_launcher(program_, launchers.to_trace(shape, usual, inputs, most_elements_of_a_run), whole_reversed, followed);
    std::vector<AskedRun> runs;
    for (const ProgramTrial& one : trials_) runs.push_back(asked_run(one));
    const std::size_t chosen = run_to_trace(runs, shape, usual, inputs, most_elements_of_a_run);
    return watch_program(program_, trials_[chosen], whole_reversed, followed);
  }

 private:
  BuiltProgram program_;
  bool collects_ = false;
  std::vector<ProgramTrial> trials_;  // that were put down
};

constexpr std::size_t longest_text = 1000, most_printed = 16 * 1024, most_kept = 128 * 1024;
constexpr std::array<std::pair<std::string_view, Verdict>, 14> host_mistakes{{{"copy-size", Verdict::out_of_bounds},
                                                                              {"copy-direction", Verdict::crash},
                                                                              {"device-pointer-on-host", Verdict::crash},
                                                                              {"host-pointer-on-device", Verdict::out_of_bounds},
                                                                              {"use-after-free", Verdict::out_of_bounds},
                                                                              {"double-free", Verdict::crash},
                                                                              {"bad-free", Verdict::crash},
                                                                              {"unasked-launch", Verdict::launch_error},
                                                                              {"unchecked-error", Verdict::launch_error},
                                                                              {"not-configured", Verdict::launch_error},
                                                                              {"read-before-sync", Verdict::race},
                                                                              {"write-before-sync", Verdict::race},
                                                                              {"copy-race", Verdict::race},
                                                                              {"launch-race", Verdict::race}}};

// Which limit the program met. `most`: in milliseconds or bytes; 0: not known. `calls`: how often it asked for something before.
std::string limit_in_words(const std::string& limit, std::uint64_t most, std::uint64_t calls) {
  const std::string seconds = std::to_string(most / 1000) + (most % 1000 == 0 ? "" : "." + std::to_string(most % 1000 / 100)) + " seconds";
  const std::string megabytes = std::to_string(most >> 20) + " MiB";
  if (limit == "memory")
    return "The program needs more memory than it may use on the host" + (most == 0 ? "." : ": it may have " + megabytes + ".");
  if (limit == "file-size")
    return "The program writes a larger file than it may" + (most == 0 ? "." : ": a file may have " + megabytes + ".");
  const std::string made = calls == 0 ? "" : ", in which it made " + std::to_string(calls) + (calls == 1 ? " call" : " calls") + " of CUDA";
  const std::string what = limit == "processor-time"
                               ? "its host code has used " + (most == 0 ? "all its" : seconds + " of") + " processor time"
                           : limit == "idle" ? "for " + seconds + " it did nothing but wait"
                                             : "it was stopped after " + seconds + made;
  return "The program did not end in its time: " + what + ".";
}

}  // namespace

std::unique_ptr<HostCode> read_host_code(const std::string& path) { return std::make_unique<BuiltHostCode>(read_program_file(path)); }

LaunchRecord judge_program(const BuiltProgram& program, const ProgramTrial& trial) {
  if (program.native)  // a real GPU has all its memory
    return judge_native_run(program, trial.files, trial.arguments, [&](const BrokeredRun& run) {
      LaunchRecord record = record_of(program, with_memory_enough(trial), run);
      say_why(record);
      return record;
    });
  DataFolder(program.folder).fill(trial.files);
  const BrokeredRun run = ran_with_broker(program, trial);
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
  LaunchRecord record = record_of(program, trial, run_with_broker(program, std::move(description)));
  if (whole_reversed) record.program["reversed"] = true;
  say_why(record);
  return record;
}

const LaunchRecord& run_program(const ProgramTrial& trial) {
  if (current == nullptr) throw std::logic_error("no program: this lab's submissions are whole programs");
  return bench().run(trial.shape, trial.inputs, [&] { return current->check(trial); });
}

const LaunchRecord& check(const ProgramTrial& trial) {
  const LaunchRecord& launch = run_program(trial);
  if (launch.verdict != Verdict::pass) FAIL(launch.message);
  SUCCEED();
  return launch;
}

// --- What a run of a program means for its verdict: the limit it met, the mistakes of its host code, and which of several counts.

void worsen(LaunchRecord& record, Verdict verdict, const std::string& message) {
  if (worst(verdict, record.verdict) == record.verdict && record.verdict != Verdict::pass) return;
  record.verdict = verdict;
  record.message = message;
}

void judge_end(LaunchRecord& record, const BrokeredRun& run) {
  const std::string ended = run.record.at("ended").get<std::string>();
  const auto number = [&](const char* key) { return std::to_string(run.record.value(key, 0)); };
  if (!run.too_much.empty()) return worsen(record, Verdict::timeout, "The program was stopped: it wrote " + run.too_much + ".");
  if (ended == "finished") return;
  if (const std::string limit = run.record.value("limit", ""); !limit.empty())
    return worsen(record, limit == "memory" ? Verdict::crash : Verdict::timeout,
                  limit_in_words(limit, run.record.value("most", std::uint64_t{0}), run.record.value("calls", std::uint64_t{0})));
  if (ended == "exit") {
    // A program that looks at its errors ends so after a mistake, and then the mistake is the verdict.
    if (run.record.value("status", 0) != 0 && record.verdict == Verdict::pass)
      worsen(record, Verdict::crash, "The program ended with status " + number("status") + ".");
  } else if (ended == "signal") {
    worsen(record, Verdict::crash, "The program was ended by signal " + number("signal") + ".");
  } else if (ended == "timeout") {
    worsen(record, Verdict::timeout, "The program did not end in its time.");
  } else if (ended == "too-much") {
    worsen(record, Verdict::timeout, "The program moves more than 256 MB between host and device.");
  } else if (ended == "garbled") {
    worsen(record, Verdict::rejected, "The program broke its connection to the grader.");
  } else if (ended == "refused") {
    const json& refusal = run.record.at("refusal");
    const auto verdict = verdict_named(refusal.value("verdict", name(Verdict::needs_gpu))).value_or(Verdict::internal_error);
    worsen(record, verdict == Verdict::pass ? Verdict::internal_error : verdict, tame(refusal.value("message", ""), longest_text));
  } else {
    worsen(record, Verdict::internal_error, "the program's run broke off: " + tame(run.record.value("detail", ended), longest_text));
  }
}

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
    // Else it was stopped with the program, whose end says more.
    if (status == "timeout" && report.value("ended", "") != "timeout") record.verdict = worst(record.verdict, Verdict::timeout);
    if (status == "crash") record.verdict = worst(record.verdict, Verdict::crash);
  }
}

json kept_record(const json& report) {
  json kept = report;
  for (const char* key : {"launches", "findings", "host", "allocations", "errors"}) {
    const auto found = kept.find(key);
    if (found == kept.end() || !found->is_array()) continue;
    std::size_t bytes = 0, count = 0;
    for (const json& one : *found) {
      bytes += json_text(one).size();
      if (bytes > most_kept) break;
      ++count;
    }
    if (count == found->size()) continue;
    found->get_ref<json::array_t&>().resize(count);
    kept["truncated"] = true;
  }
  return kept;
}

Verdict verdict_of_host_mistake(const std::string& kind) {
  for (const auto& [name, verdict] : host_mistakes)
    if (name == kind) return verdict;
  return Verdict::pass;
}

void reject_host_work(LaunchRecord& record, HostWork work, const std::vector<std::uint64_t>& places, const std::string& message) {
  if (worst(Verdict::rejected, record.verdict) == record.verdict) return;
  worsen(record, Verdict::rejected, message);
  if (!record.program.is_object()) return;
  json& told = record.program["host"];
  if (!told.is_array()) told = json::array();
  for (const std::uint64_t at : places) told.push_back({{"kind", work == HostWork::is_sent ? "host-computed" : "host-reads"}, {"at", at}});
}

void keep_output(LaunchRecord& record, const BrokeredRun& run) {
  record.printed = tame(run.output.substr(0, most_printed), most_printed, true);
}

void say_why(LaunchRecord& record) {
  if (record.verdict == Verdict::pass || !record.message.empty()) return;
  for (const json& one : record.program.value("findings", json::array())) {
    if (one.value("kind", "") != name(record.verdict) || one.value("severity", "") != "error") continue;
    record.message = tame(one.value("message", ""), longest_text);
    return;
  }
  for (const json& one : record.program.value("host", json::array())) {
    if (verdict_of_host_mistake(one.value("kind", "")) != record.verdict) continue;
    record.message = "a mistake of the host's code: " + one.value("kind", "");
    return;
  }
  record.message = reason(record);
}

}  // namespace tilelab::judge
