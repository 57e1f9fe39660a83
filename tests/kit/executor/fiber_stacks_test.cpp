// Stacks are separate, guarded and reused.
#include "executor/scheduler/fiber_stacks.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

TEST_CASE("the stack given back last is taken next, and no two threads hold one", "[fiber_stacks]") {
  FiberStacks stacks(4);
  CHECK(stacks.take() == 0);
  CHECK(stacks.take() == 1);
  stacks.give_back(0);
  CHECK(stacks.take() == 0);
  stacks.take_back_all();
  std::set<std::size_t> taken;
  for (int i = 0; i < 4; ++i) taken.insert(stacks.take());
  CHECK(taken.size() == 4);
}

TEST_CASE("below each stack lies a guard page, and a stack is none", "[fiber_stacks]") {
  const FiberStacks stacks(3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(stacks.high(i) - stacks.low(i) == FiberStacks::stack_bytes);
    CHECK(stacks.is_guard(stacks.low(i) - 1));
    CHECK_FALSE(stacks.is_guard(stacks.low(i)));
    CHECK_FALSE(stacks.is_guard(stacks.high(i) - 1));
  }
  CHECK(stacks.is_guard(stacks.high(0)));  // the guard of the next stack
  CHECK_FALSE(stacks.is_guard(stacks.high(2)));
  CHECK_FALSE(stacks.is_guard(0));
}

TEST_CASE("a thread begins inside its own stack, and neighbours not at the same place of a page", "[fiber_stacks]") {
  const FiberStacks stacks(3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(stacks.top(i) <= stacks.high(i));
    CHECK(stacks.high(i) - stacks.top(i) < 2048);  // most threads need only this one page
    CHECK(stacks.top(i) % 16 == 0);
  }
  CHECK(stacks.top(0) % 4096 != stacks.top(1) % 4096);
}

TEST_CASE("a write below a stack that was taken is caught", "[fiber_stacks]") {
  FiberStacks stacks(2);
  for (int i = 0; i < 2; ++i) {
    const std::size_t taken = stacks.take();
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGSEGV, SIG_DFL);
      *reinterpret_cast<volatile char*>(stacks.low(taken)) = 1;  // inside the stack: no crash
      *reinterpret_cast<volatile char*>(stacks.low(taken) - 1) = 1;
      _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
  }
}
