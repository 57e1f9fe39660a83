// What a runner's answer alone makes of a launch. It does not look at buffers.
#include <algorithm>
#include <tuple>
#include <utility>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t max_detail = 1000;

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

// Whether a finding of this kind stops threads. Then elements that an output lacks say nothing about it.
bool stops_the_launch(Verdict kind) {
  return kind == Verdict::out_of_bounds || kind == Verdict::misaligned || kind == Verdict::barrier_divergence || kind <= Verdict::timeout;
}

bool is_error(const protocol::Finding& finding) { return finding.severity == "error"; }

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

Ending take_reply(LaunchRecord& record, protocol::LaunchReply reply) {
  record.verdict = verdict_of(reply.status);
  record.config = reply.config;
  record.findings = std::move(reply.findings);
  record.counters = std::move(reply.counters);
  record.printed = std::move(reply.printed);
  record.trace = std::move(reply.trace);
  record.traffic = std::move(reply.traffic);
  record.message = std::move(reply.detail);
  record.needs_reversed_run = reply.needs_reversed_run;
  record.left_data = reply.left_data;
  const bool completed = reply.status == protocol::Status::completed;
  Ending ending = completed ? Ending::whole : Ending::unfinished;
  for (protocol::Finding& finding : record.findings) {
    finding.address = 0;  // for the broker of whole programs alone
    if (!is_error(finding)) continue;
    const Verdict kind = verdict_named(finding.kind).value();  // read_reply refused every other name
    record.verdict = worst(record.verdict, kind);
    if (completed && stops_the_launch(kind)) ending = Ending::cut_short;
  }
  return ending;
}

Ending without_reply(LaunchRecord& record, Verdict verdict, std::string why) {
  record.verdict = verdict;
  record.message = std::move(why);
  return Ending::nothing;
}

bool same_place(const protocol::Finding& a, const protocol::Finding& b) {
  const auto other = [](const protocol::Finding& one) {
    return one.other ? std::tuple(one.other->line, one.other->access) : std::tuple(0, std::string());
  };
  return std::tuple(a.kind, a.severity, a.site.line, a.site.access, a.array, other(a)) ==
         std::tuple(b.kind, b.severity, b.site.line, b.site.access, b.array, other(b));
}

}  // namespace

bool is_fault_of_ours(const Answer& answer) {
  if (answer.kind == Answer::Kind::garbled) return false;
  if (answer.kind != Answer::Kind::reply) return true;
  const auto reply = read_reply(answer.text);
  return reply && reply->status == protocol::Status::internal_error;
}

Ending take_answer(LaunchRecord& record, Answer answer) {
  switch (answer.kind) {
    case Answer::Kind::reply:
      if (auto reply = read_reply(answer.text)) return take_reply(record, std::move(*reply));
      return without_reply(record, Verdict::crash,
                           "the process that ran the kernel sent an invalid answer: its memory was overwritten or tampered with");
    case Answer::Kind::garbled:
      return without_reply(
          record, Verdict::crash,
          "the memory of the process that ran the kernel was overwritten or tampered with: " + tame(answer.text, max_detail));
    case Answer::Kind::timeout:  // the runner has a clock for each launch
    case Answer::Kind::died:
    case Answer::Kind::never_started: break;
  }
  return without_reply(record, Verdict::internal_error, tame(answer.text, max_detail));
}

std::string reason(const LaunchRecord& record) {
  if (record.verdict == Verdict::pass) return {};
  for (const protocol::Finding& finding : record.findings) {
    if (!is_error(finding) || finding.kind != name(record.verdict) || finding.message.empty()) continue;
    const std::string line = "line " + std::to_string(finding.site.line);
    return finding.site.line > 0 && finding.message.find(line) == std::string::npos ? line + ": " + finding.message : finding.message;
  }
  if (record.verdict == Verdict::wrong_answer && record.mismatch) return sentence(*record.mismatch);
  return record.message.empty() ? "the launch ended with " + std::string(name(record.verdict)) : record.message;
}

void take_over(LaunchRecord& record, LaunchRecord other_order) {
  for (protocol::Finding& finding : other_order.findings) {
    const bool known = std::ranges::any_of(record.findings, [&](const auto& one) { return same_place(one, finding); });
    if (!known) record.findings.push_back(std::move(finding));
  }
  if (worst(other_order.verdict, record.verdict) == record.verdict) return;
  record.verdict = other_order.verdict;
  record.message = std::move(other_order.message);
}

}  // namespace tilelab::judge
