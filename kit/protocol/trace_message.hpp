// The part of the protocol that carries what is seen of a watched launch. A trace is what one block of it did, step by step. The judge gets
// it with the ordinary reply, if it asks for one. Graded launches never do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tilelab::protocol {

inline constexpr std::size_t most_trace_steps = 200'000;  // fits into one frame
// A thread that does more is in a loop that is long or never ends. A page can show so many.
inline constexpr std::uint32_t most_steps_of_a_thread = 20'000;

// A thread of the followed block that is held before one of its writes to memory outside of its block, until all other blocks have ended.
struct HeldThread {
  std::uint32_t thread = 0;  // linear in its block
  std::uint32_t write = 0;   // counts from 0
};

struct TraceRequest {
  std::array<unsigned, 3> block{};                     // (x, y, z)
  std::optional<std::array<unsigned, 3>> beside = {};  // a second block, recorded with it in the order in which both ran
  std::optional<HeldThread> held = {};
};

struct TracedArray {
  std::string name;   // "A", "As"
  std::string space;  // "global" | "shared" | "module"
  std::string element;
  std::size_t element_bytes = 4;
  std::vector<std::size_t> dimensions;  // a matrix in global memory: {rows, columns}; empty: unknown
  static constexpr std::size_t bank_row = 128;
  std::size_t base = 0;  // address of its first byte modulo `bank_row`, so that sectors and banks can be told
};

struct TracedPlace {
  std::string file, function;
  int line = 0;           // 0: unknown
  std::string calls{};    // of an exchange: "__syncwarp()", "a shuffle"; otherwise empty
  std::string element{};  // of an exchange: the type of what it brings; empty: unknown
};

// In JSON this is an array of its ten numbers.
struct TracedStep {
  enum class Kind : std::uint8_t { read, write, atomic, barrier, outside, wait, leave, stop, exchange };  // simt::TraceStep
  Kind kind = Kind::read;
  std::uint32_t thread = 0;  // linear in its block; those of a second block count from 1024
  std::uint32_t interval = 0;
  std::uint32_t array = 0;  // index into Trace::arrays; used by accesses only
  std::int64_t offset = 0;  // `outside` may lie before the array; of an exchange: the lane whose value is brought
  std::uint32_t bytes = 0;  // 0: no value
  std::uint64_t bits = 0;
  std::uint32_t place = 0;  // index into Trace::places
  std::uint32_t slot = 0;   // lanes of a warp with the same one do the step together: simt::TraceStep
  std::uint32_t part = 0;   // counts the elements of one access

  bool is_access() const { return kind <= Kind::atomic || kind == Kind::outside; }
};

struct Trace {
  std::vector<TracedArray> arrays;
  std::vector<TracedPlace> places;
  std::vector<TracedStep> steps;
  bool complete = false;  // false: the block did not end, or did more than can be kept
  bool full = false;      // it did more than can be kept: the recording stopped before the block
};

// --- Memory traffic: what each source line of a launch requested from memory, counted as Nsight Compute counts it and under its names.
// Counting takes time, so it is done only if a judge asks for it.

inline constexpr std::size_t most_traffic_lines = 1000;

// Metrics by name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" and the others of runner/report/launch_report.cpp.
using Metrics = std::map<std::string, std::uint64_t>;

struct LineTraffic {
  std::string file;
  int line = 0;  // 0: unknown
  Metrics metrics;
};

struct Traffic {
  Metrics metrics;                 // of the whole launch
  std::vector<LineTraffic> lines;  // the submission's lines that access memory; sorted
  bool complete = false;           // false: the launch did more than was counted
};

// Reading throws nlohmann::json::exception if the JSON does not have the shape above, or an index has no entry.
void to_json(nlohmann::json&, const TraceRequest&);
void from_json(const nlohmann::json&, TraceRequest&);
void to_json(nlohmann::json&, const Trace&);
void from_json(const nlohmann::json&, Trace&);
void to_json(nlohmann::json&, const Traffic&);
void from_json(const nlohmann::json&, Traffic&);

}  // namespace tilelab::protocol
