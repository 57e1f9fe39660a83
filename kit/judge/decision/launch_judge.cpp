#include "judge/decision/launch_judge.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "judge/comparison.hpp"
#include "judge/random_stream.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {
namespace {

// A trial's buffers, and the request that describes them.
struct Files {
  std::vector<const Operand*> operands;  // the operands that have a buffer
  std::vector<MemoryFile> files;
  protocol::LaunchRequest request;
  Fill fill;  // what every element of an output holds before the launch

  explicit Files(const Trial& trial, Fill fill = Fill::telling, const LaunchOptions& options = {}) : request(options), fill(fill) {
    request.launch_arguments = trial.launch_arguments;
    request.event_budget = trial.work_events + trial.spare_events;
    request.clock_ms = trial.clock_ms;
    for (const Operand& operand : trial.operands) add(operand);
  }

  void add(const Operand& operand) {
    protocol::Argument argument;
    argument.name = operand.name;
    argument.role = nlohmann::json(name_of(operand.kind)).get<protocol::Role>();
    argument.element = cuda_name(operand.type);
    argument.element_bytes = bytes_of(operand.type);
    if (operand.is_buffer()) {
      const std::vector<std::byte> content = content_before(operand, fill);
      operands.push_back(&operand);
      files.emplace_back(content);
      argument.bytes = content.size();
      argument.row_elements = operand.columns;
    } else {
      const std::vector<std::byte> bytes = encoded(operand.type, {&operand.number, 1});
      argument.bytes = bytes.size();
      std::memcpy(&argument.bits, bytes.data(), bytes.size());  // little-endian
    }
    request.arguments.push_back(std::move(argument));
  }

