// What the grader says about a program: how it and the runners of its kernels are started, what the kernels take, and the limits. Read
// from program.json, which grader/run/programs writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/protocol.hpp"

namespace tilelab::program {

// As an argument that has no value yet. Its element: of what a pointer leads to.
struct KernelParameter : protocol::Argument {
  bool is_pointer = false, only_reads = false;  // only_reads: a pointer to const
};

struct KernelVariable {
  std::string name;  // in the symbol table
  std::size_t bytes = 0;
};

struct KernelDescription {
  std::vector<std::string> argv;  // of its runner
  std::string name;               // demangled
  std::vector<KernelParameter> parameters;
  std::vector<KernelVariable> variables;
  std::size_t static_shared_bytes = 0;
  bool allocates = false;                 // with malloc or new, or frees
  std::string code;                       // the same for kernels that are in one program; empty: it is alone
  std::optional<nlohmann::json> refusal;  // it could not be built: what the grader said, to be handed back
};

// What a launcher is called with.
struct OperandDescription {
  std::string name;
  bool is_scalar = false;
  double value = 0;                  // of a scalar
  bool on_host = false;              // its pointer leads to memory of the host
  bool is_input = false;             // it must hold afterwards what it held before
  bool for_host = false;             // host code may read it
  std::size_t bytes = 0;             // 0: its pointer is null
  std::string content, keep, marks;  // files: what it holds before, and afterwards; empty: none
};

// Files of the same size. Where the numbers of `from` are sent to the device, those of `to` arrive.
struct AlterationDescription {
  std::string from, to;
  std::size_t element_bytes = 0;
};

// How every launch runs. See protocol::LaunchRequest.
struct LaunchSettings {
  std::optional<std::uint64_t> order_seed;
  bool withholds_inputs = false;  // the host reads zeros where operands hold what no kernel wrote
  bool carries = false;           // with shown_reads: what the host was shown and sends back arrives as what is there
  bool tagged = false;            // with carries: it is shown random words, and no other run's
  bool reversed = false, traffic = false, allow_same_value_writes = false, tell_same_value_writes = false, early_return_is_error = false;
  friend bool operator==(const LaunchSettings&, const LaunchSettings&) = default;
};

// A launch of which the record shall hold what a block did. The other launches run as always.
struct FollowedLaunch {
  std::uint64_t launch = 0;  // counts the program's launches from 1
  protocol::TraceRequest of;
  bool reversed = false;  // its blocks and threads run in reverse order
};

struct ProgramLimits {
  unsigned clock_ms = 0;            // processor time of one launch
  std::uint64_t wall_ms = 0;        // of the whole run
  std::uint64_t host_clock_ms = 0;  // processor time of the program itself; 0: no limit here
  std::uint64_t idle_ms = 0;        // in which it does nothing but wait; 0: no limit
  // What its sandbox lets it use, for sentences: memory of its own, and a file that it writes.
  std::uint64_t host_bytes = 0, file_bytes = 0;
  std::uint64_t event_budget = 0;  // of one launch
  std::size_t memory_bytes = 0;    // of the device, and as much that the host uses as well
  std::size_t taken_bytes = 0;     // that seem free, and another program takes them before they are asked for
  std::size_t output_bytes = 0;    // that kernels print
};

struct ProgramDescription {
  std::vector<std::string> host_argv;
  std::map<std::string, KernelDescription> kernels;  // by mangled name
  ProgramLimits limits;
  std::vector<OperandDescription> operands;
  std::vector<AlterationDescription> altered;
  LaunchSettings options;
  std::optional<FollowedLaunch> trace;
  std::string plan;          // where it is written down what the launcher asks of the device, which then is not done; empty: nowhere
  std::string transfer_log;  // where a record of all copies is kept; empty: nowhere
  std::string kept_reads;    // where it is written down what the host learns of the device's memory; empty: nowhere
  std::string shown_reads;   // what it is shown instead of what is there: such a record of another run; empty: nothing
};

// Throws std::runtime_error or nlohmann::json::exception.
ProgramDescription read_program(const std::string& path);
ProgramDescription program_from(const nlohmann::json& value);

}  // namespace tilelab::program
