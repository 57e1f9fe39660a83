#include "operands/operand.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilelab::judge {
namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

template <class BoundOf>
Expectation bounded(Expectation exact, BoundOf bound_of) {
  exact.bounds.resize(exact.values.size());
  std::ranges::transform(exact.values, exact.bounds.begin(), bound_of);
  return exact;
}

}  // namespace

Expectation within_ulps(Expectation exact, ElementType type, double ulps) {
  if (exact.rule.empty()) exact.rule = "at most " + short_number(ulps) + " units in the last place of " + std::string(cuda_name(type));
  return bounded(std::move(exact), [=](double value) { return ulps * unit_in_last_place(type, value); });
}

Expectation within_relative(Expectation exact, double relative, double least) {
  if (exact.rule.empty()) exact.rule = "a relative error of at most " + short_number(relative);
  return bounded(std::move(exact), [=](double value) { return std::max(relative * std::abs(value), least); });
}

}  // namespace tilelab::judge