  // What a result holds now.
  std::vector<double> content(std::size_t index) const { return content_after(*operands[index], files[index].bytes(), fill); }
};

void check_inputs(LaunchRecord& record, const Files& files) {
  for (std::size_t i = 0; i < files.operands.size(); ++i) {
    const Operand& operand = *files.operands[i];
    if (operand.kind != Operand::Kind::input) continue;
    const std::vector<std::byte> after = files.files[i].bytes();
    if (after == encoded(operand.type, operand.values)) continue;
    record.verdict = worst(record.verdict, Verdict::input_modified);
    const bool reported =
        std::ranges::any_of(record.findings, [&](const auto& one) { return one.kind == "input-modified" && one.array == operand.name; });
    if (reported) continue;
    record.findings.push_back(changed_input(operand.name, "the launch"));
  }
}

void check_outputs(LaunchRecord& record, const Files& files) {
  for (std::size_t i = 0; i < files.operands.size(); ++i)
    if (files.operands[i]->is_result()) compare_result(record, *files.operands[i], files.content(i));
}

std::size_t output_index(const Files& files) {
  const auto is_output = [](const Operand* operand) { return operand->is_result(); };
  return static_cast<std::size_t>(std::find_if(files.operands.begin(), files.operands.end(), is_output) - files.operands.begin());
}

// Kept for explain() if the kernel ran to its end. A launch with an access out of bounds can do so too: red zones let it go
// on past the end of an input.
void keep_output(LaunchRecord& record, const Files& files) {
  if (record.verdict != Verdict::wrong_answer && record.verdict != Verdict::out_of_bounds) return;
  if (const std::size_t index = output_index(files); index < files.files.size()) record.wrong_output = files.content(index);
}

// Checks the buffers as far as the launch's ending allows.
void check_buffers(LaunchRecord& record, Ending ending, const Files& files) {
  if (ending == Ending::nothing) return;
  if (ending != Ending::unfinished) check_inputs(record, files);
  if (ending == Ending::whole) check_outputs(record, files);
  if (ending != Ending::unfinished) keep_output(record, files);
  record.message = reason(record);
}

// The only problem is memory that was read before it was written, and the result is right.
bool only_reads_unwritten(const LaunchRecord& record) { return record.verdict == Verdict::uninitialized_read && !record.mismatch; }

// A launch is repeated to learn one thing more of it. Nobody reads what else the executor could tell.
Answer answered_again(RunnerProcess& runner, protocol::LaunchRequest request, const Files& files) {
  request.trace.reset();
  request.traffic = false;
  request.follows_values = request.follows_shared = false;
  return runner.launch(request, files.files);
}

// Such a launch as a record of its own, with its buffers checked like those of the first.
LaunchRecord launched_again(RunnerProcess& runner, protocol::LaunchRequest request, const Files& files) {
  LaunchRecord again;
  check_buffers(again, take_answer(again, answered_again(runner, std::move(request), files)), files);
  return again;
}

bool has_completed(const Answer& answer) {
  const auto reply = answer.kind == Answer::Kind::reply ? read_reply(answer.text) : std::nullopt;
  return reply && reply->status == protocol::Status::completed;
}

// Reading an unwritten value and discarding it is no mistake. So the launch runs again with other contents in unwritten shared
// memory and outputs: 0x42 in every byte, which is 48.6 as a float, where the first launch had NaN. If the result changes, the value was
// used.
void forgive_discarded_reads(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  const Files files(trial, Fill::other);
  request.shared_poison = 0x42;
  const Answer answer = answered_again(runner, std::move(request), files);
  if (is_fault_of_ours(answer)) {  // then nobody knows whether the read was a mistake
    record.verdict = Verdict::internal_error;
    record.message = "the launch could not be repeated with other contents: " + tame(answer.text, 800);
    return;
  }
  if (!has_completed(answer)) return;
  LaunchRecord again;
  again.config = record.config;
  check_outputs(again, files);
  if (again.mismatch) return;
  for (protocol::Finding& finding : record.findings) finding.severity = "note";
  record.verdict = Verdict::pass;
  record.message.clear();
}

// An integer may be what an output holds before the launch. Then the launch runs again with other contents: an element that nobody
// writes is wrong in one of the two.
void check_with_other_fill(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  const Files files(trial, Fill::other);
  LaunchRecord again = launched_again(runner, std::move(request), files);
  if (again.verdict == Verdict::pass) return;
  record.mismatch = std::move(again.mismatch);
  take_over(record, std::move(again));
}

// Whether a right result may be one that nobody wrote.
bool is_right_by_chance(const Files& files) {
  for (std::size_t i = 0; i < files.operands.size(); ++i)
    if (is_right_by_chance(*files.operands[i], files.files[i].bytes(), files.fill)) return true;
  return false;
}

// Any order of blocks and threads must give the same output. If another order gives another wrong output, that is the mistake.
// Elements may differ by twice their error bound, because each of the two sums was rounded. A wrong sum may be rounded where the right
// one is not: where it is much larger.
void compare_orders(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  if (record.verdict != Verdict::wrong_answer || record.wrong_output.empty()) return;
  const Files files(trial);
  request.order_seed = request.order_seed.value_or(0) + 1;
  if (!has_completed(answered_again(runner, std::move(request), files))) return;
  const std::size_t index = output_index(files);
  const std::vector<double> again = files.content(index);
  const std::vector<double>& bounds = files.operands[index]->expectation.bounds;
  const double rounding = is_floating(files.operands[index]->type) ? 1e-4 : 0;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const double before = record.wrong_output[i], apart = std::abs(before - again[i]);
    if (std::bit_cast<std::uint64_t>(before) == std::bit_cast<std::uint64_t>(again[i])) continue;
    if (apart <= (bounds.empty() ? 0.0 : 2 * bounds[i]) || apart <= rounding * std::abs(before) ||
        (std::isnan(before) && std::isnan(again[i])))
      continue;
    record.explanation = Explanation{
        "order-dependent", "The result depends on the order in which blocks and threads run: another order gave another result.",
        "Find a value that one thread gets from another, through memory or from an atomic function. What makes sure that it is written "
        "before it is read?"};
    return;
  }
}

// If only fences and atomics ordered some accesses, the launch runs again with blocks and threads in reverse order. A kernel that
// waited for the values it read has no race in either order. A kernel that did not wait has a race in one of them.
void check_reversed_order(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  const Files files(trial);
  request.reversed = true;
  LaunchRecord again = launched_again(runner, std::move(request), files);
  if (!record.mismatch) record.mismatch = std::move(again.mismatch);
  take_over(record, std::move(again));
}

// A kernel's __device__ variables keep their values for the next launch. A kernel that is right only in a fresh program gets a
// note and loses no points: a lab asks for one product.
void launch_a_second_time(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  const Files files(trial);
  request.second = true;
  request.clock_ms *= 2;
  LaunchRecord again = launched_again(runner, std::move(request), files);
  if (again.verdict == Verdict::pass || again.verdict == Verdict::internal_error) return;
  protocol::Finding note;
  note.kind = std::string(name(again.verdict));
  note.severity = "note";
  note.message =
      "The first launch is right, but a second launch would go wrong: it starts with the values that the first launch left in the "
      "kernel's `__device__` variables. Which of them need their initial value again, and who restores it?";
  record.findings.push_back(std::move(note));
}

}  // namespace

