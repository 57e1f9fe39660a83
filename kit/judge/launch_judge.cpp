#include "judge/launch_judge.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "judge/comparison.hpp"
#include "judge/memory_file.hpp"
#include "judge/reply_check.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t max_detail = 1000;

std::vector<float> initial_content(const Operand& operand, std::uint32_t unwritten) {
  if (operand.kind == Operand::Kind::input) return operand.values;
  return std::vector<float>(operand.expectation.values.size(), std::bit_cast<float>(unwritten));
}

// A trial's buffers, and the request that describes them.
struct Files {
  std::vector<const Operand*> operands;  // those with a buffer
  std::vector<MemoryFile> files;
  protocol::LaunchRequest request;

  explicit Files(const Trial& trial, std::uint32_t unwritten = unwritten_bits) : unwritten_(unwritten) {
    request.launch_arguments = trial.launch_arguments;
    request.event_budget = trial.work_events + trial.spare_events;
    request.clock_ms = trial.clock_ms;
    for (const Operand& operand : trial.operands) add(operand);
  }

  void add(const Operand& operand) {
    using Kind = Operand::Kind;
    protocol::Argument argument;
    argument.name = operand.name;
    if (operand.kind == Kind::integer) {
      argument.role = protocol::Role::scalar;
      argument.element = "int";
      argument.bytes = sizeof(int);
      argument.bits = std::bit_cast<std::uint32_t>(operand.integer);
    } else {
      const std::vector<float> content = initial_content(operand, unwritten_);
      operands.push_back(&operand);
      files.emplace_back(std::as_bytes(std::span(content)));
      argument.role = operand.kind == Kind::input ? protocol::Role::input : protocol::Role::output;
      argument.bytes = content.size() * sizeof(float);
      argument.row_elements = operand.columns;
    }
    request.arguments.push_back(std::move(argument));
  }

  std::vector<int> descriptors() const {
    std::vector<int> fds;
    for (const MemoryFile& file : files) fds.push_back(file.descriptor());
    return fds;
  }

 private:
  std::uint32_t unwritten_;  // what outputs hold before the launch
};

Verdict verdict_of(protocol::Status status) {
  switch (status) {
    case protocol::Status::completed: return Verdict::pass;
    case protocol::Status::launch_error: return Verdict::launch_error;
    case protocol::Status::timeout: return Verdict::timeout;
    case protocol::Status::crash: return Verdict::crash;
    case protocol::Status::internal_error: break;
  }
  return Verdict::internal_error;
}

// Where the launch stopped short, an output's holes say nothing about it.
bool stops_the_launch(Verdict kind) {
  return kind == Verdict::out_of_bounds || kind == Verdict::misaligned || kind == Verdict::barrier_divergence || kind <= Verdict::timeout;
}

bool is_error(const protocol::Finding& finding) { return finding.severity == "error"; }

void check_inputs(LaunchRecord& record, const Files& files) {
  for (std::size_t i = 0; i < files.operands.size(); ++i) {
    const Operand& operand = *files.operands[i];
    if (operand.kind != Operand::Kind::input) continue;
    const std::vector<std::byte> after = files.files[i].bytes();
    if (std::ranges::equal(after, std::as_bytes(std::span(operand.values)))) continue;
    record.verdict = worst(record.verdict, Verdict::input_modified);
    const bool reported =
        std::ranges::any_of(record.findings, [&](const auto& one) { return one.kind == "input-modified" && one.array == operand.name; });
    if (reported) continue;
    protocol::Finding finding;
    finding.kind = "input-modified";
    finding.severity = "error";
    finding.array = operand.name;
    finding.message = operand.name + " is an input, and the launch left it changed.";
    record.findings.push_back(std::move(finding));
  }
}

void check_outputs(LaunchRecord& record, const Files& files) {
  for (std::size_t i = 0; i < files.operands.size(); ++i) {
    const Operand& operand = *files.operands[i];
    if (operand.kind != Operand::Kind::output) continue;
    const std::vector<std::byte> bytes = files.files[i].bytes();
    std::vector<float> got(bytes.size() / sizeof(float));
    std::memcpy(got.data(), bytes.data(), got.size() * sizeof(float));
    const protocol::Extent block = record.config ? record.config->block : protocol::Extent{};
    auto mismatch = compare(got, operand.expectation, {block.y, block.x});
    if (!mismatch) continue;
    mismatch->output = operand.name;
    record.verdict = worst(record.verdict, Verdict::wrong_answer);
    if (!record.mismatch) record.mismatch = std::move(mismatch);
  }
}

