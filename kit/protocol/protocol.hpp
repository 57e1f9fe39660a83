// The messages between judge and runner: one request and one reply for each launch, as JSON frames over a private socket. One
// memory file descriptor for each buffer is sent with the request. Deliberately not here: expected values, the meaning of shapes,
// tolerances. The runner never learns them.
//
// Trust: the runner hosts a submission, so the judge treats it as hostile. Everything in a LaunchReply is untrusted. The judge
// limits its size, and decides by comparing buffers that it reads from the memory files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/program_message.hpp"
#include "protocol/trace_message.hpp"

namespace tilelab::protocol {

inline constexpr int socket_descriptor = 3;  // the runner's end of the socket
// A launch is given processor time (clock_ms). In wall-clock time it may take this many times longer before it is stopped, so
// that a busy machine fails nobody.
inline constexpr unsigned wall_clock_factor = 6;
inline constexpr std::size_t max_frame_bytes = 16u << 20;  // a longer frame closes the conversation

enum class Role { input, output, inout, scalar, object };

// A part of an object that travels in one register.
struct Piece {
  std::size_t offset = 0, bytes = 8;
  bool floating = false;  // in a register for floating-point numbers
};

// Where the processor's calling convention puts an object that is passed by value.
enum class Passing { registers, stack, reference };

// A word of an object or a buffer that holds the address of another buffer.
struct PointerAt {
  std::size_t offset = 0, argument = 0;  // in bytes; index in LaunchRequest::arguments
};

// One argument of the kernel, in the kernel's order. The bytes of a buffer are in the memory file that is sent with the request:
// the n-th buffer argument uses the n-th descriptor, from offset 0, exactly `bytes` long. Behind the kernel's own arguments follow
// hidden ones: buffers that only pointers in other arguments lead to.
struct Argument {
  std::string name;                       // "A", "M": its name in findings
  Role role = Role::scalar;               // output: the judge fills it with NaN, and the kernel must write it
  std::string element = "float";          // "float", "int", "double", ...: for messages and element indices
  std::size_t element_bytes = 4;          // buffer: the size of one element
  std::size_t bytes = 0;                  // buffer: its size; scalar: its size (1 to 8)
  std::uint64_t bits = 0;                 // scalar: the value's bit pattern, zero-extended
  std::size_t row_elements = 0;           // buffer: elements in one row, so that findings can say A[3][17]; 0: one-dimensional
  bool hidden = false;                    // buffer: no parameter of the kernel
  std::vector<PointerAt> pointers = {};   // buffer, object
  std::vector<std::uint64_t> words = {};  // object: its bytes, filled up with zeros
  Passing passing = Passing::registers;   // object
  std::size_t alignment = 8;              // object on the stack
  std::vector<Piece> pieces = {};         // object in registers
  // Of a handle: what it stands for. The argument is the buffer that it shows, or a scalar (the handle) if it shows another argument's.
  std::optional<TextureDescription> texture = {};
};

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchConfig {
  Extent grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory
};

struct LaunchRequest {
  std::vector<Argument> arguments;
  std::vector<int> launch_arguments;        // for the submission's launch function: M, N, K
  std::optional<LaunchConfig> config;       // if set, the launch function is not called
  std::uint64_t event_budget = 0;           // more instrumented events than this are a `timeout`
  unsigned clock_ms = 5'000;                // processor time of the whole launch, for loops without events
  std::uint8_t shared_poison = 0xFF;        // every byte of shared memory holds this when a block starts; 0xFF makes NaN
  std::optional<std::uint64_t> order_seed;  // if set, blocks and threads run in this shuffled order
  std::optional<TraceRequest> trace;        // if set, the reply holds what this block did
  bool traffic = false;                     // the reply counts requests, sectors and wavefronts
  bool follows_values = false;              // the counters tell how each value came to the thread that stores it
  bool reversed = false;                    // blocks and threads run in reverse order
  bool cooperative = false;                 // the grid's blocks run together and may wait at its barrier
  bool second = false;                      // runs the launch twice; the second finds variables as the first left them
  bool allow_same_value_writes = false;     // plain writes of the same value to the same place are no race
  std::optional<ProgramMemory> memory;      // if set, the launch is a whole program's, and no argument is a buffer
  bool early_return_is_error = false;       // of a thread that returns before a barrier at which others of its block wait
};

// One side of a finding: an access or a barrier of one thread.
struct Site {
  std::string file;                               // as given to the compiler: untrusted
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
  std::optional<Site> other;  // a race's second access, or a divergence's other barrier
  std::string array;          // "As", "A"; empty: none
  std::string element;        // "As[3][17]", "A[1024]"; empty: none
  std::string message;        // one sentence: what happened and the likely cause, in the lab's words
  std::uint64_t count = 1;    // occurrences merged into this one
  std::uint64_t address = 0;  // of an access to memory that is nobody's; 0: unknown
};

enum class Status { completed, launch_error, timeout, crash, internal_error };

struct LaunchReply {
  Status status = Status::completed;              // completed: the kernel ran to its end (findings may still be errors)
  std::string detail;                             // launch_error, crash, internal_error: one sentence
  LaunchConfig config;                            // the launch function's answer
  std::vector<Finding> findings;                  // deduplicated, in a deterministic order, at most 64
  std::map<std::string, std::uint64_t> counters;  // "global_load_bytes", "global_store_bytes", "events", ...
  std::string printed;                            // what the kernel printed, at most 16 KiB; of a whole program, 1 MiB
  std::optional<Trace> trace;                     // if one was requested and the grid has the block
  std::optional<Traffic> traffic;                 // if it was requested
  bool needs_reversed_run = false;                // only fences or atomics ordered some accesses: see RaceDetector
  std::vector<BufferUse> uses;                    // of a whole program's buffers: those that the launch used
  bool left_data = false;                         // the submission's variables hold other values than before the launch
};

NLOHMANN_JSON_SERIALIZE_ENUM(
    Role, {{Role::scalar, "scalar"}, {Role::input, "input"}, {Role::output, "output"}, {Role::inout, "inout"}, {Role::object, "object"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Passing, {{Passing::registers, "registers"}, {Passing::stack, "stack"}, {Passing::reference, "reference"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::internal_error, "internal-error"},
                                      {Status::completed, "completed"},
                                      {Status::launch_error, "launch-error"},
                                      {Status::timeout, "timeout"},
                                      {Status::crash, "crash"}})

// Throws nlohmann::json::exception if the JSON does not have the shape above. Callers then treat the peer as broken.
void to_json(nlohmann::json&, const Piece&);
void from_json(const nlohmann::json&, Piece&);
void to_json(nlohmann::json&, const LaunchConfig&);
void from_json(const nlohmann::json&, LaunchConfig&);
void to_json(nlohmann::json&, const LaunchRequest&);
void from_json(const nlohmann::json&, LaunchRequest&);
void to_json(nlohmann::json&, const LaunchReply&);
void from_json(const nlohmann::json&, LaunchReply&);
void to_json(nlohmann::json&, const Finding&);
void from_json(const nlohmann::json&, Finding&);

}  // namespace tilelab::protocol
