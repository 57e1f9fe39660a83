// What a host has read in one run is shown in another one.
#include "program/provenance/host_reads.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

using tilelab::program::HostReads;

namespace {

struct Record {
  std::string path = std::filesystem::temp_directory_path() / ("tilelab-reads-" + std::to_string(getpid()));
  ~Record() { std::filesystem::remove(path); }
};

std::string copied(HostReads& reads, std::uint64_t at, std::string there) {
  reads.copied(at, there.data(), there.size());
  return there;
}

}  // namespace

TEST_CASE("copies of one size at one place are shown in their order, and zeros where there are no more", "[host-reads]") {
  const Record record;
  HostReads first(record.path, {}, false);
  CHECK(copied(first, 7, "aaaa") == "aaaa");
  CHECK(copied(first, 8, "bbbb") == "bbbb");
  CHECK(copied(first, 7, "cccc") == "cccc");
  CHECK(copied(first, 7, "aaaa") == "aaaa");
  CHECK(first.printed("hello") == "hello");
  CHECK(first.learned() == 21);
  first.close();
  HostReads second({}, record.path, false);
  CHECK(copied(second, 7, "xxxx") == "aaaa");
  CHECK(copied(second, 7, "xxxx") == "cccc");
  CHECK(copied(second, 8, "xxxx") == "bbbb");
  CHECK(copied(second, 7, "xxxx") == "aaaa");
  CHECK(copied(second, 7, "xxxx") == std::string(4, '\0'));
  CHECK(copied(second, 9, "xxxxx") == std::string(5, '\0'));
  CHECK(second.printed("other") == "hello");
  CHECK(second.printed("other").empty());
}

TEST_CASE("memory that both use is shown as it was after the same launch", "[host-reads]") {
  const Record record;
  HostReads first(record.path, {}, false);
  first.next_view();
  first.viewed(2, 16, "abcd", 4);
  first.next_view();
  first.next_view();
  first.viewed(3, 0, "abcd", 4);
  first.close();
  HostReads second({}, record.path, false);
  CHECK(second.shown_view().empty());
  second.next_view();
  REQUIRE(second.shown_view().size() == 1);
  CHECK(second.shown_view()[0].allocation == 2);
  CHECK(second.shown_view()[0].first == 16);
  CHECK(std::string(second.shown_view()[0].seen, second.shown_view()[0].bytes) == "abcd");
  second.next_view();
  CHECK(second.shown_view().empty());
}

TEST_CASE("a word that was shown and comes back arrives as what was there, and others as they are", "[host-reads]") {
  const Record record;
  HostReads first(record.path, {}, false);
  copied(first, 1, "oneetwoo");
  first.close();
  HostReads second({}, record.path, true);
  CHECK(copied(second, 1, "1111****") == "oneetwoo");
  std::string memory = "twooxonetwoo";
  second.carry(memory.data(), 0, memory.size(), memory.size());
  CHECK(memory == "****xone****");
  HostReads strict({}, record.path, false);
  copied(strict, 1, "1111****");
  memory = "twoo";
  strict.carry(memory.data(), 0, 4, 4);
  CHECK(memory == "twoo");
}

TEST_CASE("a record that is cut short is refused", "[host-reads]") {
  const Record record;
  HostReads first(record.path, {}, false);
  copied(first, 1, "abcdefgh");
  first.close();
  std::filesystem::resize_file(record.path, std::filesystem::file_size(record.path) - 1);
  CHECK_THROWS_AS(HostReads({}, record.path, false), std::runtime_error);
  CHECK_THROWS_AS(HostReads({}, "/nowhere/at/all", false), std::runtime_error);
}

TEST_CASE("tags are random words, no two alike, and arrive as what was there, also where two words were alike or zero", "[host-reads]") {
  const Record record;
  HostReads first(record.path, {}, false);
  std::string alike = "samesame";
  alike.resize(12);  // and a zero
  copied(first, 1, alike);
  first.close();
  HostReads second({}, record.path, true, true);
  const std::string shown = copied(second, 1, "111122223333");
  CHECK(shown.substr(0, 4) != shown.substr(4, 4));
  CHECK(shown.substr(4, 4) != shown.substr(8, 4));
  CHECK(shown.find("same") == std::string::npos);
  CHECK(shown.find("1111") == std::string::npos);
  std::string memory(4, '\0');
  memory.append(shown, 8, 4).append(shown, 0, 8);
  second.carry(memory.data(), 0, memory.size(), memory.size());
  CHECK(memory.substr(4) == "333311112222");
  CHECK(memory.find_first_not_of('\0') == 4);
  HostReads third({}, record.path, true, true);
  CHECK(copied(third, 1, "111122223333") != shown);
}