std::string sentence(const Mismatch& mismatch) {
  const std::size_t size = mismatch.rows * mismatch.columns;
  std::string text =
      std::to_string(mismatch.wrong) + " of " + std::to_string(size) + (size == 1 ? " element is wrong" : " elements are wrong");
  if (mismatch.unwritten == mismatch.wrong) {
    text = std::to_string(mismatch.unwritten) + " of " + std::to_string(size) + (size == 1 ? " element was" : " elements were") +
           " never written";
  } else if (mismatch.unwritten > 0) {
    text += ", " + std::to_string(mismatch.unwritten) + " of them never written";
  }
  return size == 1 ? text : text + ": " + mismatch.summary;
}

// One sentence for the worst thing that happened.
std::string reason(const LaunchRecord& record, const std::string& detail) {
  if (record.verdict == Verdict::pass) return {};
  for (const protocol::Finding& finding : record.findings) {
    if (!is_error(finding) || finding.kind != name(record.verdict) || finding.message.empty()) continue;
    const std::string line = "line " + std::to_string(finding.site.line);
    return finding.site.line > 0 && finding.message.find(line) == std::string::npos ? line + ": " + finding.message : finding.message;
  }
  if (record.verdict == Verdict::wrong_answer && record.mismatch) return sentence(*record.mismatch);
  return detail.empty() ? "the launch ended with " + std::string(name(record.verdict)) : detail;
}

void take_reply(LaunchRecord& record, protocol::LaunchReply reply, const Files& files) {
  record.verdict = verdict_of(reply.status);
  record.config = reply.config;
  record.findings = std::move(reply.findings);
  record.counters = std::move(reply.counters);
  record.printed = std::move(reply.printed);
  if (files.request.trace) record.trace = std::move(reply.trace);
  if (files.request.traffic) record.traffic = std::move(reply.traffic);
  bool stopped = reply.status != protocol::Status::completed;
  for (const protocol::Finding& finding : record.findings) {
    if (!is_error(finding)) continue;
    const Verdict kind = verdict_named(finding.kind).value();  // read_reply refuses others
    record.verdict = worst(record.verdict, kind);
    stopped = stopped || stops_the_launch(kind);
  }
  if (reply.status == protocol::Status::completed) check_inputs(record, files);
  if (!stopped) check_outputs(record, files);
  record.message = reason(record, reply.detail);
}

// Memory that was read before it was written, where the result is right all the same.
bool only_reads_unwritten(const LaunchRecord& record) { return record.verdict == Verdict::uninitialized_read && !record.mismatch; }

// Loaded and discarded is no mistake. What was used shows: with other contents in unwritten shared memory and outputs
// (0x42424242 is 48.6 as a float, where the first launch had NaN) the same launch answers something else.
void forgive_discarded_reads(LaunchRecord& record, RunnerProcess& runner, const Trial& trial, protocol::LaunchRequest request) {
  const Files files(trial, 0x42424242);
  request.shared_poison = 0x42;
  request.trace.reset();
  request.traffic = false;
  const Answer answer = runner.launch(request, files.descriptors());
  auto reply = answer.kind == Answer::Kind::reply ? read_reply(answer.text) : std::nullopt;
  if (!reply || reply->status != protocol::Status::completed) return;
  LaunchRecord again{
      .shape = {}, .inputs = {}, .config = record.config, .message = {}, .findings = {}, .mismatch = {}, .counters = {}, .printed = {}};
  check_outputs(again, files);
  if (again.mismatch) return;
  for (protocol::Finding& finding : record.findings) finding.severity = "note";
  record.verdict = Verdict::pass;
  record.message.clear();
}

}  // namespace

LaunchRecord judge_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& options) {
  LaunchRecord record{.shape = trial.shape,
                      .inputs = trial.inputs,
                      .config = {},
                      .message = {},
                      .findings = {},
                      .mismatch = {},
                      .counters = {},
                      .printed = {}};
  Files files(trial);
  files.request.order_seed = options.order_seed;
  files.request.trace = options.trace;
  files.request.traffic = options.traffic;
  const Answer answer = runner.launch(files.request, files.descriptors());
  switch (answer.kind) {
    case Answer::Kind::reply:
      if (auto reply = read_reply(answer.text)) {
        take_reply(record, std::move(*reply), files);
        if (only_reads_unwritten(record)) forgive_discarded_reads(record, runner, trial, files.request);
      } else {
        record.verdict = Verdict::crash;
        record.message = "the process that ran the kernel answered nonsense: it was overwritten or tampered with";
      }
      break;
    case Answer::Kind::timeout:
      record.verdict = Verdict::timeout;
      record.message = "the launch did not end in its time, and its process had to be stopped";
      break;
    case Answer::Kind::died:
      record.verdict = Verdict::crash;
      record.message = "the process that ran the kernel died: " + tame(answer.text, max_detail);
      break;
    case Answer::Kind::never_started:
      record.verdict = Verdict::internal_error;
      record.message = tame(answer.text, max_detail);
      break;
  }
  return record;
}

}  // namespace tilelab::judge
