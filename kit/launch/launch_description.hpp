// One launch of any kernel, as somebody described it: every argument, the configuration, and the time limit. There is no right
// answer. It is read from the JSON that grader/run/launches/kernel_check.py writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "launch/buffer_content.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::checker {

struct DescribedArgument {
  std::string name, element;
  protocol::Role role = protocol::Role::scalar;
  BufferShape shape;                                         // of a buffer or an object
  std::size_t row_elements = 0;                              // of a buffer; 0: one-dimensional
  Content content;                                           // of a buffer, and the value of a scalar
  Leaf scalar;                                               // of a scalar: what kind of number it is
  std::vector<SetNumber> numbers;                            // of a buffer or an object: set after its content
  std::vector<protocol::PointerAt> pointers;                 // of a buffer or an object: to which buffers its words lead
  bool hidden = false;                                       // a buffer that is no parameter
  protocol::Passing passing = protocol::Passing::registers;  // of an object
  std::size_t alignment = 8;
  std::vector<protocol::Piece> pieces;
  std::optional<protocol::TextureDescription> texture;  // of a handle: see protocol::Argument
};

struct LaunchDescription {
  std::vector<DescribedArgument> arguments;
  protocol::LaunchConfig config;
  bool cooperative = false;
  std::uint64_t seed = 1;  // for random contents
  std::uint64_t event_budget = 0;
  unsigned clock_ms = 0;
  bool early_return_is_error = false;  // returning before a barrier at which others of the block wait
  std::optional<protocol::TraceRequest> trace;
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
