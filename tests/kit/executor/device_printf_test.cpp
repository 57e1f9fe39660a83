// printf as a kernel calls it: what is printed, what is refused, how much is kept.
#include "executor/device_impl/device_printf.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "executor/machine/machine.hpp"

extern "C" {
int tilelab_printf(const char* format, ...);
int tilelab_puts(const char* text);
int tilelab_putchar(int character);
}

using namespace tilelab::simt;

namespace {

// Runs a kernel of one thread and returns the text that it printed. A format must lie in the kernel's own memory: here, in arrays
// on its stack.
std::string printed_by(const std::function<void()>& kernel) {
  MemoryMap memory;
  const Announcer announcer;
  FiberStacks stacks(1);
  Machine machine(memory, announcer, stacks, 10'000'000);
  LaunchEvent launch;
  launch.grid = launch.block = {1, 1, 1};
  const std::size_t before = printed_text().size();
  machine.run(launch, kernel, {});
  return printed_text().substr(before);
}

template <std::size_t Size, typename... Arguments>
std::string printed(const char (&format)[Size], Arguments... arguments) {
  return printed_by([&] {
    std::array<char, Size> own;
    std::copy(format, format + Size, own.begin());
    tilelab_printf(own.data(), arguments...);
  });
}

template <std::size_t Size, typename... Arguments>
void check_as_the_c_library(const char (&format)[Size], Arguments... arguments) {
  char expected[256];
  std::snprintf(expected, sizeof expected, format, arguments...);
  CHECK(printed(format, arguments...) == expected);
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

TEST_CASE("every conversion prints as the C library prints it", "[device_printf]") {
  check_as_the_c_library("%d %i %u|", -1, 42, 3000000000u);
  check_as_the_c_library("%x %X %o %c|", 255u, 255u, 8u, 'z');
  check_as_the_c_library("%ld %lu %lld %llu %llx|", -1L, 2UL, std::numeric_limits<long long>::min(), ~0ULL, 1ULL << 40);
  CHECK(printed("%hd %hhu %hhd %hu|", 70000, 6, 300, -1) == "4464 6 44 65535|");
  check_as_the_c_library("%f %F %e %E %g %G %a|", 1.5, -2.25, 1e10, 1e-10, 0.0001, 1e20, 1.0);
  check_as_the_c_library("%5.2f|%-8d|%+d|%08x|%#x|% d|", 3.14159, 7, 7, 0xBEEFu, 255u, 3);
  check_as_the_c_library("%d %f %d %f|", 1, 2.0, 3, 4.0);
  CHECK(printed("100%%|") == "100%|");
  int local = 0;
  check_as_the_c_library("%p|", static_cast<void*>(&local));
}

TEST_CASE("%n writes nothing and is printed as it stands", "[device_printf]") {
  int written = 77;
  CHECK(printed("ab%n|", &written) == "ab%n|");
  CHECK(printed("ab%lln|", &written) == "ab%lln|");
  CHECK(written == 77);
}

TEST_CASE("a width may be an argument", "[device_printf]") {
  check_as_the_c_library("%*d|%-*d|", 5, 6, 4, 7);
  CHECK(printed("%*d|", 2'000'000'000, 6).size() <= 512);
}

TEST_CASE("what prints something else on a GPU says so, and what follows is right", "[device_printf]") {
  CHECK(printed("%zu %d|", std::size_t{7}, 3) == "(a kernel's printf has no %zu) 3|");
  CHECK(printed("%.*f %d|", 2, 1.5, 3) == "(a kernel's printf has no %.*f) 3|");
  CHECK(printed("%s|", static_cast<const char*>(nullptr)) == "(null)|");
}

TEST_CASE("printf returns the number of its arguments", "[device_printf]") {
  const std::array<char, 4> plain{"abc"};
  const std::array<char, 10> three{"%d %d %s\n"};
  int returned[2] = {-1, -1};
  printed_by([&] {
    std::array<char, 4> own = plain;
    std::array<char, 10> other = three;
    returned[0] = tilelab_printf(own.data());
    returned[1] = tilelab_printf(other.data(), 1, 2, own.data());
  });
  CHECK(returned[0] == 0);
  CHECK(returned[1] == 3);
}

TEST_CASE("unknown conversions are passed over", "[device_printf]") {
  CHECK(printed("%y|") == "%y|");
  CHECK(printed("%m|") == "%m|");
  CHECK(printed("%") == "");
  CHECK(printed("%l") == "");
}

TEST_CASE("a string is read only where the submission owns it", "[device_printf]") {
  static const char of_the_kit[] = "secret";
  CHECK(printed("%s|", of_the_kit) == "(unreadable)|");
  CHECK(printed("%s|", reinterpret_cast<const char*>(8)) == "(unreadable)|");
  CHECK(printed_by([] { tilelab_printf(of_the_kit); }) == "(unreadable)");
  CHECK(printed_by([] { tilelab_puts(of_the_kit); }) == "(unreadable)\n");
  CHECK(printed_by([] {
          const char format[] = "%s %.2s|", own[] = "tile";
          tilelab_printf(format, own, own);
        }) == "tile ti|");
}

TEST_CASE("a string in a buffer is printed, and one without an end misses the buffer", "[device_printf]") {
  MemoryMap memory;
  Region letters;
  letters.name = "letters";
  letters.bytes = 4;
  const Region& placed = memory.add_buffer(letters);
  auto* const text = reinterpret_cast<char*>(placed.base);
  Announcer announcer;
  struct Watch final : Observer {
    bool watches(Space) const override { return true; }
    void on_access(const Access& access) override { read += access.size; }
    void on_stray(const Access& access, const Region*) override { missed = access.address; }
    std::size_t read = 0;
    std::uintptr_t missed = 0;
  } watch;
  announcer.add(watch);
  FiberStacks stacks(1);
  const auto run = [&](const char* content) {
    std::memcpy(text, content, 4);
    watch.read = 0;
    watch.missed = 0;
    Machine machine(memory, announcer, stacks, 10'000'000);
    LaunchEvent launch;
    launch.grid = launch.block = {1, 1, 1};
    const std::size_t before = printed_text().size();
    machine.run(launch,
                [text] {
                  const char format[] = "%s|";
                  tilelab_printf(format, text);
                },
                {});
    return printed_text().substr(before);
  };
  CHECK(run("ab\0") == "ab|");
  CHECK(watch.read == 3);
  CHECK(watch.missed == 0);
  CHECK(run("abcd") == "(unreadable)|");
  CHECK(watch.missed == placed.base + 4);
}

TEST_CASE("a string that runs off the stack's end is not read further", "[device_printf]") {
  CHECK(printed_by([] {
          auto* end = reinterpret_cast<char*>(Machine::current().running().stack_high);
          const char format[] = "%s|";
          tilelab_printf(format, end);
        }) == "(unreadable)|");
}

TEST_CASE("a huge width prints no more than a line's worth", "[device_printf]") {
  const std::string text = printed("%100000000d|", 7);
  CHECK(text.size() <= 512);
  CHECK(text.back() == '|');
  CHECK(printed("%.999999f|", 1.0).size() <= 512);
}

TEST_CASE("puts and putchar print what they are given", "[device_printf]") {
  CHECK(printed_by([] {
          const char own[] = "line";
          tilelab_puts(own);
          tilelab_putchar('x');
          tilelab_putchar('\n');
        }) == "line\nx\n");
}

TEST_CASE("a flood is cut at the limit", "[device_printf]") {
  const pid_t child = fork();  // in its own process, because nothing is printed after it
  REQUIRE(child >= 0);
  if (child == 0) {
    printed_by([] {
      const char own[] = "0123456789abcdef0123456789abcdef";
      for (int i = 0; i < 10'000; ++i) {
        tilelab_printf(own);
        tilelab_puts(own);
        tilelab_putchar('!');
      }
    });
    _exit(printed_text().size() == max_printed_bytes ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

#pragma GCC diagnostic pop
