// What is told of a launch that has ended. Turns raw findings into messages: return addresses become files and lines, offsets become
// elements, and every finding gets one sentence that says what happened. It works on data that the launch left behind, and runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "executor/finding_log.hpp"
#include "executor/observer_list.hpp"
#include "executor/observers/trace_recorder.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

struct LaunchGeometry {
  simt::Index3 grid, block;
  std::vector<simt::GridEvent> children{};  // grids that kernels launched, by their first blocks
};

// One finding for each kind, array and pair of source lines. Errors come first, then the order is by line. At most 64.
std::vector<protocol::Finding> finding_messages(const std::vector<simt::RawFinding>& raw, const Image& image,
                                                const LaunchGeometry& geometry);

// Finds the array that a subscript in a source line belongs to. GCC reports the column of the bad subscript's closing bracket,
// Clang the column where the array's name begins.

struct Subscript {
  std::string array;         // the name before the first bracket
  std::size_t position = 0;  // 0: the first subscript of the array
};

// The subscript whose closing bracket is at `column` (counted from 1). None if there is no such bracket, if what precedes it is
// no name, or if the preprocessor may have moved the column: it joins blanks and removes comments.
std::optional<Subscript> subscript_closing_at(const std::string& line, std::size_t column);

// The array whose name begins at `column`, and its last subscript but `inner`. None for the same reasons.
std::optional<Subscript> subscript_behind(const std::string& line, std::size_t column, std::size_t inner);

// Whether the line uses a macro that the file defines. If so, the compiler's columns count in the expanded text.
bool mentions_macro(const std::string& line, const std::vector<std::string>& file);

// The names in the line that a `[` follows.
std::set<std::string> subscripted_names(const std::string& line);

// Replaces addresses in a recorded trace by names from the source: regions become arrays, return addresses become lines.
protocol::Trace named_trace(simt::TraceRecorder& recorded, const Image& image);

// What a launch asked of memory, put into its reply: Nsight Compute's metrics, and counters for which it has no names.
// `answer` has its status already.
void count_traffic(protocol::LaunchReply& answer, const simt::TrafficObservers& traffic, const protocol::LaunchRequest& request,
                   const Image& image);

}  // namespace tilelab
