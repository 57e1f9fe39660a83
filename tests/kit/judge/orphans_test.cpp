// Who asks for the status of processes whose parents have ended.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include <catch2/catch_test_macros.hpp>

#include "judge/process/runner_process.hpp"

namespace {

// A grandchild that has ended, and whose parent has ended without asking for it.
pid_t make_orphan() {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t orphan = fork();
    if (orphan == 0) _exit(0);
    [[maybe_unused]] const ssize_t told = write(ends[1], &orphan, sizeof orphan);
    _exit(0);
  }
  pid_t orphan = 0;
  REQUIRE(read(ends[0], &orphan, sizeof orphan) == sizeof orphan);
  close(ends[0]);
  close(ends[1]);
  REQUIRE(waitpid(parent, nullptr, 0) == parent);
  return orphan;
}

}  // namespace

TEST_CASE("orphans are waited for, so that none of them counts against a user's limit", "[orphans]") {
  pid_t orphan = 0;
  {
    const tilelab::judge::OrphanCare care;
    orphan = make_orphan();
  }
  CHECK(kill(orphan, 0) == -1);  // it would still be there as a zombie
  CHECK(errno == ESRCH);
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST_CASE("without care nobody's children are waited for", "[orphans]") {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  tilelab::judge::reap_orphans();
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
}
