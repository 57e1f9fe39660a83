// Passes events on to the observers that asked for them.
#pragma once

#include <array>
#include <vector>

#include "simt/event.hpp"

namespace tilelab::simt {

class Announcer {
 public:
  void add(Observer& observer) {
    all_.push_back(&observer);
    if (observer.follows_control()) control_.push_back(&observer);
    for (const Space space : {Space::global, Space::shared, Space::module}) {
      if (observer.watches(space)) by_space_[static_cast<std::size_t>(space)].push_back(&observer);
    }
  }

  void access(const Access& access) const {
    for (Observer* observer : by_space_[static_cast<std::size_t>(access.space)]) observer->on_access(access);
  }

  bool control_is_followed() const { return !control_.empty(); }

  template <typename... Parameters, typename... Arguments>
  void announce_control(void (Observer::*event)(Parameters...), const Arguments&... arguments) const {
    for (Observer* observer : control_) (observer->*event)(arguments...);
  }

  template <typename... Parameters, typename... Arguments>
  void announce(void (Observer::*event)(Parameters...), const Arguments&... arguments) const {
    for (Observer* observer : all_) (observer->*event)(arguments...);
  }

 private:
  std::vector<Observer*> all_, control_;
  std::array<std::vector<Observer*>, 3> by_space_;
};

}  // namespace tilelab::simt
