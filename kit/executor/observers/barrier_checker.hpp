// Finds barriers that not every thread of the block reaches. Waiting at different barriers is an error, and so is going past a
// barrier to the kernel's end. Returning before a barrier is legal since Volta; it gets a note, because data that the missing thread
// should have loaded may be missing too. A lab may call it an error.
//
// Also calls of warp functions whose result CUDA leaves undefined: a mask that does not contain the calling lane, and a shuffle from a
// lane that does not take part.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/observers/barrier_places.hpp"
#include "executor/observers/race_detector.hpp"

namespace tilelab::simt {

class BarrierChecker final : public Observer {
 public:
  explicit BarrierChecker(FindingLog& log) : log_(log) {}

  // `places` and `accesses` must outlive the launch. Without this call, nothing is known of return statements.
  void know(const BarrierPlaces& places, const RaceDetector& accesses, bool early_return_is_error) {
    places_ = &places;
    accesses_ = &accesses;
    early_return_is_error_ = early_return_is_error;
  }

  void on_divergence(const DivergenceEvent& event) override {
    RawFinding finding =
        finding_at(Verdict::barrier_divergence, {event.first_pc, "barrier", event.first}, {event.second_pc, "barrier", event.second});
    finding.bound = event.within_warp ? 1 : 0;
    log_.report(finding);
  }

  void on_absence(const AbsenceEvent& event) override {
    RawFinding finding = finding_at(Verdict::barrier_divergence, {event.pc, "barrier", event.waiting});
    const bool skipped = places_ == nullptr || places_->is_skipped(event);
    finding.bound = event.count;
    finding.interval = event.interval;
    finding.about = skipped ? RawFinding::About::skipped : RawFinding::About::returned;
    finding.note = !skipped && !early_return_is_error_;
    finding.other = {skipped ? 0 : event.left_by, skipped ? "skip" : "return", event.absent};
    if (skipped && places_ != nullptr) {
      const auto conditions = places_->conditions(event.path);
      if (conditions.size() <= finding.conditions.size()) std::ranges::copy(conditions, finding.conditions.begin());
    }
    if (!skipped && accesses_ != nullptr && is_lowest(event)) finding.missed = accesses_->missed_by(event.absent.thread, event.present);
    log_.report(finding);
  }

  // What a shuffle brings from a lane that is not there is like memory that nobody wrote: bringing it is no mistake, using it is.
  void on_undefined_lane(const LaneEvent& event) override {
    const bool is_mask = event.why == LaneEvent::Why::mask_without_caller;
    RawFinding finding =
        finding_at(is_mask ? Verdict::barrier_divergence : Verdict::uninitialized_read, {event.pc, is_mask ? "mask" : "shuffle", event.by});
    finding.about = RawFinding::About::lane;
    finding.lane = event;
    log_.report(finding);
  }

  void on_launch_begin(const LaunchEvent& launch) override { launch_ = launch; }
  void on_grid_begin(const GridEvent& child) override { launch_.grid = child.grid, launch_.block = child.block; }
  void on_stuck(const StuckEvent& event) override {
    RawFinding finding = finding_at(Verdict::barrier_divergence, {event.pc, "barrier", event.waiting});
    finding.region = event.region;
    finding.offset = event.offset;
    finding.size = 8;
    if (event.other_pc != 0) finding.other = {event.other_pc, "barrier", event.other};
    finding.what = log_.keep(event.ready ? stuck(event) : "uses " + barrier_of(event) + ", but no thread has called init() for it before");
    log_.report(finding);
  }
  void on_desertion(const DesertionEvent& event) override {
    const bool of_block = event.waiting.block == event.gone.block;
    const std::string gone = of_block ? "thread " + in_brackets(index_of(event.gone.thread, launch_.block)) + " of its block"
                                      : "block " + in_brackets(index_of(event.gone.block, launch_.grid));
    RawFinding finding = finding_at(Verdict::barrier_divergence, {event.pc, "barrier", event.waiting});
    finding.what = log_.keep("waits here until the whole grid has arrived, but " + gone +
                             " has left the kernel and never arrives: on a GPU the launch hangs");
    log_.report(finding);
  }

 private:
  // Of all blocks, the lowest is shown. So only for such a block it is worked out what is missing.
  bool is_lowest(const AbsenceEvent& event) {
    const auto [lowest, fresh] = asked_.try_emplace({event.pc, event.left_by}, event.waiting.block);
    if (!fresh && event.waiting.block > lowest->second) return false;
    lowest->second = event.waiting.block;
    return true;
  }

  static std::string barrier_of(const StuckEvent& event) {
    if (event.region == nullptr) return "a barrier";
    return event.region->bytes > 8 && event.region->dimensions.empty() ? "a barrier of {array}" : "the barrier {element}";
  }

  std::string stuck(const StuckEvent& event) const {
    std::string text = "waits for " + barrier_of(event) + ": ";
    if (event.arrived < event.expected || event.missing_bytes == 0)
      text += std::to_string(event.arrived) + " of the " + std::to_string(event.expected) +
              " arrivals that this phase expects have come, and no other thread can arrive";
    else
      text += "its phase expects " + std::to_string(event.missing_bytes) + " more bytes than were copied";
    const std::string other = "thread " + in_brackets(index_of(event.other.thread, launch_.block));
    if (event.other_has_left)
      text += ". For example, " + other + " has left the kernel";
    else if (event.other_pc != 0)
      text += ". For example, " + other + " waits elsewhere";
    return text + ": on a GPU the kernel hangs";
  }

  LaunchEvent launch_;
  FindingLog& log_;
  const BarrierPlaces* places_ = nullptr;
  const RaceDetector* accesses_ = nullptr;
  std::map<std::pair<std::uintptr_t, std::uintptr_t>, std::uint64_t> asked_;  // by barrier and return: the lowest block so far
  bool early_return_is_error_ = false;
};

}  // namespace tilelab::simt
