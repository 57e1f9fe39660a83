// Reads what a hostile runner may have said.
#include "judge/process/runner_process.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "executor/verdict.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t max_findings = 64, max_counters = 64;
constexpr std::size_t max_name = 200, max_sentence = 1000;
constexpr std::uint64_t max_count = 1ull << 53;  // every whole number up to here is exact in any JSON reader
constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_known(const protocol::Finding& finding) {
  const auto kind = verdict_named(finding.kind);
  return kind && is_shown_by_a_launch(*kind) && (finding.severity == "error" || finding.severity == "note");
}

// Bytes of the character that begins with this one, in valid UTF-8.
std::size_t sequence_length(char first) {
  const auto lead = static_cast<unsigned char>(first);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// C0, delete, C1, bidirectional overrides and isolates. The last two make text look different from what it is.
bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence[0]) < 0x20 || sequence[0] == 0x7f;
  if (sequence.size() == 2) return sequence[0] == '\xC2' && static_cast<unsigned char>(sequence[1]) < 0xA0;
  const std::string_view last_two = sequence.substr(1);
  return sequence.size() == 3 && sequence[0] == '\xE2' &&
         ((last_two >= "\x80\xAA" && last_two <= "\x80\xAE") || (last_two >= "\x81\xA6" && last_two <= "\x81\xA9"));
}

void tame_site(protocol::Site& site) {
  constexpr std::array<std::string_view, 8> accesses{"read", "write", "atomic", "barrier", "skip", "return", "mask", "shuffle"};
  site.file = tame(site.file, max_name);
  site.function = tame(site.function, max_name);
  site.line = std::max(site.line, 0);
  if (std::find(accesses.begin(), accesses.end(), site.access) == accesses.end()) site.access.clear();
}

void tame_finding(protocol::Finding& finding) {
  tame_site(finding.site);
  if (finding.other) tame_site(*finding.other);
  finding.array = tame(finding.array, max_name);
  finding.element = tame(finding.element, max_name);
  finding.message = tame(finding.message, max_sentence);
  finding.count = std::clamp<std::uint64_t>(finding.count, 1, max_count);
}

void tame_trace(protocol::Trace& trace) {
  for (protocol::TracedArray& array : trace.arrays) {
    array.name = tame(array.name, max_name);
    array.element = tame(array.element, max_name);
  }
  for (protocol::TracedPlace& place : trace.places) {
    place.file = tame(place.file, max_name);
    place.function = tame(place.function, max_name);
    place.line = std::max(place.line, 0);
  }
}

bool is_counter_name(const std::string& name) {
  return !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

void tame_counters(std::map<std::string, std::uint64_t>& counters) {
  std::erase_if(counters, [](const auto& counter) { return !is_counter_name(counter.first); });
  while (counters.size() > max_counters) counters.erase(std::prev(counters.end()));
  for (auto& counter : counters) counter.second = std::min(counter.second, max_count);
}

void tame_traffic(protocol::Traffic& traffic) {
  tame_counters(traffic.metrics);
  for (protocol::LineTraffic& one : traffic.lines) {
    one.file = tame(one.file, max_name);
    one.line = std::max(one.line, 0);
    tame_counters(one.metrics);
  }
}

}  // namespace

std::string tame(const std::string& text, std::size_t limit, bool keep_lines) {
  // As JSON and back: the printer puts U+FFFD in place of bytes that are no UTF-8.
  const auto valid = json_from(json_text(text)).get<std::string>();
  std::string result;
  for (std::string_view rest = valid; !rest.empty();) {
    std::string_view next = rest.substr(0, sequence_length(rest[0]));
    rest.remove_prefix(next.size());
    const bool is_line = keep_lines && (next == "\n" || next == "\t");
    if (is_control(next) && !is_line) next = replacement;
    if (result.size() + next.size() > limit) break;
    result += next;
  }
  return result;
}

std::optional<protocol::LaunchReply> read_reply(const std::string& text, std::size_t max_printed) {
  try {
    auto reply = json_from(text).get<protocol::LaunchReply>();
    if (!std::all_of(reply.findings.begin(), reply.findings.end(), is_known)) return std::nullopt;
    if (reply.uses.size() > protocol::most_program_buffers) return std::nullopt;
    if (reply.findings.size() > max_findings) reply.findings.resize(max_findings);
    std::for_each(reply.findings.begin(), reply.findings.end(), tame_finding);
    tame_counters(reply.counters);
    reply.detail = tame(reply.detail, max_sentence);
    reply.printed = tame(reply.printed, max_printed, true);
    if (reply.trace) tame_trace(*reply.trace);
    if (reply.traffic) tame_traffic(*reply.traffic);
    return reply;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tilelab::judge
