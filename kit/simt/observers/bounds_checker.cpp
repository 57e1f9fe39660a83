// Turns stray accesses, bad subscripts and bad alignments into findings.
#include "simt/observers/bounds_checker.hpp"

#include "simt/memory/region.hpp"

namespace tilelab::simt {

void BoundsChecker::on_stray(const Access& access, const Region* nearest) {
  RawFinding finding;
  finding.kind = Verdict::out_of_bounds;
  finding.site = {access.pc, access_name(access.kind), access.by};
  finding.region = nearest;
  const bool is_local = nearest != nullptr && nearest->in_frame;  // each thread has its own, in another place
  finding.offset = static_cast<std::int64_t>(is_local ? access.offset : access.address - (nearest != nullptr ? nearest->base : 0));
  finding.size = access.size;
  log_.report(finding);
}

void BoundsChecker::on_index(const IndexEvent& event) {
  RawFinding finding;
  finding.kind = Verdict::out_of_bounds;
  finding.site = {event.pc, "", event.by};
  finding.index = event.index;
  finding.bound = event.bound;
  finding.column = event.column;
  finding.inner = event.inner;
  log_.report(finding);
}

void BoundsChecker::on_outside_surface(const Access& access, const SurfaceEvent& event) {
  RawFinding finding;
  finding.kind = event.misaligned ? Verdict::misaligned : Verdict::out_of_bounds;
  finding.about = RawFinding::About::surface;
  finding.site = {access.pc, access_name(access.kind), access.by};
  finding.region = access.region;
  finding.surface = event;
  log_.report(finding);
}

void BoundsChecker::on_misaligned(const Access& access, std::size_t alignment) {
  RawFinding finding;
  // A null pointer is reported as such, not as bad alignment.
  finding.kind = access.address < 4096 ? Verdict::out_of_bounds : Verdict::misaligned;
  finding.site = {access.pc, "", access.by};
  finding.region = access.region;
  finding.offset = access.region != nullptr ? static_cast<std::int64_t>(access.address - access.region->base) : 0;
  finding.index = static_cast<std::int64_t>(alignment);
  log_.report(finding);
}

}  // namespace tilelab::simt
