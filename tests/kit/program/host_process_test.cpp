// What is seen of a program from outside while its processes come, wait and go.
#include "program/host_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using namespace std::chrono_literals;

TEST_CASE("processes that end while they are looked at do no harm", "[host-clock]") {
  const pid_t parent = fork();
  if (parent == 0) {
    for (int i = 0; i < 400; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      waitpid(child, nullptr, 0);
    }
    _exit(0);
  }
  while (waitpid(parent, nullptr, WNOHANG) == 0) CHECK_NOTHROW(program::activity_of(parent));
  CHECK_FALSE(program::activity_of(parent).is_waiting);  // nothing is known of what is not there
}

TEST_CASE("a program is idle once it has waited at every look, and no longer when it asks", "[host-clock]") {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  program::HostClock clock(child, 0ms, 500ms), patient(child, 1h);
  CHECK_FALSE(clock.is_idle());
  while (!clock.is_idle()) usleep(1000);
  CHECK_FALSE(patient.is_idle());
  clock.heard_of_it();
  CHECK_FALSE(clock.is_idle());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}
