// The messages between judge and runner: one request and one reply for each launch, as JSON frames over a private socket. One
// memory file descriptor for each buffer is sent with the request. Deliberately not here: expected values, the meaning of shapes,
// tolerances. The runner never learns them.
//
// Trust: the runner hosts a submission, so the judge treats it as hostile. Everything in a LaunchReply is untrusted. The judge
// limits its size, and decides by comparing buffers that it reads from the memory files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/event.hpp"
#include "executor/memory/byte_marks.hpp"
#include "executor/memory/texture_object.hpp"

namespace tilelab::simt {

void to_json(nlohmann::json&, const Index3&);
void from_json(const nlohmann::json&, Index3&);

}  // namespace tilelab::simt

namespace tilelab::protocol {

inline constexpr int socket_descriptor = 3;  // the runner's end of the socket
// A launch is given processor time (clock_ms). In wall-clock time it may take this many times longer before it is stopped, so
// that a busy machine fails nobody.
inline constexpr unsigned wall_clock_factor = 6;
inline constexpr std::size_t max_frame_bytes = 16u << 20;  // a longer frame closes the conversation

// --- What is seen of a watched launch. A trace is what one block of it did, step by step. The judge gets it with the ordinary reply, if it
// asks for one. Graded launches never do.

inline constexpr std::size_t most_trace_steps = 200'000;  // fits into one frame
// A thread that does more is in a loop that is long or never ends. A page can show so many.
inline constexpr std::uint32_t most_steps_of_a_thread = 20'000;

// A thread of the followed block that is held before one of its writes to memory outside of its block, until all other blocks have ended.
struct HeldThread {
  std::uint32_t thread = 0;  // linear in its block
  std::uint32_t write = 0;   // counts from 0
};

struct TraceRequest {
  simt::Index3 block;
  std::optional<simt::Index3> beside = {};  // a second block, recorded with it in the order in which both ran
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

// --- Textures and surfaces, and what a launch of a whole program finds in memory beyond its arguments: buffers at the addresses that the
// program knows, and the values of the module's variables. Their bytes lie in memory files that are sent with the request: device memory,
// memory that the host uses as well, the marks of both (see executor/memory/byte_marks.hpp), and what a launch touched (see
// executor/memory/byte_marks.hpp).

// A texture or a surface: how a kernel looks at the memory of an argument.
struct TextureDescription : simt::TexelView {
  std::vector<std::uint32_t> extents;  // one to three, slowest first: {48, 64} has 48 rows of 64 texels
  std::optional<std::size_t> of;       // the argument whose memory it shows; otherwise its own
};

// A texture or a surface that a program's host code made: its handle is made of its place and its generation.
struct ProgramTexture {
  std::size_t place = 0;
  std::uint32_t generation = 0;
  std::uintptr_t address = 0;         // of its first texel
  std::optional<std::size_t> buffer;  // index in ProgramMemory::buffers; nothing: its memory was freed
  TextureDescription description;
};

// What the kernel is passed for the texture or surface at this place among the arguments.
constexpr std::uint64_t texture_handle(std::size_t argument) { return simt::first_texture_handle + argument; }

// Without its memory. Throws std::runtime_error if no texture can be like this.
simt::TextureObject object_from(const TextureDescription& description);

// Files of a request, by their places among its descriptors.
enum class ProgramFile : std::uint8_t { device, shared, marks, touched };
inline constexpr std::size_t program_files = 4;
inline constexpr std::size_t program_granularity = 16 * 1024;  // offsets in files are multiples of it, so that marks fill whole pages
// The least distance between two buffers. Their red zones lie there.
inline constexpr std::size_t program_gap = 4u << 20;
inline constexpr std::uintptr_t program_first = 0x2000'0000'0000, program_end = 0x3000'0000'0000;
inline constexpr std::size_t most_program_buffers = 1u << 14, most_program_variables = 1u << 12;
inline constexpr std::size_t least_heap_bytes = 1u << 20;
inline constexpr std::size_t program_printed_bytes = 1u << 20;  // as CUDA's buffer for it

struct ProgramBuffer {
  std::string name;            // in findings: of the parameter that points here
  std::uintptr_t address = 0;  // of its first byte; on a page of its own
  std::size_t bytes = 0;
  ProgramFile file = ProgramFile::device;  // device or shared
  std::size_t offset = 0, marks = 0;       // where its bytes and its marks begin
  std::string element = "byte";
  std::size_t element_bytes = 1;
  std::size_t named_from = 0;              // where the element of index 0 lies
  bool only_read = false;                  // no argument lets the kernel write there, and every byte has a value
  std::vector<std::uint32_t> texels = {};  // of an array: its extents in texels, slowest first
};

struct ProgramVariable {
  std::string symbol;      // its name in the symbol table
  std::size_t buffer = 0;  // index in ProgramMemory::buffers: where its value is kept between launches
  bool has_value = false;  // there; if not, the variable has its first value still
};

struct ProgramMemory {
  std::vector<ProgramBuffer> buffers;  // sorted by address
  std::vector<ProgramVariable> variables;
  std::optional<std::size_t> heap{};  // index of the buffer that holds what kernels allocate
  std::size_t heap_limit = 0;         // bytes that kernels may allocate at a time
  std::vector<ProgramTexture> textures{};
  bool follows_touches = false;  // the launch writes down which words it touches: others may run at the same time
};

// What a launch did with a buffer.
struct BufferUse {
  std::size_t buffer = 0;  // index in ProgramMemory::buffers
  simt::UsedRange read{}, written{};
  std::optional<simt::HostConflicts> host{};           // of a buffer that the host can reach
  std::shared_ptr<const simt::TouchedRuns> touched{};  // not in the message: read from the file; null: not known
};

// --- A launch.

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

using Extent = simt::Index3;

struct LaunchConfig {
  Extent grid{1, 1, 1}, block{1, 1, 1};
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
  bool follows_shared = false;              // how much of what threads use comes through shared memory, where it is doubled
  bool reversed = false;                    // blocks and threads run in reverse order
  bool cooperative = false;                 // the grid's blocks run together and may wait at its barrier
  bool second = false;                      // runs the launch twice; the second finds variables as the first left them
  bool allow_same_value_writes = false;     // plain writes of the same value to the same place are no race
  bool tell_same_value_writes = false;      // else: a race whose sentence says so
  std::optional<ProgramMemory> memory;      // if set, the launch is a whole program's, and no argument is a buffer
  bool early_return_is_error = false;       // of a thread that returns before a barrier at which others of its block wait
};

// One side of a finding: an access or a barrier of one thread.
struct Site {
  std::string file;      // as given to the compiler: untrusted
  int line = 0;          // 1-based; 0: unknown
  std::string function;  // demangled
  std::string access;    // "read", "write", "atomic", "barrier", ""
  std::optional<simt::Index3> block, thread;
};

struct Finding {
  std::string kind;      // a verdict's name: "race", "out-of-bounds", ... ("note" findings too)
  std::string severity;  // "error" | "note"
  Site site = {};
  std::optional<Site> other = {};  // a race's second access, or a divergence's other barrier
  std::string array = {};          // "As", "A"; empty: none
  std::string element = {};        // "As[3][17]", "A[1024]"; empty: none
  std::string message;             // one sentence: what happened and the likely cause, in the lab's words
  std::uint64_t count = 1;         // occurrences merged into this one
  std::uint64_t address = 0;       // of an access to memory that is nobody's; 0: unknown
};

inline Finding error_finding(std::string kind, std::string message) {
  return {.kind = std::move(kind), .severity = "error", .message = std::move(message)};
}

enum class Status { completed, launch_error, timeout, crash, internal_error };

struct LaunchReply {
  Status status = Status::completed;                   // completed: the kernel ran to its end (findings may still be errors)
  std::string detail;                                  // launch_error, crash, internal_error: one sentence
  LaunchConfig config = {};                            // the launch function's answer
  std::vector<Finding> findings = {};                  // deduplicated, in a deterministic order, at most 64
  std::map<std::string, std::uint64_t> counters = {};  // "global_load_bytes", "global_store_bytes", "events", ...
  std::string printed = {};                            // what the kernel printed, at most 16 KiB; of a whole program, 1 MiB
  std::optional<Trace> trace = {};                     // if one was requested and the grid has the block
  std::optional<Traffic> traffic = {};                 // if it was requested
  bool needs_reversed_run = false;                     // only fences or atomics ordered some accesses: see RaceDetector
  std::vector<BufferUse> uses = {};                    // of a whole program's buffers: those that the launch used
  bool left_data = false;                              // the submission's variables hold other values than before the launch
};

NLOHMANN_JSON_SERIALIZE_ENUM(
    Role, {{Role::scalar, "scalar"}, {Role::input, "input"}, {Role::output, "output"}, {Role::inout, "inout"}, {Role::object, "object"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Passing, {{Passing::registers, "registers"}, {Passing::stack, "stack"}, {Passing::reference, "reference"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::internal_error, "internal-error"},
                                      {Status::completed, "completed"},
                                      {Status::launch_error, "launch-error"},
                                      {Status::timeout, "timeout"},
                                      {Status::crash, "crash"}})

// --- Kernels that are timed: which launch, how often, and the results. A runner answers one such request. Its
// times are not verified, but whoever sent the request verifies the outputs that the runner kept.

inline constexpr unsigned most_rounds = 1024, most_contestants = 8;

// Sent before a request: the runner then does everything that takes long, and answers with an empty reply.
inline constexpr const char* prepare_to_time = "{\"prepare\": true}";

struct TimingRequest {
  LaunchRequest launch;                    // its buffers have no files: inputs are made on the device, see protocol/timed_input.hpp
  std::vector<std::uint64_t> round_seeds;  // one round for each; its inputs follow from it
  std::uint64_t warm_up_seed = 0;          // the inputs of the warm-up's rounds follow from it
  unsigned warm_up_ms = 200;               // minimum time before the first sample
  unsigned kept_contestant = 0;
  std::vector<unsigned> kept_rounds;  // the rounds whose outputs are copied, one after another, into the file sent with the request
};

// What NVML says about the device. Zero means unknown.
struct ClockReading {
  unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
  std::uint64_t throttle_reasons = 0;  // NVML's bit mask
};

struct TimingReply {
  Status status = Status::completed;
  std::string detail;                 // if the status is not `completed`: one sentence
  unsigned contestant = 0;            // if the status is not `completed`: whose launch it was
  bool slow = false;                  // with `timeout`: the launch does end, but is too slow; with `launch-error`: no fault, but not timed
  std::vector<LaunchConfig> configs;  // for each contestant
  std::vector<std::vector<double>> nanoseconds;  // for each contestant, for each round
  ClockReading before, after;                    // of the timed rounds
  double warm_up_ms = 0, timed_ms = 0;           // wall-clock time
  unsigned warm_up_rounds = 0;
};

// Reading throws nlohmann::json::exception if the JSON does not have the shape above, or a number is not finite. Callers then treat the
// peer as broken.
#define TILELAB_MESSAGE_HERE(Message)            \
  void to_json(nlohmann::json&, const Message&); \
  void from_json(const nlohmann::json&, Message&);
NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILELAB_MESSAGE_HERE, TraceRequest, Trace, Traffic, TextureDescription, ProgramTexture,
                                         ProgramMemory, BufferUse, Piece, Argument, LaunchConfig, LaunchRequest, LaunchReply, Finding,
                                         TimingRequest, TimingReply))
#undef TILELAB_MESSAGE_HERE

}  // namespace tilelab::protocol
