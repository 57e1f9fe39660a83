// Passes events to the observers that asked for them.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/sealed_tables.hpp"
#include "executor/observers/warp_requests.hpp"

namespace tilelab::simt {

class Announcer {
 public:
  void add(Observer& observer) {
    hear(observer);
    const auto tell = [](void* who, const Access& access) { static_cast<Observer*>(who)->on_access(access); };
    for (const Space space : spaces) {
      if (!observer.watches(space)) continue;
      listeners(by_space_, space).push_back({&observer, tell});
      if (observer.needs_every_read()) listeners(followers_, space).push_back({&observer, tell});
    }
  }

  // Adds several observers whose types are known. An access costs one call for all of them, and the compiler inlines their most
  // frequent checks into that call. The tuple and `redundant` must outlive the announcer. `redundant` keeps the reads that none of
  // them needs. Without it, they hear of those that others keep.
  template <typename... Observers>
  void add_together(std::tuple<Observers...>& observers, RedundantReads* redundant = nullptr) {
    if (redundant != nullptr) redundant_ = redundant;
    std::apply([this](Observers&... each) { (hear(each), ...); }, observers);
    const std::array<Tell, 3> tells{&tell_all<Space::global, Observers...>, &tell_all<Space::shared, Observers...>,
                                    &tell_all<Space::module, Observers...>};
    const bool every_read = std::apply([](Observers&... each) { return (hears_every_read(each) || ...); }, observers);
    if (redundant != nullptr && every_read) every_read_ = true;
    for (const Space space : spaces) {
      const Listener all{&observers, tells[static_cast<std::size_t>(space)]};
      listeners(by_space_, space).push_back(all);
      if (redundant == nullptr && every_read) listeners(followers_, space).push_back(all);
    }
  }

  // Where nobody else hears of redundant reads and of edges than whoever keeps these requests, the machine may tell them itself.
  void tell_directly(WarpRequests& requests) { requests_ = &requests; }
  WarpRequests* requests_told_directly() const {
    const bool are_alone = std::all_of(followers_.begin(), followers_.end(), [](const auto& one) { return one.size() == 1; });
    return are_alone && control_.size() == 1 ? requests_ : nullptr;
  }

  void access(const Access& access) const {
    for (const Listener& listener : by_space_[static_cast<std::size_t>(access.space)]) listener.tell(listener.who, access);
  }
  // A redundant read: only those hear of it that need every read.
  void redundant_read(const Access& access) const {
    for (const Listener& listener : followers_[static_cast<std::size_t>(access.space)]) listener.tell(listener.who, access);
  }

  // Who hears of what. It stays as it is while a launch runs.
  void seal_in(SealedTables& tables) const {
    tables.add(this, sizeof *this);
    tables.add(all_);
    tables.add(control_);
    for (const auto& listeners : by_space_) tables.add(listeners);
    for (const auto& listeners : followers_) tables.add(listeners);
    for (const Observer* observer : all_) tables.add(observer, sizeof(void*));  // its virtual table
  }

  // Null if one of the observers that it was made for needs every read.
  RedundantReads* redundant() const { return every_read_ ? nullptr : redundant_; }
  // Whether anybody hears of redundant reads.
  bool reads_are_followed() const {
    return std::any_of(followers_.begin(), followers_.end(), [](const auto& listeners) { return !listeners.empty(); });
  }
  bool control_is_followed() const { return !control_.empty(); }
  bool standstills_are_seen() const { return standstills_are_seen_; }

  template <typename... Parameters, typename... Arguments>
  void announce_control(void (Observer::*event)(Parameters...), const Arguments&... arguments) const {
    for (Observer* observer : control_) (observer->*event)(arguments...);
  }

  template <typename... Parameters, typename... Arguments>
  void announce(void (Observer::*event)(Parameters...), const Arguments&... arguments) const {
    for (Observer* observer : all_) (observer->*event)(arguments...);
  }

 private:
  using Tell = void (*)(void* who, const Access& access);
  struct Listener {
    void* who;
    Tell tell;
  };
  using BySpace = std::array<std::vector<Listener>, 3>;
  static constexpr std::array spaces{Space::global, Space::shared, Space::module};

  static std::vector<Listener>& listeners(BySpace& all, Space space) { return all[static_cast<std::size_t>(space)]; }
  static bool hears_every_read(const Observer& observer) {
    const auto watched = [&observer](Space space) { return observer.watches(space); };
    return observer.needs_every_read() && std::any_of(spaces.begin(), spaces.end(), watched);
  }
  void hear(Observer& observer) {
    all_.push_back(&observer);
    if (observer.follows_control()) control_.push_back(&observer);
    standstills_are_seen_ = standstills_are_seen_ || observer.sees_standstills();
  }

  template <Space space, typename... Observers>
  static void tell_all(void* who, const Access& access) {
    const auto tell = [&access]<typename One>(One& one) {
      if (one.One::watches(space)) one.One::on_access(access);  // One:: makes the call direct and not virtual
    };
    std::apply([&tell](Observers&... each) { (tell(each), ...); }, *static_cast<std::tuple<Observers...>*>(who));
  }

  std::vector<Observer*> all_, control_;
  BySpace by_space_, followers_;  // followers_: of redundant reads
  RedundantReads* redundant_ = nullptr;
  WarpRequests* requests_ = nullptr;
  bool every_read_ = false, standstills_are_seen_ = false;
};

}  // namespace tilelab::simt
