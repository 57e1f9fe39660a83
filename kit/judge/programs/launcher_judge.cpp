// A launcher: what it left in its operands, who wrote that, and what it read.
#include "judge/programs/program_judge.hpp"

#include <algorithm>
#include <utility>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/programs/native_run.hpp"
#include "judge/programs/operand_files.hpp"
#include "judge/programs/result_origin.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

using Operands = std::vector<const Operand*>;

constexpr std::uint64_t least_read = 64;       // bytes of inputs: less is the last number of each of a few lists, as a scan needs it
constexpr std::uint64_t clocks_of_a_run = 12;  // a run may take so many times the processor time of one launch

constexpr std::size_t told_elements = 4;  // so many in a row tell where they came from
constexpr const char* hangs_on_reads =
    "The result is right, but the host took part in computing it, from numbers that it read from the GPU. Let kernels do that too: what "
    "one "
    "kernel leaves in the GPU's memory, the next one finds there.";

bool came_back(const BrokeredRun& run) { return run.record.value("ended", "") == "finished"; }

// How a run differs from the first.
enum class Again { no, reversed, without_inputs, on_other_numbers, carrying_other_numbers, carrying_tags };

json description_of(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options, Again again) {
  json description = program.description;
  json& limits = description.at("limits");
  limits["clock_ms"] = trial.clock_ms;
  limits["wall_ms"] = std::min(limits.at("wall_ms").get<std::uint64_t>(), clocks_of_a_run * trial.clock_ms);
  if (trial.work_events + trial.spare_events != 0) limits["event_budget"] = trial.work_events + trial.spare_events;
  json& settings = description["options"];
  if (options.order_seed) settings["order_seed"] = *options.order_seed;
  if (options.traffic || trial.counts_traffic) settings["traffic"] = true;
  if (options.allow_same_value_writes) settings["allow_same_value_writes"] = true;
  if (options.early_return_is_error) settings["early_return_is_error"] = true;
  if (again == Again::reversed) settings["reversed"] = true;
  if (again == Again::without_inputs) settings["withholds_inputs"] = true;
  if (again == Again::no && trial.altered) description["kept_reads"] = reads_of(program);
  if (again >= Again::on_other_numbers) description["shown_reads"] = reads_of(program);
  if (again >= Again::carrying_other_numbers) settings["carries"] = true;
  if (again == Again::carrying_tags) settings["tagged"] = true;
  return description;
}

// The configuration, if all launches have the same.
std::optional<protocol::LaunchConfig> config_of(const json& report) {
  const json& launches = report.at("launches");
  if (launches.empty()) return std::nullopt;
  const json& first = launches[0];
  for (const json& one : launches)
    if (one.at("grid") != first.at("grid") || one.at("block") != first.at("block")) return std::nullopt;
  const auto extent = [&](const char* key) { return first.at(key).get<protocol::Extent>(); };
  return protocol::LaunchConfig{extent("grid"), extent("block"), first.value("shared", std::size_t{0})};
}

// Whether the run's record says where an input was written.
bool tells_the_write(const json& report) {
  const auto is_write = [](const json& one) { return one.value("kind", "") == name(Verdict::input_modified); };
  const json findings = report.value("findings", json::array()), host = report.value("host", json::array());
  return std::ranges::any_of(findings, is_write) || std::ranges::any_of(host, is_write);
}

void judge_inputs(LaunchRecord& record, const Operands& operands, const std::vector<OperandContent>& contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Operand& operand = *operands[i];
    if (operand.kind != Operand::Kind::input || contents[i].after == contents[i].before) continue;
    protocol::Finding finding = changed_input(operand.name, "the launcher");
    worsen(record, Verdict::input_modified, finding.message);
    if (tells_the_write(record.program)) continue;
    record.findings.push_back(std::move(finding));
  }
}

void judge_results(LaunchRecord& record, const Operands& operands, const std::vector<OperandContent>& contents) {
  bool is_first = true;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Operand& operand = *operands[i];
    if (!operand.is_result()) continue;
    std::vector<double> got = result_values(operand, contents[i]);
    compare_result(record, operand, got);
    if (std::exchange(is_first, false)) record.wrong_output = std::move(got);
  }
  if (record.verdict != Verdict::wrong_answer) record.wrong_output.clear();
}

