// The observers of a launch, joined so that an access costs one call for all of them: those that every launch has, and those that count
// memory traffic where somebody asks for it. What only some launches request besides (a trace) is added to the announcer by itself.
#pragma once

#include <tuple>

#include "executor/announcer.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/local_memory.hpp"
#include "executor/observers/barrier_checker.hpp"
#include "executor/observers/bounds_checker.hpp"
#include "executor/observers/race_detector.hpp"
#include "executor/observers/request_counter.hpp"
#include "executor/observers/uninitialized_reads.hpp"
#include "executor/observers/work_counters.hpp"
#include "executor/redundant_reads.hpp"

namespace tilelab::simt {

class ObserverList {
 public:
  explicit ObserverList(RaceDetector::SameValue same_value = RaceDetector::SameValue::races);
  ~ObserverList();
  ObserverList(const ObserverList&) = delete;
  ObserverList& operator=(const ObserverList&) = delete;

  // The announcer must not outlive this.
  void join(Announcer& announcer);

  FindingLog& log() { return log_; }
  template <typename One>
  One& get() {
    return std::get<One>(observers_);
  }

 private:
  // A line here registers an observer. They get each access in this order.
  using Observers = std::tuple<  // what each finds:
      RaceDetector,              // races. It must be first: it offers redundant reads, and later observers may drop them
      BoundsChecker,             // accesses out of bounds, misaligned ones, writes to inputs
      UninitializedReads,        // reads of memory that nobody wrote
      BarrierChecker,            // barriers that not every thread reaches, masks without the caller, shuffles from lanes that take no part
      AccessCounter>;            // nothing: it counts bytes and barriers

  FindingLog log_;
  RedundantReads redundant_;
  Observers observers_;
};

class TrafficObservers {
 public:
  explicit TrafficObservers(LoopMap loops);
  ~TrafficObservers();
  TrafficObservers(const TrafficObservers&) = delete;
  TrafficObservers& operator=(const TrafficObservers&) = delete;

  // The announcer must not outlive this.
  void join(Announcer& announcer);

  LocalMemory& locals() { return locals_; }
  const LocalMemory& locals() const { return locals_; }
  const RequestCounter& requests() const { return requests_; }
  const ThreadShare& share() const { return share_; }

 private:
  LocalMemory locals_;
  RequestCounter requests_;
  ThreadShare share_;
  std::tuple<RequestCounter&, ThreadShare&> both_{requests_, share_};
};

}  // namespace tilelab::simt
