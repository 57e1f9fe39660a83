// Passes events to the observers that asked for them.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "simt/event.hpp"
#include "simt/sealed_tables.hpp"

namespace tilelab::simt {

class Announcer {
 public:
  void add(Observer& observer) {
    hear(observer);
    const auto tell = [](void* who, const Access& access) { static_cast<Observer*>(who)->on_access(access); };
    for (const Space space : spaces) {
      if (observer.watches(space)) by_space_[static_cast<std::size_t>(space)].push_back({&observer, tell});
    }
  }

  // Adds several observers whose types are known. An access costs one call for all of them, and the compiler inlines their most
  // frequent checks into that call. The tuple and `redundant` must outlive the announcer. `redundant` keeps the reads that no
  // observer needs.
  template <typename... Observers>
  void add_together(std::tuple<Observers&...>& observers, RedundantReads* redundant = nullptr) {
    redundant_ = redundant;
    std::apply([this](Observers&... each) { (hear(each), ...); }, observers);
    by_space_[0].push_back({&observers, &tell_all<Space::global, Observers...>});
    by_space_[1].push_back({&observers, &tell_all<Space::shared, Observers...>});
    by_space_[2].push_back({&observers, &tell_all<Space::module, Observers...>});
  }

  void access(const Access& access) const {
    for (const Listener& listener : by_space_[static_cast<std::size_t>(access.space)]) listener.tell(listener.who, access);
  }

  // Who hears of what. It stays as it is while a launch runs.
  void seal_in(SealedTables& tables) const {
    tables.add(this, sizeof *this);
    tables.add(all_);
    tables.add(control_);
    for (const auto& listeners : by_space_) tables.add(listeners);
    for (const Observer* observer : all_) tables.add(observer, sizeof(void*));  // its virtual table
  }

  // Null if an observer needs every read.
  RedundantReads* redundant() const { return every_read_ ? nullptr : redundant_; }
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
  struct Listener {
    void* who;
    void (*tell)(void* who, const Access& access);
  };
  static constexpr std::array spaces{Space::global, Space::shared, Space::module};

  void hear(Observer& observer) {
    all_.push_back(&observer);
    if (observer.follows_control()) control_.push_back(&observer);
    const auto watched = [&observer](Space space) { return observer.watches(space); };
    if (observer.needs_every_read() && std::any_of(spaces.begin(), spaces.end(), watched)) every_read_ = true;
  }

  template <Space space, typename... Observers>
  static void tell_all(void* who, const Access& access) {
    const auto tell = [&access]<typename One>(One& one) {
      if (one.One::watches(space)) one.One::on_access(access);  // One:: makes the call direct and not virtual
    };
    std::apply([&tell](Observers&... each) { (tell(each), ...); }, *static_cast<std::tuple<Observers&...>*>(who));
  }

  std::vector<Observer*> all_, control_;
  std::array<std::vector<Listener>, 3> by_space_;
  RedundantReads* redundant_ = nullptr;
  bool every_read_ = false;
};

}  // namespace tilelab::simt
