// A detector to be added: it finds volatile writes, which order nothing.
#pragma once

#include "executor/event.hpp"
#include "executor/finding_log.hpp"

namespace tilelab::simt {

class VolatileWrites final : public Observer {
 public:
  explicit VolatileWrites(FindingLog& log) : log_(log) {}
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override {
    if (access.kind != AccessKind::write || !access.is_volatile) return;
    RawFinding finding;
    finding.kind = Verdict::volatile_write;
    finding.what = "writes {element} as volatile, which orders nothing";
    finding.site = {access.pc, access_name(access.kind), access.by};
    finding.region = access.region;
    finding.offset = static_cast<std::int64_t>(access.offset);
    finding.size = access.size;
    log_.report(finding);
  }

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
