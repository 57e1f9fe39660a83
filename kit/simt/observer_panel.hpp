// The observers of every launch, joined so that an access costs one call for all of them. Observers that only some launches
// request (traffic, a trace) are added separately.
#pragma once

#include "simt/announcer.hpp"
#include "simt/finding_log.hpp"
#include "simt/observer_seats.hpp"
#include "simt/observers/access_counter.hpp"
#include "simt/observers/barrier_checker.hpp"
#include "simt/observers/bounds_checker.hpp"
#include "simt/observers/input_guard.hpp"
#include "simt/observers/lane_checker.hpp"
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
  // A line here registers an observer. They get each access in this order.
  ObserverSeats<           // what each finds:
      RaceDetector,        // races. It must be first: it offers redundant reads, and later observers may drop them
      BoundsChecker,       // accesses out of bounds, misaligned ones
      UninitializedReads,  // reads of memory that nobody wrote
      BarrierChecker,      // barriers that not every thread of a block reaches
      LaneChecker,         // masks without the caller, shuffles from lanes that take no part
      InputGuard,          // writes to inputs
      AccessCounter>       // nothing: it counts bytes and barriers
      observers_;
};

}  // namespace tilelab::simt
