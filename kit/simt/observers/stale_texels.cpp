#include "simt/observers/stale_texels.hpp"

#include <algorithm>

namespace tilelab::simt {

StaleTexels::StaleTexels(FindingLog& log, std::span<const TextureObject> objects) : log_(log) {
  for (const TextureObject& object : objects) {
    if (object.region != nullptr) written_[object.region];
  }
}

std::uint32_t StaleTexels::number_of(const Access& access) {
  const auto known = std::find_if(statements_.begin(), statements_.end(), [&](const RawSite& one) { return one.pc == access.pc; });
  const auto place = static_cast<std::uint32_t>(known - statements_.begin());
  if (known == statements_.end()) statements_.push_back({access.pc, access_name(access.kind), access.by});
  return place + 1;
}

void StaleTexels::report(const Access& access, const Written& written) {
  RawFinding finding;
  finding.kind = Verdict::race;
  finding.note = access.unit == Unit::surface;  // CUDA's guide says it of surfaces too, but programs rely on it
  finding.what = access.unit == Unit::texture
                     ? "fetches {element} through a texture after this launch has written it: what the fetch brings is undefined until the "
                       "next launch"
                     : "reads {element} through a surface after this launch has written it: CUDA promises the new value only to the next "
                       "launch";
  finding.site = {access.pc, "read", access.by};
  finding.other = statements_[written.statement - 1];
  finding.other.by = {written.block, written.thread};
  finding.region = access.region;
  finding.offset = static_cast<std::int64_t>(access.offset);
  finding.size = access.size;
  log_.report(finding);
}

void StaleTexels::on_access(const Access& access) {
  const bool reads = access.kind == AccessKind::read;
  if (reads && access.unit == Unit::none) return;
  const auto known = written_.find(access.region);
  if (known == written_.end() || (reads && known->second.empty())) return;
  std::vector<Written>& words = known->second;
  if (words.empty()) words.resize((access.region->bytes + granule - 1) / granule);
  const std::uint64_t end = access.offset + access.size;
  for (std::uint64_t at = access.offset; at < end;) {
    const std::uint64_t word = at / granule, next = std::min(end, (word + 1) * granule);
    const auto bytes = ((1u << (next - at)) - 1) << (at % granule) & 0xFu;
    at = next;
    if (word >= words.size()) return;
    Written& written = words[word];
    if (reads && (written.bytes & bytes) != 0) return report(access, written);
    if (reads) continue;
    written = {access.by.block, access.by.thread, number_of(access) & 0xFFFFFFFu, (written.bytes | bytes) & 0xFu};
  }
}

}  // namespace tilelab::simt
