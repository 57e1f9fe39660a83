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

}  // namespace

std::array<unsigned, 3> parse_block(const std::string& text) {
  std::array<unsigned, 3> block{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned& one : block) {
    const auto [after, error] = std::from_chars(at, end, one);
    const bool last = &one == &block.back();
    if (error != std::errc{} || (last ? after != end : after == end || *after != ','))
      throw std::invalid_argument("a block is three numbers, X,Y,Z");
    at = last ? after : after + 1;
  }
  return block;
}

bool parse_order(const std::string& text) {
  if (text != "in order" && text != "reversed") throw std::invalid_argument("an order is \"in order\" or \"reversed\"");
  return text == "reversed";
}

json traced_launch(RunnerProcess& runner, const Trial& trial, const FollowedBlock& block, const std::vector<std::string>& factors) {
  LaunchOptions watching;
  watching.trace = protocol::TraceRequest{block.at};
  watching.reversed = block.reversed;
  const LaunchRecord launch = judge_launch(runner, trial, watching);
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
