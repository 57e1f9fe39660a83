// Vector addition as a problem for whole programs: the files, the oracle, the device with too little memory, and what the rules read of a
// run's record.
#include "problems/vector_addition.hpp"

#include <cmath>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::vector_addition;
using judge::ProgramTrial;
using judge::RandomStream;
using nlohmann::json;

namespace {

std::vector<double> numbers_of(const judge::DataFile& file) { return decoded(ElementType::f32, file.content); }

}  // namespace

TEST_CASE("the right sums are those of fp32, and nothing else is", "[vector-addition]") {
  for (const ProgramTrial& trial : {whole_trial(500, RandomStream(1)), any_trial(500, RandomStream(2))}) {
    const std::vector<double> a = numbers_of(trial.files.at(0)), b = numbers_of(trial.files.at(1));
    std::vector<double> sums;
    for (std::size_t i = 0; i < a.size(); ++i) sums.push_back(static_cast<float>(a[i]) + static_cast<float>(b[i]));
    CHECK_FALSE(judge::compare(sums, trial.expectation, {}));
    sums[99] = std::nextafter(static_cast<float>(sums[99]), 1e38F);
    CHECK(judge::compare(sums, trial.expectation, {}));
  }
}

TEST_CASE("a program is given the names of three files, and two of them are there", "[vector-addition]") {
  const ProgramTrial trial = whole_trial(7, RandomStream(1));
  CHECK(trial.arguments == std::vector<std::string>{"a.bin", "b.bin", "c.bin"});
  CHECK(trial.files.size() == 2);
  CHECK(trial.files[1].name == "b.bin");
  CHECK(trial.files[1].content.size() == 28);
  CHECK(trial.output == "c.bin");
  CHECK(trial.shape == "n=7");
  CHECK_THROWS_AS(whole_trial(0, RandomStream(1)), std::logic_error);
}

TEST_CASE("a device with too little memory has room for two arrays and not for three", "[vector-addition]") {
  const ProgramTrial trial = scarce_trial(40'000, RandomStream(1));
  CHECK(trial.may_report_failure);
  CHECK(trial.device_bytes >= 2 * 160'000);
  CHECK(trial.device_bytes < 3 * 160'000);
  CHECK_FALSE(whole_trial(40'000, RandomStream(1)).may_report_failure);
  CHECK_THROWS_AS(scarce_trial(10, RandomStream(1)), std::logic_error);
}

TEST_CASE("the work is shared if some launch has a thread for every 64 numbers", "[vector-addition]") {
  const auto launched = [](json grid, json block) {
    return json{{"launches", {{{"grid", std::move(grid)}, {"block", std::move(block)}}}}};
  };
  CHECK(missed_sharing(6400, launched({4, 1, 1}, {25, 1, 1})).empty());
  CHECK(missed_sharing(6401, launched({4, 1, 1}, {25, 1, 1})).find("100 threads for 6401") != std::string::npos);
  CHECK_FALSE(missed_sharing(64, {{"launches", json::array()}}).empty());
  CHECK_FALSE(missed_sharing(64, launched({-1, 1, 1}, {"x", 1, 1})).empty());
  CHECK_FALSE(missed_sharing(64, json::object()).empty());
}

TEST_CASE("the work is not shared if one thread of many does it", "[vector-addition]") {
  const auto counted = [](std::uint64_t in_a_launch, std::uint64_t in_all) {
    return missed_sharing(6400, {{"launches", {{{"grid", {64, 1, 1}}, {"block", {100, 1, 1}}}}},
                                 {"counters",
                                  {{"words_of_all_threads", 32},
                                   {"words_of_full_warps", 32},
                                   {"most_words_of_a_thread", in_a_launch},
                                   {"busiest_thread_words", in_all}}}});
  };
  CHECK(counted(256, 800).empty());
  CHECK(counted(257, 257).find("one thread loads and stores 257 numbers") != std::string::npos);
  CHECK(counted(3, 801).find("load and store 801 numbers") != std::string::npos);
}

TEST_CASE("memory is given back if the record has no leak", "[vector-addition]") {
  CHECK(missed_freeing({{"host", {{{"kind", "never-set"}}}}}).empty());
  CHECK(missed_freeing({{"host", {{{"kind", "leak"}}, {{"kind", "leak"}}}}}).find("2 places") != std::string::npos);
  const auto freed_by = [](const char* call) { return missed_freeing({{"allocations", {{{"freed_by", call}}}}}); };
  CHECK(freed_by("free").empty());
  CHECK(freed_by("reset").find("1 place") != std::string::npos);
}

TEST_CASE("the numbers that are followed are all different, and so are those in their place", "[vector-addition]") {
  const ProgramTrial trial = followed_trial(1000, RandomStream(1));
  REQUIRE(trial.altered);
  std::set<double> numbers;
  for (const auto* files : {&trial.files, &trial.altered->files})
    for (const judge::DataFile& file : *files)
      for (const double number : numbers_of(file)) numbers.insert(number);
  CHECK(numbers.size() == 4000);
  CHECK(trial.altered->expectation.values != trial.expectation.values);
  CHECK_THROWS_AS(followed_trial(1, RandomStream(1)), std::logic_error);
}