protocol::Finding changed_input(const std::string& name, const std::string& by) {
  protocol::Finding finding =
      protocol::error_finding(std::string(tilelab::name(Verdict::input_modified)), name + " is an input, but " + by + " changed it.");
  finding.array = name;
  return finding;
}

// Sets the counters of the way through shared memory. `shared_gain_percent`: how large the result is if all that is handed over there is
// doubled, in hundredths of what it has to be otherwise: 400 where both factors of a product come that way, 100 where nothing depends on
// it. The launch runs once more for it, with inputs from 0.5 to 1 that hardly repeat. Nobody judges what it makes of them.
void measure_shared_use(LaunchRecord& record, RunnerProcess& runner, Trial trial, protocol::LaunchRequest request) {
  bool has_numbers = false;
  for (Operand& operand : trial.operands) {
    if (operand.kind != Operand::Kind::input || !is_floating(operand.type)) continue;
    has_numbers = true;
    RandomStream random(operand.values.size() * 256 + static_cast<unsigned char>(operand.name.front()));
    for (double& value : operand.values) value = (1 + std::abs(double{random.signed_unit()})) / 2;
  }
  if (!has_numbers || !trial.oracle) throw std::logic_error("`through` needs a lab with an input of floating-point numbers, and an oracle");
  request.traffic = false;
  request.trace.reset();
  request.follows_shared = true;
  for (const char* const counter : {"used_words", "shared_words_of_others"}) record.counters[counter] = 0;
  const Files files(trial);
  const Answer answer = runner.launch(request, files.files);
  if (is_fault_of_ours(answer)) {
    record.verdict = Verdict::internal_error;
    record.message = "the launch could not be repeated for its use of shared memory: " + tame(answer.text, 800);
    return;
  }
  if (const auto reply = answer.kind == Answer::Kind::reply ? read_reply(answer.text) : std::nullopt) {
    for (const char* const counter : {"used_words", "shared_words_of_others"}) record.counters[counter] = reply->counters.at(counter);
  }
  const std::vector<double> usual = trial.oracle(trial.operands);
  const std::vector<double> doubled = has_completed(answer) ? files.content(output_index(files)) : std::vector<double>(usual.size());
  double both = 0, square = 0;
  for (std::size_t i = 0; i < std::min(usual.size(), doubled.size()); ++i) {
    both += usual[i] * doubled[i];
    square += usual[i] * usual[i];
  }
  const double gain = square > 0 ? 100 * both / square : 0;
  record.counters["shared_gain_percent"] = gain > 0 && gain < 1e6 ? static_cast<std::uint64_t>(std::lround(gain)) : 0;
}

void compare_result(LaunchRecord& record, const Operand& result, const std::vector<double>& got) {
  const protocol::Extent block = record.config.value_or(protocol::LaunchConfig{}).block;
  auto mismatch = compare(got, result.expectation, {block.y, block.x});
  if (!mismatch) return;
  mismatch->output = result.name;
  record.verdict = worst(record.verdict, Verdict::wrong_answer);
  if (!record.mismatch) record.mismatch = std::move(mismatch);
}

std::uint64_t compulsory_bytes(const Trial& trial) {
  std::uint64_t bytes = 0;
  for (const Operand& operand : trial.operands)
    bytes += (operand.values.size() + operand.expectation.values.size()) * bytes_of(operand.type);
  return bytes;
}

LaunchRecord judge_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& options) {
  LaunchRecord record{.shape = trial.shape, .inputs = trial.inputs, .work = {trial.work_unit, trial.work, compulsory_bytes(trial)}};
  Files files(trial, Fill::telling, options);
  files.request.traffic |= trial.counts_traffic;
  files.request.follows_values = trial.follows_values;
  files.request.follows_shared = false;
  const Ending ending = take_answer(record, runner.launch(files.request, files.files));
  check_buffers(record, ending, files);
  if (!files.request.trace) record.trace.reset();
  if (!files.request.traffic) record.traffic.reset();
  if (record.needs_reversed_run) check_reversed_order(record, runner, trial, files.request);
  if (only_reads_unwritten(record)) forgive_discarded_reads(record, runner, trial, files.request);
  if (record.verdict == Verdict::pass && is_right_by_chance(files)) check_with_other_fill(record, runner, trial, files.request);
  if (record.verdict == Verdict::pass && record.left_data) launch_a_second_time(record, runner, trial, files.request);
  compare_orders(record, runner, trial, files.request);
  if (record.verdict == Verdict::pass && trial.follows_shared) measure_shared_use(record, runner, trial, files.request);
  return record;
}

}  // namespace tilelab::judge
