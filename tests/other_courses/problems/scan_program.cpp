#include "problems/scan_program.hpp"

#include <cstddef>

#include "judge/bench.hpp"
#include "program_judge/program_bench.hpp"

namespace tilelab::scan_program {
namespace {

judge::ProgramTrial trial_of(const char* task, const char* inputs, const std::vector<double>& numbers, std::vector<double> expected) {
  judge::ProgramTrial trial;
  trial.shape = "n=" + std::to_string(numbers.size());
  trial.inputs = inputs;
  trial.arguments = {task, "numbers.bin", "result.bin"};
  trial.files = {judge::data_file("numbers.bin", ElementType::i32, numbers)};
  trial.output = "result.bin";
  trial.type = ElementType::i32;
  trial.expectation = {.rows = 1, .columns = expected.size(), .values = std::move(expected)};
  return trial;
}

}  // namespace

judge::ProgramTrial scan_trial(int n, judge::RandomStream random) {
  std::vector<double> numbers(static_cast<std::size_t>(n)), sums(numbers.size());
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = random.between(-50, 99);
    sums[i] = sum;
    sum += numbers[i];
  }
  return trial_of("scan", "numbers from -50 to 99", numbers, std::move(sums));
}

judge::ProgramTrial repeats_trial(int n, judge::RandomStream random) {
  std::vector<double> numbers(static_cast<std::size_t>(n)), repeats;
  for (double& number : numbers) number = random.between(0, 3);
  numbers.at(1) = numbers.at(0);  // at least one
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (numbers[i] == numbers[i + 1]) repeats.push_back(static_cast<double>(i));
  }
  return trial_of("find_repeats", "numbers from 0 to 3", numbers, std::move(repeats));
}

void check_scan(const std::vector<int>& sizes) {
  for (const int n : sizes) judge::check(scan_trial(n, judge::bench().draw()));
}

void check_repeats(const std::vector<int>& sizes) {
  for (const int n : sizes) judge::check(repeats_trial(n, judge::bench().draw()));
}

std::vector<int> random_sizes(int count, int most) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<int> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(random.between(2, most));
  return sizes;
}

}  // namespace tilelab::scan_program
