// What a status of waitpid says: each signal, by itself and as the exit status that a sandbox makes of it.
#include "runner/child_end.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab;
using protocol::Status;

TEST_CASE("a limit of ours and an abort of ours are no crash of the kernel", "[child-end]") {
  const auto [signal, end, status, limit] =
      GENERATE(table<int, ChildEnd, Status, std::string>({{SIGSEGV, ChildEnd::fault, Status::crash, ""},
                                                          {SIGBUS, ChildEnd::fault, Status::crash, ""},
                                                          {SIGFPE, ChildEnd::fault, Status::crash, ""},
                                                          {SIGILL, ChildEnd::fault, Status::crash, ""},
                                                          {SIGTRAP, ChildEnd::fault, Status::crash, ""},
                                                          {SIGABRT, ChildEnd::abort, Status::internal_error, ""},
                                                          {SIGXCPU, ChildEnd::processor_time, Status::timeout, "processor-time"},
                                                          {SIGXFSZ, ChildEnd::file_size, Status::internal_error, "file-size"},
                                                          {SIGKILL, ChildEnd::outside, Status::internal_error, ""},
                                                          {SIGTERM, ChildEnd::outside, Status::internal_error, ""},
                                                          {SIGINT, ChildEnd::outside, Status::internal_error, ""},
                                                          {SIGHUP, ChildEnd::outside, Status::internal_error, ""},
                                                          {SIGQUIT, ChildEnd::outside, Status::internal_error, ""},
                                                          {SIGSYS, ChildEnd::outside, Status::internal_error, ""}}));
  for (const int waited : {signal, (128 + signal) << 8}) {
    CAPTURE(signal, waited);
    CHECK(how_ended(waited) == end);
    CHECK(status_of_ours(how_ended(waited)) == status);
    CHECK(limit_met(waited) == limit);
    CHECK(end_in_words(waited).ends_with(strsignal(signal)));
  }
}

TEST_CASE("a status that no signal gives is the program's own", "[child-end]") {
  for (const int own : {0, 1, 3, 127, 128, 160, 255}) {
    CHECK(how_ended(own << 8) == ChildEnd::exit);
    CHECK(end_in_words(own << 8) == "ended with status " + std::to_string(own));
  }
}
