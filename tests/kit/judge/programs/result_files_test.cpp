// What a program leaves as its result: forms of text that are right, and files that look like a result.
#include "judge/programs/result_files.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
namespace fs = std::filesystem;

namespace {

struct Place {
  fs::path path = fs::temp_directory_path() / ("tilelab-results-" + std::to_string(getpid()));
  Place() { fs::create_directories(path); }
  ~Place() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
};

judge::ResultFile asked(std::vector<double> values = {1.25, -2.5, 3.75, 4.125}) {
  judge::ResultFile result{.name = "data/0/result.raw", .expectation = {.rows = 2, .columns = 2, .values = std::move(values)}};
  result.expectation.bounds.assign(4, 1e-6);
  return result;
}

bool is_right(const std::string& text, const judge::ResultFile& result) {
  const Place place;
  place.write(result.name, text);
  const auto found = judge::found_result(result, judge::DataFolder(place.path), "");
  return found.values && !judge::compare(*found.values, found.expectation, {});
}

}  // namespace

TEST_CASE("a text is right as printf and streams write it", "[result-files]") {
  const std::string text =
      GENERATE("1.25 -2.5 3.75 4.125", "2 2\r\n1.250000 -2.500000 \r\n3.750000 4.125000 \r\n\r\n", "4\n1.25\n-2.5\n3.75\n4.125\n",
               "\t+1.25e0 -2.50E+00 3.75 4.12", "1.25 -2.50 3.75 4.13", "2 2 1.2500001 -2.5 3.75 4.125");
  CAPTURE(text);
  CHECK(is_right(text, asked()));
}

TEST_CASE("a text that says too little or something else is wrong", "[result-files]") {
  const std::string text = GENERATE("", "0e9 0e9 0e9 0e9", "0e999999999999 0 0 0", "1e999999 -2.5 3.75 4.125", "nan nan nan nan",
                                    "1 -2 4 4", "1.25 -2.5 3.75", "1.25 -2.5 3.75 4.125 0", "1.25, -2.5, 3.75, 4.125",
                                    "2 3 1.25 -2.5 3.75 4.125", "1.25 -2.5 3.75 4.15", "inf 1 1 1", "0 0 0 0e3");
  CAPTURE(text);
  CHECK_FALSE(is_right(text, asked()));
}

TEST_CASE("a very long number, and a file without an end, are given up", "[result-files]") {
  CHECK_FALSE(is_right("1." + std::string(4000, '2') + " 1 1 1", asked()));
  CHECK_FALSE(is_right(std::string(1 << 20, '1'), asked()));
}

TEST_CASE("a header that is asked for has to be there", "[result-files]") {
  judge::ResultFile result = asked();
  result.form = {.kind = judge::ResultForm::Kind::text, .header = {2, 2}};
  CHECK(is_right("2 2\n1.25 -2.5\n3.75 4.125\n", result));
  CHECK_FALSE(is_right("1.25 -2.5\n3.75 4.125\n", result));
  CHECK_FALSE(is_right("2 3\n1.25 -2.5\n3.75 4.125\n", result));
}

TEST_CASE("bytes are right with their header alone", "[result-files]") {
  judge::ResultFile result = asked();
  result.form = {.kind = judge::ResultForm::Kind::binary, .header = {2, 2}};
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const std::string header = text(encoded(ElementType::i32, std::vector<double>{2, 2}));
  const std::string numbers = text(encoded(ElementType::f32, result.expectation.values));
  CHECK(is_right(header + numbers, result));
  CHECK_FALSE(is_right(numbers, result));
  CHECK_FALSE(is_right(numbers + header, result));
  CHECK_FALSE(is_right("1.25 -2.5 3.75 4.125", result));
}

TEST_CASE("bytes that are letters and digits are bytes, where they are right", "[result-files]") {
  judge::ResultFile result{.name = "c.bin", .expectation = {}};
  const std::string bytes = GENERATE("ABCD", "1234", "1e+2", " 12\n");
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  result.expectation = {.rows = 1, .columns = 1, .values = {value}, .bounds = {1e-6 * std::abs(value)}};
  CAPTURE(bytes);
  CHECK(is_right(bytes, result));
  CHECK_FALSE(is_right("ABCE", result));
  result.expectation.values = {100};
  result.expectation.bounds = {1e-6};
  CHECK(is_right("1e+2", result));
  CHECK_FALSE(is_right("1234", result));
}

TEST_CASE("whole numbers of a text are exact", "[result-files]") {
  judge::ResultFile result = asked({100000, 2, 3, 4});
  result.type = ElementType::i32;
  result.expectation.bounds.clear();
  CHECK(is_right("100000 2 3 4", result));
  CHECK_FALSE(is_right("1.0e5 2.1 3 4", result));
  CHECK_FALSE(is_right("99999 2 3 4", result));
}

TEST_CASE("numbers on standard output stand behind their words", "[result-files]") {
  const Place place;
  judge::ResultFile result = asked();
  result.name.clear();
  result.form.behind = "result:";
  const auto found = [&](const std::string& printed) { return judge::found_result(result, judge::DataFolder(place.path), printed); };
  CHECK(found("result: nothing yet\nresult: 1.25 -2.5\n3.75 4.125\ndone in 3 ms").values);
  CHECK_FALSE(found("1.25 -2.5 3.75 4.125").values);
  CHECK_FALSE(found("result: 1.25 -2.5 done").values);
}

TEST_CASE("a file in folders is made, and a link on the way is not followed", "[result-files]") {
  const Place place;
  const judge::DataFolder folder(place.path);
  judge::DataFile file = judge::data_file("data/0/input.raw", ElementType::f32, {1, 2});
  folder.fill({file});
  REQUIRE(folder.read("data/0/input.raw", 100).content == file.content);
  CHECK_FALSE(folder.read("data/1/input.raw", 100).content);
  fs::create_directory_symlink(place.path / "data", place.path / "link");
  CHECK_FALSE(folder.read("link/0/input.raw", 100).content);
  file.name = GENERATE("../outside", "data/../../outside", "/tmp/outside", "data//x");
  CHECK_THROWS(folder.fill({file}));
}
