// Finds calls of warp functions whose result CUDA leaves undefined: a mask that does not contain the calling lane, and a shuffle from a
// lane that does not take part. What such a shuffle brings is like memory that nobody wrote: bringing it is no mistake, using it is.
#pragma once

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class LaneChecker final : public Observer {
 public:
  explicit LaneChecker(FindingLog& log) : log_(log) {}

  void on_undefined_lane(const LaneEvent& event) override {
    const bool is_mask = event.why == LaneEvent::Why::mask_without_caller;
    RawFinding finding;
    finding.kind = is_mask ? Verdict::barrier_divergence : Verdict::uninitialized_read;
    finding.site = {event.pc, is_mask ? "mask" : "shuffle", event.by};
    finding.about = RawFinding::About::lane;
    finding.lane = event;
    log_.report(finding);
  }

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
