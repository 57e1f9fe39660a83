#include "problems/letters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "judge/bench.hpp"

namespace tilelab::letters {
namespace {

constexpr int letter_count = 26;
constexpr std::array<int, 4> no_letters{'a' - 1, 'z' + 1, 0, 255};
// Instrumented events that a launch may make before it counts as endless.
constexpr std::uint64_t spare_events = 20'000'000, events_per_byte = 2'000;

judge::Trial trial_of(std::string inputs, std::vector<double> text) {
  if (text.empty()) throw std::logic_error("there is at least one byte");
  const std::size_t n = text.size();
  std::vector<double> bins(letter_count);
  for (const double byte : text) {
    if (byte >= 'a' && byte <= 'z') ++bins[static_cast<std::size_t>(byte) - 'a'];
  }
  return {.shape = "n=" + std::to_string(n),
          .inputs = std::move(inputs),
          .operands = {judge::input("text", ElementType::u8, n, std::move(text)),
                       judge::zeroed("bins", ElementType::u32, {.rows = 1, .columns = letter_count, .values = std::move(bins)}),
                       judge::integer("n", static_cast<int>(n))},
          .launch_arguments = {static_cast<int>(n)},
          .work_unit = "byte",
          .work = n,
          .work_events = events_per_byte * n,
          .spare_events = spare_events};
}

}  // namespace

judge::Trial exact_trial(int n, judge::RandomStream random) {
  std::vector<double> text(static_cast<std::size_t>(n));
  for (double& byte : text) {
    const bool is_letter = random.between(0, 7) != 0;
    byte = is_letter ? 'a' + random.between(0, random.between(0, letter_count - 1)) : no_letters.at(random.bits() % no_letters.size());
  }
  return trial_of("letters and other bytes", std::move(text));
}

judge::Trial one_letter_trial(int n, judge::RandomStream random) {
  const double letter = 'a' + random.between(0, letter_count - 1);
  return trial_of("one letter", std::vector<double>(static_cast<std::size_t>(n), letter));
}

void check_exact(const std::vector<int>& sizes) {
  for (const int n : sizes) judge::check(exact_trial(n, judge::bench().draw()));
}

void check_one_letter(const std::vector<int>& sizes) {
  for (const int n : sizes) judge::check(one_letter_trial(n, judge::bench().draw()));
}

std::vector<int> random_sizes(int count, int most) {
  judge::RandomStream random = judge::bench().draw();
  std::vector<int> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(random.between(1, most));
  return sizes;
}

}  // namespace tilelab::letters
