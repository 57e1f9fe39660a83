// One launch to be judged: what the kernel is given, what it must answer, how long it may take. Plain data that a
// problem in kit/problems makes; what the numbers mean is the problem's affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilelab::judge {

// What an output must hold, row-major. An element is right when |got - value| <= bound; no bounds: exactly equal.
struct Expectation {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  std::vector<double> bounds;
};

// One argument of the kernel, fp32 buffer or int, in the kernel's order.
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
  // What has to be done however a kernel goes about it, and what one piece of it is called: M·N·K multiply-adds of a product.
  std::string work_unit = {};
  std::uint64_t work = 0;
  bool counts_traffic = false;  // the launch is to be counted, where something counts
  // Instrumented events the launch may make: what the work takes, generously, and room for a clumsy start.
  std::uint64_t work_events = 0, spare_events = 0;
  unsigned clock_ms = 5'000;                       // the backstop where no events are made
  const std::vector<Mistake>* mistakes = nullptr;  // that a wrong output is held against, where the problem knows any
};

}  // namespace tilelab::judge
