#include "problems/vector_addition.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::vector_addition {
namespace {

constexpr int most_numbers = (1 << 22) - 1, largest_whole = 1'000'000, largest_exponent = 30, least_scarce = 1000, least_followed = 64,
              most_followed = 10'000;

struct Numbers {
  std::vector<double> a, b;
};

template <class Draw>
Numbers drawn(int n, Draw draw) {
  if (n < 1 || n > most_numbers) throw std::logic_error("n is from 1 to " + std::to_string(most_numbers));
  Numbers numbers;
  for (int i = 0; i < n; ++i) {
    numbers.a.push_back(draw());
    numbers.b.push_back(draw());
  }
  return numbers;
}

judge::ProgramTrial make_trial(std::string inputs, const Numbers& numbers) {
  judge::ProgramTrial trial{
      .shape = "n=" + std::to_string(numbers.a.size()),
      .inputs = std::move(inputs),
      .arguments = {"a.bin", "b.bin", "c.bin"},
      .files = {judge::data_file("a.bin", ElementType::f32, numbers.a), judge::data_file("b.bin", ElementType::f32, numbers.b)},
      .output = "c.bin",
      .type = ElementType::f32,
      .expectation = {.rows = 1, .columns = numbers.a.size(), .values = {}}};
  for (std::size_t i = 0; i < numbers.a.size(); ++i)
    trial.expectation.values.push_back(static_cast<float>(numbers.a[i]) + static_cast<float>(numbers.b[i]));
  return trial;
}

// Numbers of both signs from 1 to 1024 in size. No two are the same.
std::vector<std::vector<double>> different_numbers(std::size_t lists, int n, judge::RandomStream& random) {
  std::set<double> known;
  std::vector<std::vector<double>> all(lists);
  for (auto& list : all) {
    while (list.size() < static_cast<std::size_t>(n)) {
      const double size = std::ldexp(1.0 + std::abs(static_cast<double>(random.signed_unit())), random.between(0, 9));
      const double number = static_cast<float>(random.between(0, 1) == 0 ? size : -size);
      if (known.insert(number).second) list.push_back(number);
    }
  }
  return all;
}

// Of a record that a trusted program wrote about a hostile one: what is no list, or no number, counts for nothing.
const nlohmann::json& list(const nlohmann::json& record, const char* key) {
  static const nlohmann::json none = nlohmann::json::array();
  const auto at = record.find(key);
  return at != record.end() && at->is_array() ? *at : none;
}

std::uint64_t threads_of(const nlohmann::json& launch) {
  std::uint64_t threads = 1;
  for (const char* sides : {"grid", "block"}) {
    for (const auto& side : list(launch, sides)) {
      const std::int64_t count = side.is_number_integer() ? side.get<std::int64_t>() : 0;
      threads *= count > 0 ? static_cast<std::uint64_t>(count) : 0;
    }
  }
  return threads;
}

const nlohmann::json& record_of(int n) { return judge::check(whole_trial(n, judge::fresh_stream())).program; }

void expect_none(const std::string& missed) {
  if (!missed.empty()) judge::reject_technique("correct, but " + missed);
}

}  // namespace

judge::ProgramTrial whole_trial(int n, judge::RandomStream random) {
  return make_trial("whole numbers", drawn(n, [&] { return static_cast<double>(random.between(1, largest_whole)); }));
}

judge::ProgramTrial any_trial(int n, judge::RandomStream random) {
  const auto any = [&] {
    const int exponent = random.between(-largest_exponent, largest_exponent);
    const double size = std::ldexp(1.0 + std::abs(static_cast<double>(random.signed_unit())), exponent);
    return random.between(0, 1) == 0 ? size : -size;
  };
  return make_trial("numbers of every size", drawn(n, any));
}

judge::ProgramTrial scarce_trial(int n, judge::RandomStream random) {
  if (n < least_scarce) throw std::logic_error("for so few numbers there is always memory enough");
  judge::ProgramTrial trial = whole_trial(n, random);
  trial.inputs = "too little memory on the device";
  trial.device_bytes = static_cast<std::size_t>(n) * sizeof(float) * 5 / 2;  // for two of the three arrays
  trial.may_report_failure = true;
  return trial;
}

judge::ProgramTrial followed_trial(int n, judge::RandomStream random) {
  if (n < least_followed || n > most_followed) throw std::logic_error("a count of numbers that can be followed");
  auto numbers = different_numbers(4, n, random);
  judge::ProgramTrial trial = make_trial("numbers that are followed", {std::move(numbers[0]), std::move(numbers[1])});
  judge::ProgramTrial other = make_trial("", {std::move(numbers[2]), std::move(numbers[3])});
  trial.altered = {std::move(other.files), std::move(other.expectation)};
  return trial;
}

void check_shared(const std::vector<int>& sizes) {
  for (const int n : sizes) {
    judge::ProgramTrial trial = whole_trial(n, judge::fresh_stream());
    trial.counts_traffic = true;
    expect_none(missed_sharing(n, judge::check(trial).program));
  }
}

void check_freed(const std::vector<int>& sizes) {
  for (const int n : sizes) expect_none(missed_freeing(record_of(n)));
}

// The launches have threads enough: is the work theirs? There are no counters of a run on a GPU.
std::string missed_work(std::uint64_t n, const nlohmann::json& record) {
  const auto counters = record.find("counters");
  if (counters == record.end() || !counters->is_object() || counters->empty()) return {};
  return judge::missed_spread(counters->get<judge::Counters>(), most_words_of_a_thread, "Let every thread add a few numbers.",
                              std::max(most_words_of_a_thread, n / 8));
}

std::string missed_sharing(int n, const nlohmann::json& record) {
  std::uint64_t most = 0;
  for (const auto& launch : list(record, "launches")) most = std::max(most, threads_of(launch));
  if (most * most_sums_of_a_thread >= static_cast<std::uint64_t>(n)) return missed_work(static_cast<std::uint64_t>(n), record);
  return "its largest launch has " + std::to_string(most) + " threads for " + std::to_string(n) + " numbers; one thread for at most " +
         std::to_string(most_sums_of_a_thread) + " numbers earns these points.";
}

std::string missed_freeing(const nlohmann::json& record) {
  std::uint64_t leaks = 0;
  for (const auto& mistake : list(record, "host")) leaks += mistake.is_object() && mistake.value("kind", nlohmann::json()) == "leak";
  for (const auto& one : list(record, "allocations")) leaks += one.is_object() && one.value("freed_by", nlohmann::json()) == "reset";
  if (leaks == 0) return {};
  return "memory of the GPU is still allocated when the program ends or resets the device, from " + std::to_string(leaks) +
         (leaks == 1 ? " place" : " places") + " in the file. Free what you allocate.";
}

}  // namespace tilelab::vector_addition
