// What judge and runner say to each other: one request per launch, one reply, as JSON frames over a
// private socket, with one memory file descriptor per buffer travelling beside the request.
// Deliberately not here: expected values, shapes' meaning, tolerances. The runner never learns them.
//
// Trust: the runner hosts a submission and is hostile to the judge. Everything in a LaunchReply is
// untrusted: the judge bounds it, and decides by comparing buffers it reads from the memory files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/trace_message.hpp"
#include "runner/traffic_message.hpp"

namespace tilelab::protocol {

inline constexpr int socket_descriptor = 3;  // where the runner finds its end of the socket
// A launch is given processor time (clock_ms); on the wall it may take this much longer before it is given up, so that a
// busy machine fails nobody.
inline constexpr unsigned wall_clock_factor = 6;
inline constexpr std::size_t max_frame_bytes = 4u << 20;  // a longer frame ends the conversation

enum class Role { input, output, inout, scalar };

// One kernel argument, in the kernel's order. A buffer's bytes live in the memory file that travels
// with the request (the n-th buffer argument owns the n-th descriptor, offset 0, exactly `bytes` long).
struct Argument {
  std::string name;               // "A", "M": what findings call it
  Role role = Role::scalar;       // output: poisoned by the judge with NaN, must be written
  std::string element = "float";  // "float", "int", "double", ...: for messages and element indices
  std::size_t element_bytes = 4;  // buffer: the size of one element
  std::size_t bytes = 0;          // buffer: its size; scalar: its size (1 to 8)
  std::uint64_t bits = 0;         // scalar: the value's bit pattern, zero-extended
  std::size_t row_elements = 0;   // buffer: elements in one row, so that findings say A[3][17]; 0: one-dimensional
};

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchConfig {
  Extent grid, block;
  std::size_t shared_bytes = 0;  // dynamic
};

struct LaunchRequest {
  std::vector<Argument> arguments;
  std::vector<int> launch_arguments;        // for the submission's launch function: M, N, K
  std::optional<LaunchConfig> config;       // given: the launch function is not called
  std::uint64_t event_budget = 0;           // instrumented events before the launch is a `timeout`
  unsigned clock_ms = 5'000;                // backstop: processor time of the whole launch
  std::uint8_t shared_poison = 0xFF;        // every byte of shared memory when a block starts: NaN
  std::optional<std::uint64_t> order_seed;  // given: blocks and threads run in this shuffled order
  std::optional<TraceRequest> trace;        // given: the reply holds what this block did
  bool traffic = false;                     // the reply counts requests, sectors and wavefronts
  bool reversed = false;                    // blocks and threads run the other way round
  bool second = false;                      // it follows an equal launch, and finds the submission's variables as that left them
  bool allow_same_value_writes = false;     // plain writes of one value to one place are no race
};

// One side of a finding: an access or a barrier of one thread.
struct Site {
  std::string file;                               // as the compiler was told it: untrusted
  int line = 0;                                   // 1-based; 0: unknown
  std::string function;                           // demangled
  std::string access;                             // "read", "write", "atomic", "barrier", ""
  std::optional<std::array<unsigned, 3>> block;   // (x, y, z)
  std::optional<std::array<unsigned, 3>> thread;  // (x, y, z)
};

struct Finding {
  std::string kind;      // a verdict's name: "race", "out-of-bounds", ... ("note" findings too)
  std::string severity;  // "error" | "note"
  Site site;
  std::optional<Site> other;  // a race's second access, a divergence's other barrier
  std::string array;          // "As", "A"; empty: none
  std::string element;        // "As[3][17]", "A[1024]"; empty: none
  std::string message;        // one sentence: what happened and the likely cause, in the lab's words
  std::uint64_t count = 1;    // occurrences merged into this one
};

enum class Status { completed, launch_error, timeout, crash, internal_error };

struct LaunchReply {
  Status status = Status::completed;              // completed: the kernel ran to its end (findings may still be errors)
  std::string detail;                             // launch_error, crash, internal_error: one sentence
  LaunchConfig config;                            // what the launch function answered
  std::vector<Finding> findings;                  // deduplicated, in a deterministic order, at most 64
  std::map<std::string, std::uint64_t> counters;  // "global_load_bytes", "global_store_bytes", "events", ...
  std::string printed;                            // what the kernel printed, at most 16 KiB
  std::optional<Trace> trace;                     // where one was asked for, and the grid has the block
  std::optional<Traffic> traffic;                 // where it was asked for
  bool needs_reversed_run = false;                // fences or atomics alone ordered accesses: see RaceDetector
  bool left_data = false;                         // the submission's variables hold something else than before
};

NLOHMANN_JSON_SERIALIZE_ENUM(Role, {{Role::scalar, "scalar"}, {Role::input, "input"}, {Role::output, "output"}, {Role::inout, "inout"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::internal_error, "internal-error"},
                                      {Status::completed, "completed"},
                                      {Status::launch_error, "launch-error"},
                                      {Status::timeout, "timeout"},
                                      {Status::crash, "crash"}})

// Throws nlohmann::json::exception on anything that is not the shape above; callers treat that as a broken peer.
void to_json(nlohmann::json&, const LaunchRequest&);
void from_json(const nlohmann::json&, LaunchRequest&);
void to_json(nlohmann::json&, const LaunchReply&);
void from_json(const nlohmann::json&, LaunchReply&);
void to_json(nlohmann::json&, const Finding&);
void from_json(const nlohmann::json&, Finding&);

}  // namespace tilelab::protocol
