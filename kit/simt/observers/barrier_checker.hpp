// Finds barriers that not every thread of the block reaches. Waiting at different barriers is an error. Leaving the kernel before
// a barrier is legal since Volta; it gets a note, because data that the missing thread should have loaded may be missing too.
#pragma once

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class BarrierChecker final : public Observer {
 public:
  explicit BarrierChecker(FindingLog& log) : log_(log) {}
  void on_divergence(const DivergenceEvent& event) override {
    RawFinding finding;
    finding.kind = Verdict::barrier_divergence;
    finding.site = {event.first_pc, "barrier", event.first};
    finding.other = {event.second_pc, "barrier", event.second};
    finding.bound = event.within_warp ? 1 : 0;
    log_.report(finding);
  }
  void on_barrier(const BarrierEvent& event) override {
    if (event.exited == 0) return;
    RawFinding finding;
    finding.kind = Verdict::barrier_divergence;
    finding.note = true;
    finding.site = {event.pc, "barrier", {event.block, 0}};
    finding.bound = event.exited;
    log_.report(finding);
  }

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
