// Which findings are one to a student, which of them count, and in what order they are told.
#include "runner/report/finding_messages.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "runner/report/message_writer.hpp"

namespace tilelab {
namespace {

using protocol::Finding;
using simt::RawFinding;
using simt::Space;

constexpr std::size_t max_findings = 64;

auto rank(const Finding& f) {
  const auto none = std::array<unsigned, 3>{};
  return std::tuple(*f.site.block, *f.site.thread, f.other ? *f.other->thread : none, f.other ? *f.other->block : none, f.element);
}

// An index past the end of one buffer can reach elements of the next buffer that other threads use. So if a launch goes out of
// bounds in global memory, races there may only be a consequence, and they become notes.
void subordinate_to_bounds(std::vector<Finding>& findings, const std::vector<RawFinding>& raw) {
  const auto is_global = [](const RawFinding& one) {
    return one.region != nullptr && one.region->space != Space::shared && !one.region->in_frame;
  };
  const bool outside =
      std::any_of(raw.begin(), raw.end(), [&](const RawFinding& one) { return one.kind == Verdict::out_of_bounds && is_global(one); });
  for (std::size_t i = 0; outside && i < raw.size(); ++i) {
    if (raw[i].kind == Verdict::race && is_global(raw[i])) findings[i].severity = "note";
  }
}

}  // namespace

std::vector<Finding> finding_messages(const std::vector<RawFinding>& raw, const Image& image, const LaunchGeometry& geometry) {
  const MessageWriter writer(image, geometry);
  // To a student, several instructions of one line are one statement.
  std::map<std::tuple<std::string, std::string, int, std::string, int, std::string, std::string, std::string>, Finding> merged;
  std::vector<Finding> described;
  for (const RawFinding& one : raw) described.push_back(writer.describe(one));
  subordinate_to_bounds(described, raw);
  for (Finding& finding : described) {
    const auto key = std::tuple(finding.severity, finding.kind, finding.site.line, finding.array, finding.other ? finding.other->line : 0,
                                finding.site.access, finding.other ? finding.other->access : "", finding.site.file);
    const auto [kept, inserted] = merged.try_emplace(key, finding);
    if (inserted) continue;
    const std::uint64_t count = kept->second.count + finding.count;
    if (rank(finding) < rank(kept->second)) kept->second = std::move(finding);
    kept->second.count = count;
  }
  std::vector<Finding> findings;
  for (auto& [key, finding] : merged) findings.push_back(std::move(finding));
  if (findings.size() > max_findings) findings.resize(max_findings);
  return findings;
}

}  // namespace tilelab
