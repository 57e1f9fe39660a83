// This file is compiled with the executor, so that the compiler inlines the observers' checks into the one call for an access.
#include "executor/observer_list.hpp"

#include <type_traits>
#include <utility>

namespace tilelab::simt {
namespace {

template <typename One>
One made(FindingLog& log, RaceDetector::SameValue same_value) {
  if constexpr (std::is_constructible_v<One, FindingLog&, RaceDetector::SameValue>) {
    return One(log, same_value);
  } else if constexpr (std::is_constructible_v<One, FindingLog&>) {
    return One(log);
  } else {
    return One();
  }
}

template <typename... Each>
std::tuple<Each...> all_made(const std::tuple<Each...>*, FindingLog& log, RaceDetector::SameValue same_value) {
  return std::tuple<Each...>(made<Each>(log, same_value)...);
}

}  // namespace

ObserverList::ObserverList(RaceDetector::SameValue same_value)
    : observers_(all_made(static_cast<const Observers*>(nullptr), log_, same_value)) {}
ObserverList::~ObserverList() = default;

void ObserverList::join(Announcer& announcer) { announcer.add_together(observers_, &redundant_); }

TrafficObservers::TrafficObservers(LoopMap loops) : requests_(std::move(loops)), share_(locals_, &requests_.warps()) {}
TrafficObservers::~TrafficObservers() = default;

void TrafficObservers::join(Announcer& announcer) {
  announcer.add_together(both_);
  announcer.tell_directly(requests_.warps());
}

}  // namespace tilelab::simt
