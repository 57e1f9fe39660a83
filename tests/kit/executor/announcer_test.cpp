// Observers get the accesses to the spaces that they watch, and all other events, in the order in which the observers were added.
#include "executor/announcer.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

class Listener final : public Observer {
 public:
  Listener(std::string& heard, char name, Space watched) : heard_(heard), name_(name), watched_(watched) {}
  bool watches(Space space) const override { return space == watched_; }
  void on_access(const Access&) override { heard_ += name_; }
  void on_block_begin(std::uint64_t block) override { heard_ += name_ + std::to_string(block); }

 private:
  std::string& heard_;
  char name_;
  Space watched_;
};

}  // namespace

TEST_CASE("an access is announced to those who watch its space, in the order they came", "[announcer]") {
  std::string heard;
  Listener a(heard, 'a', Space::shared), b(heard, 'b', Space::global), c(heard, 'c', Space::shared), d(heard, 'd', Space::module);
  Announcer announcer;
  for (Observer* observer :
       {static_cast<Observer*>(&c), static_cast<Observer*>(&a), static_cast<Observer*>(&b), static_cast<Observer*>(&d)}) {
    announcer.add(*observer);
  }
  Access access;
  access.space = Space::shared;
  announcer.access(access);
  CHECK(heard == "ca");
  heard.clear();
  access.space = Space::global;
  announcer.access(access);
  access.space = Space::module;
  announcer.access(access);
  CHECK(heard == "bd");
}

TEST_CASE("other events are announced to everybody", "[announcer]") {
  std::string heard;
  Listener a(heard, 'a', Space::shared), b(heard, 'b', Space::global);
  Announcer announcer;
  announcer.add(a);
  announcer.add(b);
  announcer.announce(&Observer::on_block_begin, std::uint64_t{7});
  announcer.announce(&Observer::on_launch_end);
  CHECK(heard == "a7b7");
}

TEST_CASE("standstills are asked for only where somebody sees them", "[announcer]") {
  struct Follower : Observer {
    bool follows_control() const override { return true; }
    void on_standstill(const StandstillEvent&) override { ++told; }
    int told = 0;
  };
  struct Watcher final : Follower {
    bool sees_standstills() const override { return true; }
  };
  Follower follower;
  Watcher watcher;
  Announcer announcer;
  announcer.add(follower);
  CHECK_FALSE(announcer.standstills_are_seen());
  announcer.add(watcher);
  CHECK(announcer.standstills_are_seen());
  announcer.announce(&Observer::on_standstill, StandstillEvent{});
  CHECK(watcher.told == 1);
}
