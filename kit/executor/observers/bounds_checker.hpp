// Finds accesses outside of declared memory (before or past a buffer, past a dimension of an array, to a stack's frame links, to
// no memory at all), misaligned accesses, and writes to a buffer or to a variable that the kernel may only read.
#pragma once

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

class BoundsChecker final : public Observer {
 public:
  explicit BoundsChecker(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space == Space::global; }
  bool needs_every_read() const override { return false; }
  void on_stray(const Access& access, const Region* nearest) override {
    RawFinding finding = finding_about(Verdict::out_of_bounds, access);
    finding.region = nearest;
    const bool is_local = nearest != nullptr && nearest->in_frame;  // each thread has its own, in another place
    finding.offset = static_cast<std::int64_t>(is_local ? access.offset : access.address - (nearest != nullptr ? nearest->base : 0));
    log_.report(finding);
  }
  void on_index(const IndexEvent& event) override {
    RawFinding finding = finding_at(Verdict::out_of_bounds, {event.pc, "", event.by});
    finding.index = event.index;
    finding.bound = event.bound;
    finding.column = event.column;
    finding.inner = event.inner;
    log_.report(finding);
  }
  void on_outside_surface(const Access& access, const SurfaceEvent& event) override {
    RawFinding finding = finding_about(event.misaligned ? Verdict::misaligned : Verdict::out_of_bounds, access);
    finding.about = RawFinding::About::surface;
    finding.surface = event;
    log_.report(finding);
  }
  void on_misaligned(const Access& access, std::size_t alignment) override {
    // A null pointer is reported as such, not as bad alignment.
    const Verdict kind = access.address < 4096 ? Verdict::out_of_bounds : Verdict::misaligned;
    RawFinding finding = finding_at(kind, {access.pc, "", access.by});
    finding.region = access.region;
    finding.offset = access.region != nullptr ? static_cast<std::int64_t>(access.address - access.region->base) : 0;
    finding.index = static_cast<std::int64_t>(alignment);
    log_.report(finding);
  }
  void on_access(const Access& access) override {
    if (access.kind == AccessKind::read || access.region->role != BufferRole::input) return;
    log_.report(finding_about(Verdict::input_modified, access, "writes {element}, but {array} is an input and must not change"));
  }
  void on_constant_store(const Access& access) override {
    log_.report(
        finding_about(Verdict::input_modified, access, "writes {element}, but {array} is constant memory, which a kernel can only read"));
  }

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
