// What a run of a program means for its verdict: the limit it met, the mistakes of its host code, and which of several counts.
#include "judge/programs/program_judge.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/reply_check.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

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

// Which limit the program met. `most`: in milliseconds or bytes; 0: not known.
std::string limit_in_words(const std::string& limit, std::uint64_t most) {
  const std::string seconds = std::to_string(most / 1000) + (most % 1000 == 0 ? "" : "." + std::to_string(most % 1000 / 100)) + " seconds";
  const std::string megabytes = std::to_string(most >> 20) + " MiB";
  if (limit == "memory")
    return "The program needs more memory than it may use on the host" + (most == 0 ? "." : ": it may have " + megabytes + ".");
  if (limit == "file-size")
    return "The program writes a larger file than it may" + (most == 0 ? "." : ": a file may have " + megabytes + ".");
  if (most == 0) return "The program did not end in its time.";
  const std::string what = limit == "processor-time" ? "its host code has used " + seconds + " of processor time"
                           : limit == "idle"         ? "for " + seconds + " it did nothing but wait"
                                                     : "it was stopped after " + seconds;
  return "The program did not end in its time: " + what + ".";
}

}  // namespace

void worsen(LaunchRecord& record, Verdict verdict, const std::string& message) {
  if (worst(verdict, record.verdict) == record.verdict && record.verdict != Verdict::pass) return;
  record.verdict = verdict;
  record.message = message;
}

void judge_end(LaunchRecord& record, const BrokeredRun& run) {
  const std::string ended = run.record.at("ended").get<std::string>();
  const auto number = [&](const char* key) { return std::to_string(run.record.value(key, 0)); };
  if (run.wrote_too_much) return worsen(record, Verdict::timeout, "The program wrote without end.");
  if (ended == "finished") return;
  if (const std::string limit = run.record.value("limit", ""); !limit.empty())
    return worsen(record, limit == "memory" ? Verdict::crash : Verdict::timeout,
                  limit_in_words(limit, run.record.value("most", std::uint64_t{0})));
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
    worsen(record, Verdict::rejected, "The program wrote over what connects it to the device.");
  } else if (ended == "refused") {
    const json& refusal = run.record.at("refusal");
    const auto verdict = verdict_named(refusal.value("verdict", "")).value_or(Verdict::internal_error);
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
    if (status == "timeout") record.verdict = worst(record.verdict, Verdict::timeout);
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
