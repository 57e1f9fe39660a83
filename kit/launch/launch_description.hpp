// One launch of any kernel, as somebody described it: every argument, the configuration, and the time limit. There is no right
// answer. It is read from the JSON that grader/run/launches/kernel_check.py writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "launch/buffer_content.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::checker {

// What an argument of the request holds. Its `bytes`, `bits` and `words` follow from that.
struct ArgumentContent {
  BufferShape shape;               // of a buffer or an object
  Content content;                 // of a buffer, and the value of a scalar
  Leaf scalar;                     // of a scalar: what kind of number it is
  std::vector<SetNumber> numbers;  // of a buffer or an object: set after its content
};

struct LaunchDescription {
  protocol::LaunchRequest request;
  std::vector<ArgumentContent> contents;  // one for each argument
  std::uint64_t seed = 1;                 // for random contents
};

// Throws std::runtime_error or nlohmann::json::exception.
LaunchDescription read_description(const std::string& path);

// Runs a described launch and says what was found in it. There is no right answer to compare with: the verdict is the worst of
// the findings, or how the launch ended.
//
// If reads of unwritten memory are the only findings, the launch runs again with other values in that memory. If the results are
// the same, nothing used what was read, and the findings become notes.
judge::LaunchRecord check_launch(judge::RunnerProcess& runner, const LaunchDescription& launch);

}  // namespace tilelab::checker
