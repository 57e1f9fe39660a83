// One launch to be judged: its arguments, its expected result, its time limit. Plain data that a problem in kit/problems makes.
// Only the problem knows what the numbers mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilelab::judge {

// What an output must hold, row-major. An element is right if |got - value| <= bound. Without bounds it must be exactly equal.
// A value may be infinite or NaN where the inputs make it so, and only if `non_finite` says so. Such an element must be written, and
// may hold anything: 0 * Inf is NaN where zeros fill a tile up, and compensated sums make Inf a NaN as well.
struct Expectation {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  std::vector<double> bounds;
  bool non_finite = false;
};

// One argument of the kernel, an fp32 buffer or an int, in the kernel's order.
struct Operand {
  enum class Kind { input, output, integer };
  std::string name;
  Kind kind = Kind::integer;
  std::size_t columns = 0;    // of a buffer: elements in a row
  std::vector<float> values;  // of an input
  Expectation expectation;    // of an output
  int integer = 0;
};

inline Operand input(std::string name, std::size_t columns, std::vector<float> values) {
  return {.name = std::move(name),
          .kind = Operand::Kind::input,
          .columns = columns,
          .values = std::move(values),
          .expectation = {},
          .integer = 0};
}

inline Operand output(std::string name, Expectation expectation) {
  const std::size_t columns = expectation.columns;
  return {.name = std::move(name),
          .kind = Operand::Kind::output,
          .columns = columns,
          .values = {},
          .expectation = std::move(expectation),
          .integer = 0};
}

inline Operand integer(std::string name, int value) {
  return {.name = std::move(name), .kind = Operand::Kind::integer, .columns = 0, .values = {}, .expectation = {}, .integer = value};
}

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
  bool counts_traffic = false;  // requests an executor that counts traffic to do so
  // Instrumented events that the launch may make: a generous number for the work, and spare ones for an inefficient start.
  std::uint64_t work_events = 0, spare_events = 0;
  unsigned clock_ms = 5'000;                       // limit for loops that make no events
  const std::vector<Mistake>* mistakes = nullptr;  // the mistakes that a wrong output is compared with, if the problem has any
};

}  // namespace tilelab::judge
