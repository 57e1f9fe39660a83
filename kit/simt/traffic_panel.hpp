// What counts a launch's memory traffic, where somebody asks for it, joined so that an access costs one call for all of it. It finds
// nothing. The observers of every launch are in observer_panel.hpp.
#pragma once

#include <tuple>
#include <utility>

#include "simt/announcer.hpp"
#include "simt/memory/local_memory.hpp"
#include "simt/observers/loop_map.hpp"
#include "simt/observers/request_counter.hpp"
#include "simt/observers/thread_share.hpp"

namespace tilelab::simt {

class TrafficPanel {
 public:
  explicit TrafficPanel(LoopMap loops) : requests_(std::move(loops)), share_(locals_, &requests_.warps()) {}
  TrafficPanel(const TrafficPanel&) = delete;
  TrafficPanel& operator=(const TrafficPanel&) = delete;

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