// A right result that no kernel made. Where a mistake was found, that is the verdict: a kernel that writes to an input is no host that
// computes.
void judge_origin(LaunchRecord& record, const Operands& operands, const std::vector<OperandContent>& contents, const BrokeredRun& run) {
  if (record.mismatch || record.verdict != Verdict::pass) return;
  std::vector<KnownValues> known;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Operand& operand = *operands[i];
    if (operand.is_buffer() && operand.kind != Operand::Kind::output) known.push_back({operand.type, contents[i].before});
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const Operand& operand = *operands[i];
    if (!operand.is_result()) continue;
    if (const auto element = first_from_the_host(operand, contents[i], known)) {
      const std::size_t size = bytes_of(operand.type), first = *element * size;
      const std::span<const std::byte> all = contents[i].after,
                                       some = all.subspan(first, std::min(told_elements * size, all.size() - first));
      std::vector<std::uint64_t> places = places_that_send(some, run.copies);
      if (places.size() > 1) places.clear();  // which of them is not known
      return reject_host_work(record, HostWork::is_sent, places,
                              "The result is right, but no kernel wrote all of it: element " + std::to_string(*element) + " of " +
                                  operand.name + " came from the host.");
    }
    if (const auto at = sent_by_the_host(operand.expectation, operand.type, run.copies, known))
      return reject_host_work(record, HostWork::is_sent, {*at}, "The result is right, but the host computed it and sent it to the GPU.");
  }
}

void judge_return(LaunchRecord& record, const BrokeredRun& run) {
  if (run.record.value("ended", "") == "exit" && record.verdict != Verdict::internal_error && run.record.value("status", 0) == 0)
    return worsen(record, Verdict::crash, "The launcher did not come back: it ended the program.");
  // A program that looks at its errors ends itself where one came up. Then the mistake is to be told, and not the end.
  const bool is_told = record.verdict != Verdict::pass && run.record.value("ended", "") == "exit" && run.too_much.empty();
  if (!is_told) judge_end(record, run);
}

// A launch that never was is the reason for what is missing.
void judge_missed_launch(LaunchRecord& record, const json& report) {
  if (record.verdict == Verdict::pass) return;
  for (const json& one : report.value("launches", json::array())) {
    if (one.value("status", "") == "launch-error") return worsen(record, Verdict::launch_error, tame(one.value("detail", ""), 1000));
  }
}

LaunchRecord judge_once(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options, Again again,
                        const json& followed = nullptr) {
  LaunchRecord record{.shape = trial.shape, .inputs = trial.inputs};
  DataFolder(program.folder).fill({});
  const OperandFiles files(trial, program.launcher.value_or(LauncherCall{}), program.scratch);
  json description = description_of(program, trial, options, again);
  description["operands"] = files.write();
  if (!followed.is_null()) description["trace"] = followed;
  const BrokeredRun run = run_with_broker(program, std::move(description));
  record.program = kept_record(run.record);
  record.reading_places = places_that_receive(run.copies);
  record.config = config_of(run.record);
  keep_output(record, run);
  record.counters = run.record.value("counters", std::map<std::string, std::uint64_t>());
  judge_findings(record, run.record);
  judge_return(record, run);
  if (came_back(run)) {
    const std::vector<OperandContent> contents = files.read();
    std::size_t elements = 0;
    for (const Operand* one : files.operands()) elements += one->expectation.values.size();
    record.counters["output_elements"] = elements;
    judge_inputs(record, files.operands(), contents);
    judge_results(record, files.operands(), contents);
    judge_origin(record, files.operands(), contents, run);
  }
  judge_missed_launch(record, run.record);
  record.needs_reversed_run = run.record.value("needs_reversed_run", false);
  say_why(record);
  return record;
}

// The launcher copied its inputs to the host. Where the host then reads zeros, a result that kernels compute is the same.
void judge_without_inputs(LaunchRecord& record, const LaunchRecord& again) {
  if (again.verdict == Verdict::internal_error) return worsen(record, again.verdict, again.message);
  if (again.mismatch)
    reject_host_work(record, HostWork::hangs_on_reads, record.reading_places,
                     "The result is right, but it comes from the host: it hangs on what the host read of the inputs.");
}

