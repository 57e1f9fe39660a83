// Numbers in place of inputs, and what the host is shown of the device's memory.
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "program/memory/provenance.hpp"

using namespace tilelab::program;

namespace {

struct Pairs {
  std::filesystem::path base = std::filesystem::temp_directory_path() / ("tilelab-altered-" + std::to_string(getpid()));
  Pairs() { std::filesystem::create_directory(base); }
  ~Pairs() { std::filesystem::remove_all(base); }

  template <typename Number>
  AlterationDescription of(const std::vector<Number>& from, const std::vector<Number>& to) {
    return {write(from), write(to), sizeof(Number)};
  }

 private:
  int files_ = 0;
  template <typename Number>
  std::string write(const std::vector<Number>& numbers) {
    std::string path = base / std::to_string(files_++);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
    return path;
  }
};

using Floats = std::array<float, 4>;

char* bytes(Floats& numbers) { return reinterpret_cast<char*>(numbers.data()); }

}  // namespace

TEST_CASE("the device gets the replacements", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.25F, 2.5F}, {10.25F, 20.5F}), pairs.of<float>({3.75F}, {30.75F})});
  Floats numbers{3.75F, 1.25F, 7, 2.5F};
  altered.to_device(bytes(numbers), 0, sizeof numbers, sizeof numbers);
  CHECK(numbers == Floats{30.75F, 10.25F, 7, 20.5F});
}

TEST_CASE("a number that comes in two pieces is replaced when it is whole", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.3F}, {10.7F})});
  const float sent = 1.3F;
  Floats numbers{};
  std::memcpy(bytes(numbers) + 4, &sent, 2);
  altered.to_device(bytes(numbers), 4, 2, sizeof numbers);
  CHECK(numbers[1] != 10.7F);
  std::memcpy(bytes(numbers) + 6, reinterpret_cast<const char*>(&sent) + 2, 2);
  altered.to_device(bytes(numbers), 6, 2, sizeof numbers);
  CHECK(numbers[1] == 10.7F);
}

TEST_CASE("only numbers that lie where numbers lie are replaced", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.3F}, {10.7F}), pairs.of<double>({1.3}, {10.7})});
  const float sent = 1.3F;
  Floats numbers{};
  std::memcpy(bytes(numbers) + 2, &sent, 4);
  const Floats before = numbers;
  altered.to_device(bytes(numbers), 0, sizeof numbers, sizeof numbers);
  CHECK(numbers == before);
  std::array<double, 2> wide{1.3, -1.3};
  altered.to_device(reinterpret_cast<char*>(wide.data()), 0, sizeof wide, sizeof wide);
  CHECK(wide == std::array<double, 2>{10.7, -1.3});
}

TEST_CASE("numbers that cannot be told apart, or files that do not fit, are refused", "[altered-inputs]") {
  Pairs pairs;
  CHECK_THROWS_AS(AlteredInputs({pairs.of<float>({1, 1}, {2, 3})}), std::runtime_error);
  CHECK_THROWS_AS(AlteredInputs({pairs.of<float>({1, 2}, {3})}), std::runtime_error);
  CHECK_THROWS_AS(AlteredInputs({{"/nowhere", "/nowhere", 4}}), std::runtime_error);
}

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
