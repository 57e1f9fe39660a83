#include "program/program_description.hpp"

#include <fstream>
#include <stdexcept>
#include <type_traits>

#include "protocol/json/json_text.hpp"
#include "protocol/strict_json.hpp"

namespace tilelab::program {

using nlohmann::json;

namespace {

// What a value may be follows from the type of the member that it becomes.
template <typename T>
void take(const json& value, T& to) {
  if constexpr (std::is_enum_v<T>)
    to = strict::enumerator<T>(value);
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    to = strict::integer<T>(value);
  else
    to = value.get<T>();
}
template <typename T>
void take(const json& value, std::optional<T>& to) {
  take(value, to.emplace());
}

// Keys of an object, each before its member. Those that are optional leave the member as it is where they are missing.
enum class Keys { needed, optional };
template <Keys keys = Keys::needed, typename T, typename... Rest>
void fields(const json& object, const char* key, T& to, Rest&... rest) {
  if (keys == Keys::needed || object.contains(key)) take(object.at(key), to);
  if constexpr (sizeof...(rest) != 0) fields<keys>(object, rest...);
}

}  // namespace

static void from_json(const json& value, KernelParameter& one) {
  fields(value, "name", one.name, "element", one.element, "bytes", one.bytes, "element_bytes", one.element_bytes, "pointer", one.is_pointer,
         "const", one.only_reads, "passing", one.passing, "alignment", one.alignment);
  for (const json& piece : strict::list(value.at("pieces")))
    one.pieces.push_back({strict::integer<std::size_t>(piece.at(0)), strict::integer<std::size_t>(piece.at(1)), piece.at(2).get<bool>()});
  if (one.bytes == 0 || one.bytes > 32768 || (one.is_pointer && one.bytes != 8)) strict::refuse(value, "a parameter of a possible size");
}

static void from_json(const json& value, KernelVariable& one) { fields(value, "name", one.name, "bytes", one.bytes); }

static void from_json(const json& value, KernelDescription& kernel) {
  fields<Keys::optional>(value, "name", kernel.name, "refusal", kernel.refusal);
  if (kernel.refusal) return;
  fields(value.at("runner"), "argv", kernel.argv);
  if (kernel.argv.empty()) strict::refuse(value, "how the kernel's runner is started");
  fields(value, "parameters", kernel.parameters, "variables", kernel.variables, "static_shared_bytes", kernel.static_shared_bytes);
  fields<Keys::optional>(value, "allocates", kernel.allocates, "code", kernel.code);
}

static void from_json(const json& value, OperandDescription& one) {
  std::string kind, memory;
  fields(value, "name", one.name, "kind", kind);
  one.is_scalar = kind == "scalar";
  if (one.is_scalar) return fields(value, "value", one.value);
  fields(value, "memory", memory, "bytes", one.bytes);
  one.on_host = memory == "host";
  one.is_input = kind == "input";
  fields<Keys::optional>(value, "for_host", one.is_for_host, "content", one.content, "keep", one.keep, "marks", one.marks);
}

static void from_json(const json& value, AlterationDescription& one) {
  fields(value, "from", one.from, "to", one.to, "element_bytes", one.element_bytes);
}

static void from_json(const json& value, LaunchSettings& all) {
  fields<Keys::optional>(value, "order_seed", all.order_seed, "withholds_inputs", all.withholds_inputs, "carries", all.carries, "tagged",
                         all.tagged, "reversed", all.reversed, "traffic", all.traffic, "allow_same_value_writes",
                         all.allow_same_value_writes, "early_return_is_error", all.early_return_is_error);
}

static void from_json(const json& value, FollowedLaunch& one) {
  fields(value, "launch", one.number, "of", one.of, "reversed", one.reversed);
}

static void from_json(const json& value, ProgramLimits& limits) {
  fields(value, "clock_ms", limits.clock_ms, "wall_ms", limits.wall_ms, "event_budget", limits.event_budget, "memory_bytes",
         limits.memory_bytes, "output_bytes", limits.output_bytes);
  fields<Keys::optional>(value, "host_clock_ms", limits.host_clock_ms, "idle_ms", limits.idle_ms, "host_bytes", limits.host_bytes,
                         "file_bytes", limits.file_bytes);
}

ProgramDescription program_from(const json& value) {
  ProgramDescription program;
  fields(value.at("host"), "argv", program.host_argv);
  if (program.host_argv.empty()) strict::refuse(value, "how the program is started");
  fields(value, "kernels", program.kernels, "limits", program.limits);
  fields<Keys::optional>(value, "operands", program.operands, "altered", program.altered, "options", program.settings, "trace",
                         program.followed, "custody", program.custody, "kept_reads", program.kept_reads, "shown_reads",
                         program.shown_reads);
  return program;
}

ProgramDescription read_program(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return program_from(json_from(file));
}

}  // namespace tilelab::program