// The same launcher on other numbers, and whatever it reads on the host are still those of the first run. Then a result is right only if
// kernels computed it from what is on the device, however the host hands on what it knows. It may carry numbers from one kernel to the
// next. What it looks at may have to make sense, or be told apart from words of its own: one run for each.
void judge_on_other_numbers(LaunchRecord& record, const BuiltProgram& program, const Trial& trial, const LaunchOptions& options) {
  Trial other = *trial.altered;
  other.clock_ms = trial.clock_ms;
  other.work_events = trial.work_events;
  other.spare_events = trial.spare_events;
  other.counts_traffic = trial.counts_traffic;
  LaunchRecord again = judge_once(program, other, options, Again::on_other_numbers);
  for (const Again next : {Again::carrying_other_numbers, Again::carrying_tags})
    if (again.verdict != Verdict::pass && again.verdict != Verdict::internal_error) again = judge_once(program, other, options, next);
  // A launcher whose kernels do the work only where the host is wrong is counted for that.
  for (const auto& [name, count] : again.counters) record.counters[name] = std::max(record.counters[name], count);
  if (again.verdict == Verdict::pass) return;
  const bool is_told = again.verdict == Verdict::internal_error || again.verdict == Verdict::timeout;
  if (is_told) return worsen(record, again.verdict, again.message);
  reject_host_work(record, HostWork::hangs_on_reads, record.reading_places, hangs_on_reads);
}

LaunchRecord judge_natively(const BuiltProgram& program, const Trial& trial) {
  const LauncherCall call = program.launcher.value_or(LauncherCall{});
  const Operands operands = in_order(trial, call.arguments);
  const DataFolder folder(program.folder);
  return judge_native_run(program, native_files(operands, call.on_host), {}, [&](const BrokeredRun& run) {
    LaunchRecord record{.shape = trial.shape, .inputs = trial.inputs};
    record.program = kept_record(run.record);
    keep_output(record, run);
    if (const std::string error = native_error(folder); !error.empty()) worsen(record, Verdict::crash, "CUDA reports an error: " + error);
    judge_end(record, run);
    if (record.verdict == Verdict::pass) {
      const NativeResults results = native_results(operands, folder);
      if (!results.trouble.empty()) worsen(record, Verdict::crash, results.trouble);
      judge_inputs(record, operands, results.contents);
      judge_results(record, operands, results.contents);
    }
    say_why(record);
    return record;
  });
}

}  // namespace

LaunchRecord judge_launcher(const BuiltProgram& program, const Trial& trial, const LaunchOptions& options) {
  if (program.native) return judge_natively(program, trial);
  LaunchRecord record = judge_once(program, trial, options, Again::no);
  record.work = {trial.work_unit, trial.work, compulsory_bytes(trial)};
  const auto read = [&](const char* what) { return record.program.value(what, std::uint64_t{0}); };
  if (record.verdict == Verdict::pass && trial.altered && read("bytes_learned") > trial.host_may_read)
    judge_on_other_numbers(record, program, trial, options);
  else if (record.verdict == Verdict::pass && read("input_bytes_read") >= least_read)
    judge_without_inputs(record, judge_once(program, trial, options, Again::without_inputs));
  if (record.verdict != Verdict::pass || !record.needs_reversed_run) return record;
  LaunchRecord again = judge_once(program, trial, options, Again::reversed);
  return again.verdict == Verdict::pass ? record : again;
}

LaunchRecord watch_launcher(const BuiltProgram& program, const Trial& trial, bool whole_reversed, const json& followed) {
  const LaunchOptions as_described;
  LaunchRecord record = judge_once(program, trial, as_described, whole_reversed ? Again::reversed : Again::no, followed);
  if (whole_reversed) record.program["reversed"] = true;
  if (!followed.is_null() || whole_reversed || record.verdict != Verdict::pass || !record.needs_reversed_run) return record;
  LaunchRecord again = judge_once(program, trial, as_described, Again::reversed);
  if (again.verdict == Verdict::pass) return record;
  again.program["reversed"] = true;
  return again;
}

}  // namespace tilelab::judge
