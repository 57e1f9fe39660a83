#include "judge/report/collected_trials.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace tilelab::judge {
namespace {

constexpr std::size_t elements_to_show = 32;           // fewer are no example: one thread has all of them
constexpr std::size_t most_traced_elements = 1 << 16;  // of all buffers: a person could read no more step by step
constexpr std::size_t most_listed = 12;

std::size_t elements_of(const Trial& trial) {
  std::size_t elements = 0;
  for (const Operand& operand : trial.operands) {
    if (operand.is_buffer()) elements += operand.elements();
  }
  return elements;
}

bool is_smaller(const Trial& one, const Trial& other) { return elements_of(one) < elements_of(other); }

}  // namespace

std::string numbers_of(const std::string& shape) {
  std::string numbers;
  for (std::size_t at = shape.find('='); at != std::string::npos; at = shape.find('=', at + 1)) {
    const auto is_digit = [](unsigned char one) { return std::isdigit(one) != 0; };
    const auto from = shape.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto end = std::find_if_not(from, shape.end(), is_digit);
    if (from != end) numbers += (numbers.empty() ? "" : "x") + std::string(from, end);
  }
  return numbers.empty() ? shape : numbers;
}

LaunchRecord CollectedTrials::put_down(const Trial& trial) {
  trials_.push_back(trial);
  LaunchRecord record{};
  record.shape = trial.shape;
  record.inputs = trial.inputs;
  return record;
}

const Trial* CollectedTrials::find(const std::string& shape, const std::string& inputs) const {
  const auto found = std::ranges::find_if(trials_, [&](const Trial& trial) {
    return (trial.shape == shape || numbers_of(trial.shape) == shape) && (inputs.empty() || trial.inputs == inputs);
  });
  return found == trials_.end() ? nullptr : &*found;
}

void CollectedTrials::refuse(const std::string& asked, const std::string& inputs, const char* done) const {
  std::vector<std::string> shapes;
  for (const Trial& trial : trials_) {
    const std::string shape = numbers_of(trial.shape) + (inputs.empty() ? "" : " with " + trial.inputs);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  std::string listed;
  for (std::size_t i = 0; i < shapes.size() && i < most_listed; ++i) listed += (i == 0 ? "" : ", ") + shapes[i];
  if (shapes.size() > most_listed) listed += ", …";
  throw std::invalid_argument(
      "the shape " + asked + (inputs.empty() ? "" : " with " + inputs) + " cannot be " + done +
      ": this lab's problem registers no sizes (judge::traces), so there are only the launches of the public tests: " +
      (listed.empty() ? "none" : listed));
}

const Trial& CollectedTrials::to_trace(const std::string& shape, const std::string& usual, const std::string& inputs) const {
  const Trial* chosen = nullptr;
  if (!shape.empty()) {
    chosen = find(shape, inputs);
  } else if (chosen = find(usual, inputs); chosen == nullptr) {
    for (const Trial& trial : trials_) {
      if (!inputs.empty() && trial.inputs != inputs) continue;
      const bool is_example = elements_of(trial) >= elements_to_show;
      const bool had_example = chosen != nullptr && elements_of(*chosen) >= elements_to_show;
      // The smallest that shows something; without one, the largest.
      if (chosen == nullptr || is_example > had_example ||
          (is_example == had_example && (is_example ? is_smaller(trial, *chosen) : is_smaller(*chosen, trial))))
        chosen = &trial;
    }
  }
  if (chosen == nullptr) refuse(shape.empty() ? usual : shape, inputs, "traced");
  if (elements_of(*chosen) > most_traced_elements)
    throw std::invalid_argument("the launch " + chosen->shape + " has " + std::to_string(elements_of(*chosen)) +
                                " elements, which nobody can read step by step: name a shape with at most " +
                                std::to_string(most_traced_elements));
  return *chosen;
}

const Trial& CollectedTrials::to_profile(const std::string& shape) const {
  const Trial* chosen = nullptr;
  if (!shape.empty())
    chosen = find(shape, {});
  else if (const auto largest = std::ranges::max_element(trials_, is_smaller); largest != trials_.end())
    chosen = &*largest;
  if (chosen == nullptr) refuse(shape.empty() ? "of the largest launch" : shape, {}, "profiled");
  return *chosen;
}

}  // namespace tilelab::judge
