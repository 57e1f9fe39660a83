#include "judge/report/watched_launch.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace tilelab::judge {
namespace {

using nlohmann::json;

constexpr unsigned profiled_clock_ms = 100'000;  // for a large launch that is watched closely; the event budget limits it as always

json inputs_json(const Trial& trial) {
  json inputs = json::array();
  for (const Operand& operand : trial.operands) {
    if (operand.kind != Operand::Kind::input) continue;
    json values = operand.values;
    if (operand.type == ElementType::f32) values = std::vector<float>(operand.values.begin(), operand.values.end());  // fewer digits
    inputs.push_back({{"name", operand.name}, {"columns", operand.columns}, {"values", std::move(values)}});
  }
  return inputs;
}

constexpr std::size_t elements_to_show = 32;  // fewer are no example: one thread has all of them
constexpr std::size_t most_listed = 12;

std::size_t elements_of(const Trial& trial) {
  std::size_t elements = 0;
  for (const Operand& operand : trial.operands) {
    if (operand.is_buffer()) elements += operand.elements();
  }
  return elements;
}

bool is_smaller(const AskedRun& one, const AskedRun& other) { return one.elements < other.elements; }

const AskedRun* find(const std::vector<AskedRun>& runs, const std::string& shape, const std::string& inputs) {
  const auto found = std::ranges::find_if(runs, [&](const AskedRun& one) {
    return (one.shape == shape || numbers_of(one.shape) == shape) && (inputs.empty() || one.inputs == inputs);
  });
  return found == runs.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::vector<AskedRun>& runs, const std::string& asked, const std::string& inputs, const char* done) {
  std::vector<std::string> shapes;
  for (const AskedRun& one : runs) {
    const std::string shape = numbers_of(one.shape) + (inputs.empty() ? "" : " with " + one.inputs);
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

}  // namespace

LaunchOptions watched(const json& asked) {
  LaunchOptions options;
  options.trace = asked.at("trace").get<protocol::TraceRequest>();
  options.reversed = asked.value("reversed", false);
  return options;
}

json traced_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& watched, const std::vector<std::string>& factors) {
  const LaunchRecord launch = judge_launch(runner, trial, watched);
  json report{{"factors", factors}, {"inputs", inputs_json(trial)}, {"launch", launch}};
  if (launch.trace) report["trace"] = *launch.trace;
  return report;
}

json profiled_launch(RunnerProcess& runner, Trial trial, const std::string& shape) {
  LaunchOptions watching;
  watching.traffic = true;
  trial.clock_ms = profiled_clock_ms;
  return {{"shape", shape}, {"launch", judge_launch(runner, trial, watching)}};
}

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

LaunchRecord put_down_record(const AskedRun& asked) { return {.shape = asked.shape, .inputs = asked.inputs}; }

LaunchRecord CollectedTrials::put_down(const Trial& trial) {
  trials_.push_back(trial);
  return put_down_record(asked_.emplace_back(AskedRun{trial.shape, trial.inputs, elements_of(trial)}));
}

std::size_t run_to_trace(const std::vector<AskedRun>& runs, const std::string& shape, const std::string& usual, const std::string& inputs,
                         std::size_t most_elements) {
  const AskedRun* chosen = nullptr;
  if (!shape.empty()) {
    chosen = find(runs, shape, inputs);
  } else if (chosen = find(runs, usual, inputs); chosen == nullptr) {
    for (const AskedRun& one : runs) {
      if (!inputs.empty() && one.inputs != inputs) continue;
      const bool is_example = one.elements >= elements_to_show;
      const bool had_example = chosen != nullptr && chosen->elements >= elements_to_show;
      // The smallest that shows something; without one, the largest.
      if (chosen == nullptr || is_example > had_example ||
          (is_example == had_example && (is_example ? is_smaller(one, *chosen) : is_smaller(*chosen, one))))
        chosen = &one;
    }
  }
  if (chosen == nullptr) refuse(runs, shape.empty() ? usual : shape, inputs, "traced");
  if (chosen->elements > most_elements)
    throw std::invalid_argument("the launch " + chosen->shape + " has " + std::to_string(chosen->elements) +
                                " elements, too many to be read step by step: name a shape with at most " + std::to_string(most_elements));
  return static_cast<std::size_t>(chosen - runs.data());
}

const Trial& CollectedTrials::to_trace(const std::string& shape, const std::string& usual, const std::string& inputs,
                                       std::size_t most_elements) const {
  return trials_[run_to_trace(asked_, shape, usual, inputs, most_elements)];
}

const Trial& CollectedTrials::to_profile(const std::string& shape) const {
  const AskedRun* chosen = nullptr;
  if (!shape.empty())
    chosen = find(asked_, shape, {});
  else if (const auto largest = std::ranges::max_element(asked_, is_smaller); largest != asked_.end())
    chosen = &*largest;
  if (chosen == nullptr) refuse(asked_, shape.empty() ? "of the largest launch" : shape, {}, "profiled");
  return trials_[static_cast<std::size_t>(chosen - asked_.data())];
}

}  // namespace tilelab::judge
