#include "judge/report/watched_launch.hpp"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "judge/decision/launch_judge.hpp"
#include "judge/report/record.hpp"

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

// Numbers with commas between them.
template <std::size_t count>
std::array<unsigned, count> numbers_in(const std::string& text, const char* otherwise) {
  std::array<unsigned, count> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned& one : numbers) {
    const auto [after, error] = std::from_chars(at, end, one);
    const bool last = &one == &numbers.back();
    if (error != std::errc{} || (last ? after != end : after == end || *after != ',')) throw std::invalid_argument(otherwise);
    at = last ? after : after + 1;
  }
  return numbers;
}

}  // namespace

std::array<unsigned, 3> parse_block(const std::string& text) { return numbers_in<3>(text, "a block is three numbers, X,Y,Z"); }

protocol::HeldThread parse_held(const std::string& text) {
  const auto [thread, write] = numbers_in<2>(text, "a held thread is two numbers, THREAD,WRITE");
  return {thread, write};
}

bool parse_order(const std::string& text) {
  if (text != "in order" && text != "reversed") throw std::invalid_argument("an order is \"in order\" or \"reversed\"");
  return text == "reversed";
}

LaunchOptions watching(const FollowedBlock& block) {
  LaunchOptions options;
  options.trace = protocol::TraceRequest{.block = block.at, .beside = block.beside, .held = block.held};
  options.reversed = block.reversed;
  return options;
}

json traced_launch(RunnerProcess& runner, const Trial& trial, const FollowedBlock& block, const std::vector<std::string>& factors) {
  const LaunchRecord launch = judge_launch(runner, trial, watching(block));
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

}  // namespace tilelab::judge
