// The fields of all messages. Reading is strict, because the peer may be hostile: it throws if a needed field is missing,
// or any has another type or is out of range. Nothing is rounded or wrapped. Whoever reads a message must judge what its strings mean, and
// how long they may be.
#include "protocol/protocol.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/message_fields.hpp"

namespace tilelab::simt {

NLOHMANN_JSON_SERIALIZE_ENUM(TexelKind, {{TexelKind::floating, "floating"},
                                         {TexelKind::signed_integer, "signed"},
                                         {TexelKind::unsigned_integer, "unsigned"}})
NLOHMANN_JSON_SERIALIZE_ENUM(AddressMode, {{AddressMode::wrap, "wrap"},
                                           {AddressMode::clamp, "clamp"},
                                           {AddressMode::mirror, "mirror"},
                                           {AddressMode::border, "border"}})
TILELAB_ROW(Index3, x, y, z)
TILELAB_ROW(TexelFormat, kind, bytes, components)
TILELAB_ROW(UsedRange, first, end)
TILELAB_ROW(HostConflicts, reads, writes, atomics)

}  // namespace tilelab::simt

namespace tilelab::protocol {

TILELAB_ROW(Piece, offset, bytes, floating)
TILELAB_ROW(PointerAt, offset, argument)

TILELAB_MESSAGE(Argument, TILELAB_NEEDS(name, role, element, element_bytes, bytes, bits, row_elements)
                              TILELAB_MAY_HAVE(hidden, pointers, words, passing, alignment, pieces, texture))
TILELAB_MESSAGE(LaunchConfig, TILELAB_NEEDS(grid, block, shared_bytes))
TILELAB_MESSAGE(LaunchRequest,
                TILELAB_NEEDS(arguments, launch_arguments, event_budget, clock_ms, shared_poison)
                    TILELAB_MAY_HAVE(config, order_seed, trace, traffic, follows_values, follows_shared, reversed, cooperative, second,
                                     allow_same_value_writes, tell_same_value_writes, early_return_is_error, memory))
TILELAB_MESSAGE(Site, TILELAB_MAY_HAVE(file, line, function, access, block, thread))
TILELAB_MESSAGE(Finding,
                TILELAB_BESIDE(site) TILELAB_NEEDS(kind, severity, message, count) TILELAB_MAY_HAVE(array, element, other, address))
TILELAB_MESSAGE(LaunchReply, TILELAB_NEEDS(status, detail, config, findings, counters, printed)
                                 TILELAB_MAY_HAVE(trace, traffic, needs_reversed_run, left_data, uses))

TILELAB_MESSAGE(HeldThread, TILELAB_NEEDS(thread, write))
TILELAB_MESSAGE(TraceRequest, TILELAB_NEEDS(block) TILELAB_MAY_HAVE(beside, held))
TILELAB_FIELDS(TracedArray, TILELAB_NEEDS(name, space, element, element_bytes, dimensions, base))
TILELAB_MESSAGE(TracedPlace, TILELAB_NEEDS(file, function, line, calls, element))
TILELAB_NUMBERS(TracedStep, kind, thread, interval, array, offset, bytes, bits, place, slot, part)
TILELAB_FIELDS(Trace, TILELAB_NEEDS(arrays, places, steps, complete, full))
TILELAB_MESSAGE(LineTraffic, TILELAB_NEEDS(file, line, metrics))
TILELAB_FIELDS(Traffic, TILELAB_NEEDS(metrics, lines, complete))

// A program's memory is lists of values, because it may have thousands of buffers and launch thousands of kernels.
TILELAB_MESSAGE(TextureDescription,
                TILELAB_NEEDS(surface, extents, layers, format, address, linear, normalized, as_float)
                    TILELAB_MAY_HAVE(of, cube, border, pitch, levels, blends_levels, level_bias, least_level, most_level))
TILELAB_ROW(ProgramTexture, place, generation, address, buffer, description)
TILELAB_ROW(ProgramBuffer, name, address, bytes, file, offset, marks, element, element_bytes, named_from, only_read, texels)
TILELAB_ROW(ProgramVariable, symbol, buffer, has_value)
TILELAB_FIELDS(ProgramMemory, TILELAB_NEEDS(buffers, variables) TILELAB_MAY_HAVE(heap, heap_limit, textures, follows_touches))
TILELAB_ROW(BufferUse, buffer, read, written, host)

TILELAB_MESSAGE(ClockReading, TILELAB_NEEDS(sm_mhz, memory_mhz, temperature_c, power_mw, throttle_reasons))
TILELAB_FIELDS(TimingRequest, TILELAB_NEEDS(launch, round_seeds, warm_up_seed, warm_up_ms, kept_contestant, kept_rounds))
TILELAB_FIELDS(TimingReply,
               TILELAB_NEEDS(status, detail, contestant, slow, configs, nanoseconds, before, after, warm_up_ms, timed_ms, warm_up_rounds))

namespace {

using nlohmann::json;
using strict::refuse;

constexpr std::size_t most_arrays = 256, most_places = 4096, most_dimensions = 8, most_metrics = 64;
constexpr std::size_t most_element_bytes = std::size_t{1} << 29;
constexpr std::uint32_t most_threads = 2 * 1024, lanes = 32;  // of two blocks

void check(const json& value, const TracedStep& step, const Trace& trace) {
  if (step.kind > TracedStep::Kind::exchange) refuse(value, "a known kind of step");
  const bool exchanges = step.kind == TracedStep::Kind::exchange;
  const bool sized = step.bytes == 1 || step.bytes == 2 || step.bytes == 4 || step.bytes == 8;
  if (step.thread >= most_threads || step.place >= trace.places.size()) refuse(value, "a thread and a place that exist");
  if (step.interval > most_trace_steps) refuse(value, "no more barriers than steps");
  if (exchanges && ((!sized && step.bytes != 0) || step.offset < 0 || step.offset >= lanes)) refuse(value, "a value of a lane");
  if (step.is_access() && (!sized || step.array >= trace.arrays.size())) refuse(value, "an element of an array that exists");
}

void check(const json& value, const ProgramBuffer& one, std::uintptr_t from) {
  if (one.file > ProgramFile::shared) refuse(value, "a file of buffers");
  const bool fits = one.bytes > 0 && one.address >= from && one.address < program_end && one.bytes <= program_end - one.address;
  if (!fits || one.address % 4096 != 0) refuse(value, "a buffer in the program's memory, apart from the one before it");
  if (one.offset % program_granularity != 0 || one.element_bytes == 0) refuse(value, "a buffer on whole pages");
}

constexpr std::uint32_t most_texels_along = 1u << 28;  // of what CUDA allows in one dimension

}  // namespace

void from_json(const json& value, TracedArray& array) {
  read_fields(value, array);
  if (array.space != "global" && array.space != "shared" && array.space != "module") refuse(value, "a memory space");
  if (array.base >= TracedArray::bank_row) refuse(value, "a place in a row of banks");
  if (array.element_bytes == 0 || array.element_bytes > most_element_bytes || array.dimensions.size() > most_dimensions)
    refuse(value, "elements with a size");
  if (std::ranges::find(array.dimensions, 0u) != array.dimensions.end()) refuse(value, "dimensions that are not empty");
}

void from_json(const json& value, Trace& trace) {
  constexpr std::size_t numbers_of_a_step = 10;
  const auto commas = static_cast<std::size_t>(std::ranges::count(strict::text(value.at("steps")), ','));
  if (commas >= most_trace_steps * numbers_of_a_step) refuse(value, "a shorter list");  // before it takes memory
  read_fields(value, trace);
  if (trace.arrays.size() > most_arrays || trace.places.size() > most_places) refuse(value, "a shorter list");
  for (const TracedStep& step : trace.steps) check(value, step, trace);
}

void from_json(const json& value, Traffic& traffic) {
  read_fields(value, traffic);
  const auto has_too_many = [](const LineTraffic& one) { return one.metrics.size() > most_metrics; };
  if (traffic.metrics.size() > most_metrics || std::ranges::any_of(traffic.lines, has_too_many)) refuse(value, "fewer metrics");
  if (traffic.lines.size() > most_traffic_lines) refuse(value, "fewer lines");
}

simt::TextureObject object_from(const TextureDescription& description) {
  simt::TextureObject object{description};
  const auto& [kind, bytes, components] = description.format;
  const bool number = kind == simt::TexelKind::floating ? bytes == 2 || bytes == 4 : bytes == 1 || bytes == 2 || bytes == 4;
  const bool texel = number && (components == 1 || components == 2 || components == 4);
  const std::size_t dimensions = description.extents.size();
  const auto fits = [](std::uint32_t extent) { return extent > 0 && extent <= most_texels_along; };
  const bool shape = dimensions >= 1 && dimensions <= 3 && std::all_of(description.extents.begin(), description.extents.end(), fits) &&
                     description.layers <= most_texels_along && (dimensions < 3 || description.layers == 0);
  const bool cubes =
      !description.cube || (dimensions == 2 && !description.extents.empty() && description.extents[0] == description.extents[1]);
  const bool rows = description.pitch == 0 || description.extents.empty() ||
                    description.pitch >= std::size_t{description.extents.back()} * bytes * components;
  const bool levels = description.levels >= 1 && description.levels <= 32;
  if (!texel || !shape || !cubes || !rows || !levels) throw std::runtime_error("there is no such texture");
  object.dimensions = static_cast<std::uint32_t>(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) object.extent[i] = description.extents[dimensions - 1 - i];
  object.as_float = description.as_float && kind != simt::TexelKind::floating && bytes <= 2;
  object.linear = description.linear && (kind == simt::TexelKind::floating || object.as_float);
  return object;
}

void from_json(const json& value, ProgramMemory& memory) {
  read_fields(value, memory);
  if (memory.buffers.size() > most_program_buffers) refuse(value, "fewer buffers");
  std::uintptr_t from = program_first;
  for (const ProgramBuffer& one : memory.buffers) {
    check(value, one, from);
    from = one.address + one.bytes + program_gap / 2;
  }
  const auto exists = [&memory](std::size_t buffer) { return buffer < memory.buffers.size(); };
  if (memory.heap && (!exists(*memory.heap) || memory.buffers[*memory.heap].bytes < least_heap_bytes))
    refuse(value, "a buffer for the heap");
  if (memory.textures.size() > simt::most_texture_objects) refuse(value, "fewer textures");
  for (const ProgramTexture& one : memory.textures)
    if (one.place >= simt::most_texture_objects || (one.buffer && !exists(*one.buffer))) refuse(value, "textures of buffers");
  if (memory.variables.size() > most_program_variables) refuse(value, "fewer variables");
  for (const ProgramVariable& one : memory.variables)
    if (!exists(one.buffer)) refuse(value, "a variable that has a buffer");
}

void from_json(const json& value, TimingRequest& request) {
  read_fields(value, request);
  const auto is_no_round = [](unsigned round) { return round > most_rounds; };
  if (request.round_seeds.size() > most_rounds || std::ranges::any_of(request.kept_rounds, is_no_round)) refuse(value, "fewer rounds");
  if (request.warm_up_ms > 60'000) refuse(value, "a shorter warm-up");
  if (request.kept_contestant > most_contestants) refuse(value, "fewer contestants");
}

void from_json(const json& value, TimingReply& reply) {
  read_fields(value, reply);
  if (std::max<std::size_t>(reply.contestant, reply.nanoseconds.size()) > most_contestants) refuse(value, "fewer contestants");
  const auto is_no_time = [](double time) { return time < 0; };
  for (const std::vector<double>& rounds : reply.nanoseconds) {
    if (rounds.size() > most_rounds) refuse(value, "fewer rounds");
    if (std::ranges::any_of(rounds, is_no_time)) refuse(value, "a time");
  }
  if (is_no_time(reply.warm_up_ms) || is_no_time(reply.timed_ms)) refuse(value, "a time");
}

}  // namespace tilelab::protocol
