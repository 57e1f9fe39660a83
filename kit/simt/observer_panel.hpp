// The observers that every launch has. Joined as one, so that an access costs one call for all of them; what only some
// launches are asked for (traffic, a trace) is added beside it.
#pragma once

#include "simt/announcer.hpp"
#include "simt/finding_log.hpp"
#include "simt/observer_seats.hpp"
#include "simt/observers/access_counter.hpp"
#include "simt/observers/barrier_checker.hpp"
#include "simt/observers/bounds_checker.hpp"
#include "simt/observers/input_guard.hpp"
#include "simt/observers/race_detector.hpp"
#include "simt/observers/uninitialized_reads.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {

class ObserverPanel {
 public:
  explicit ObserverPanel(RaceDetector::SameValue same_value) : observers_(log_, same_value) {}
  ObserverPanel(const ObserverPanel&) = delete;
  ObserverPanel& operator=(const ObserverPanel&) = delete;

  // The announcer must not outlive this.
  void join(Announcer& announcer);

  FindingLog& log() { return log_; }
  template <typename One>
  One& get() {
    return observers_.get<One>();
  }

 private:
  FindingLog log_;
  RedundantReads redundant_;
  // An observer is registered by its line here. They hear of an access in this order.
  ObserverSeats<           // what each finds:
      RaceDetector,        // races. It is first, as it offers redundant reads, and those that hear of them later may drop them
      BoundsChecker,       // accesses out of bounds, misaligned ones
      UninitializedReads,  // reads of what nobody wrote
      BarrierChecker,      // barriers that not every thread of a block reaches
      InputGuard,          // writes to inputs
      AccessCounter>       // nothing: it counts bytes and barriers
      observers_;
};

}  // namespace tilelab::simt
