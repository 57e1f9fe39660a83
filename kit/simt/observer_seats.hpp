// Holds observers whose types are known, and joins them so that an access costs one call for all of them. The constructor of each
// takes the log and an option of the launch, only the log, or nothing.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>

#include "simt/announcer.hpp"
#include "simt/finding_log.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {

// Observers stay at their address: they are neither copied nor moved.
template <typename One>
struct ObserverSeat {
  template <typename Option>
  ObserverSeat(FindingLog& log, const Option& option) : observer(made(log, option)) {}

  template <typename Option>
  static One made(FindingLog& log, const Option& option) {
    if constexpr (std::is_constructible_v<One, FindingLog&, const Option&>) {
      return One(log, option);
    } else if constexpr (std::is_constructible_v<One, FindingLog&>) {
      return One(log);
    } else {
      return One();
    }
  }

  One observer;
};

template <typename... Observers>
class ObserverSeats : ObserverSeat<Observers>... {
 public:
  template <typename Option>
  ObserverSeats(FindingLog& log, const Option& option) : ObserverSeat<Observers>(log, option)... {}
  ObserverSeats(const ObserverSeats&) = delete;
  ObserverSeats& operator=(const ObserverSeats&) = delete;

  template <typename One>
  One& get() {
    return ObserverSeat<One>::observer;
  }
  void join(Announcer& announcer, RedundantReads& redundant) { announcer.add_together(all_, &redundant); }

 private:
  std::tuple<Observers&...> all_{ObserverSeat<Observers>::observer...};
};

}  // namespace tilelab::simt
