// Deduplication of raw findings.
#include "executor/finding_log.hpp"

#include <iterator>
#include <string_view>

namespace tilelab::simt {
namespace {

auto rank(const RawFinding& f) {
  return std::tuple(f.site.by.block, f.interval, f.site.by.thread, f.other.by.thread, f.other.by.block, f.offset, f.index, f.bound, f.size,
                    std::string_view(f.site.access), std::string_view(f.other.access), std::string_view(f.what), f.about, f.conditions,
                    f.lane.mask, f.lane.source);
}

}  // namespace

void FindingLog::report(const RawFinding& reported) {
  RawFinding finding = reported;
  finding.on_host = on_host_;
  const Key key{finding.kind, finding.note, finding.site.pc, finding.other.pc, finding.region};
  const auto found = findings_.find(key);
  if (found == findings_.end()) {
    if (findings_.size() == max_distinct) {  // keeps the smallest keys: a key that stays was never dropped, so its count is complete
      const auto largest = std::prev(findings_.end());
      if (key > largest->first) return;
      findings_.erase(largest);
    }
    findings_.emplace(key, finding);
    return;
  }
  RawFinding& kept = found->second;
  const std::uint64_t count = kept.count + finding.count;
  if (rank(finding) < rank(kept)) kept = finding;
  kept.count = count;
}

std::vector<RawFinding> FindingLog::deduplicated() const {
  std::vector<RawFinding> all;
  all.reserve(findings_.size());
  for (const auto& [key, finding] : findings_) all.push_back(finding);
  return all;
}

const char* access_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::read: return "read";
    case AccessKind::write: return "write";
    case AccessKind::atomic: return "atomic";
  }
  return "";
}

}  // namespace tilelab::simt
