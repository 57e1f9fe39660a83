// Finds writes to a buffer or to a variable that the kernel may only read.
#pragma once

#include "simt/event.hpp"
#include "simt/finding_log.hpp"
#include "simt/memory/region.hpp"

namespace tilelab::simt {

class InputGuard final : public Observer {
 public:
  explicit InputGuard(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space == Space::global; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override {
    if (access.kind == AccessKind::read || access.region->role != BufferRole::input) return;
    report(access, "writes {element}, but {array} is an input and must not change");
  }
  void on_constant_store(const Access& access) override {
    report(access, "writes {element}, but {array} is constant memory, which a kernel can only read");
  }

 private:
  void report(const Access& access, const char* what) {
    RawFinding finding;
    finding.kind = Verdict::input_modified;
    finding.what = what;
    finding.site = {access.pc, access_name(access.kind), access.by};
    finding.region = access.region;
    finding.offset = static_cast<std::int64_t>(access.offset);
    finding.size = access.size;
    log_.report(finding);
  }

  FindingLog& log_;
};

}  // namespace tilelab::simt
