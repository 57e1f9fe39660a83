// One launch to be judged: its arguments, its expected result, its time limit. Plain data that a problem in kit/problems makes.
// Only the problem knows what the numbers mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operands/operand.hpp"

namespace tilelab::judge {

struct Mistake;

struct Trial {
  std::string shape;   // "M=33 N=17 K=65"
  std::string inputs;  // "small integers"
  std::vector<Operand> operands;
  std::vector<int> launch_arguments;
  // The least work of any kernel for this problem, and the name of one unit of it. A product needs M·N·K multiply-adds.
  std::string work_unit = {};
  std::uint64_t work = 0;
  bool follows_values = false;  // requests an executor that says how each value came to the thread that stores it
  bool follows_shared = false;  // requests an executor that says how much of what threads use comes through shared memory
  // What the first result has to hold with other inputs among these operands; needed if follows_shared.
  std::function<std::vector<double>(const std::vector<Operand>&)> oracle = {};
  bool counts_traffic = false;  // requests an executor that counts traffic to do so
  // Instrumented events that the launch may make: a generous number for the work, and spare ones for an inefficient start.
  std::uint64_t work_events = 0, spare_events = 0;
  unsigned clock_ms = 5'000;  // limit for loops that make no events
  // For a launcher that reads more than `host_may_read` bytes of what is on the device: the same shape, with other numbers. It runs on them
  // as well, and the host is shown what it read of the first ones. So no result may hang on it. Without it, the host sees zeros in place
  // of what operands held before. A problem in which the host has to decide by what kernels found lets it read more.
  std::shared_ptr<const Trial> altered = {};
  std::size_t host_may_read = 64;
  const std::vector<Mistake>* mistakes = nullptr;  // the mistakes that a wrong output is compared with, if the problem has any
};

// `count` sizes from `least` to `most`. They follow from the judge's key.
std::vector<int> random_sizes(int count, int least, int most);
// Each power of two from 2 to `largest`, and the sizes beside it: 1, 2, 3, 4, 5, 7, ...
std::vector<int> around_powers(int largest);

}  // namespace tilelab::judge
