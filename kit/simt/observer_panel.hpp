// The observers that every launch has. Joined as one, so that an access costs one call for all of them; what only some
// launches are asked for (traffic, a trace) is added beside it.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "simt/announcer.hpp"
#include "simt/finding_log.hpp"
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
  explicit ObserverPanel(RaceDetector::SameValue same_value) : races_(log_, same_value) {}
  ObserverPanel(const ObserverPanel&) = delete;
  ObserverPanel& operator=(const ObserverPanel&) = delete;

  // `outputs`: the buffers whose contents are undefined when the kernel starts. The announcer must not outlive this.
  void join(Announcer& announcer, std::vector<const Region*> outputs);

  FindingLog& log() { return log_; }
  BoundsChecker& bounds() { return bounds_; }  // alone: for code that is not a kernel's
  const AccessCounter& counter() const { return counter_; }
  const RaceDetector& races() const { return races_; }

 private:
  // In this order: races offer redundant reads, and who hears of them later may drop them.
  using All = std::tuple<RaceDetector&, BoundsChecker&, UninitializedReads&, BarrierChecker&, InputGuard&, AccessCounter&>;

  FindingLog log_;
  RedundantReads redundant_;
  RaceDetector races_;
  BoundsChecker bounds_{log_};
  BarrierChecker barriers_{log_};
  InputGuard inputs_{log_};
  AccessCounter counter_;
  std::optional<UninitializedReads> uninitialized_;
  std::optional<All> all_;
};

}  // namespace tilelab::simt
