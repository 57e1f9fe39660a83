#include "program/program_description.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "protocol/json/json_text.hpp"
#include "protocol/strict_json.hpp"

namespace tilelab::program {
namespace {

using nlohmann::json;
using strict::enumerator;
using strict::integer;
using strict::list;
using strict::text;

KernelParameter parameter_from(const json& value) {
  KernelParameter one{.name = text(value.at("name")),
                      .element = text(value.at("element")),
                      .bytes = integer<std::size_t>(value.at("bytes")),
                      .element_bytes = integer<std::size_t>(value.at("element_bytes")),
                      .is_pointer = value.at("pointer").get<bool>(),
                      .only_reads = value.at("const").get<bool>(),
                      .passing = enumerator<protocol::Passing>(value.at("passing")),
                      .pieces = {},
                      .alignment = integer<std::size_t>(value.at("alignment"))};
  for (const json& piece : list(value.at("pieces")))
    one.pieces.push_back({integer<std::size_t>(piece.at(0)), integer<std::size_t>(piece.at(1)), piece.at(2).get<bool>()});
  if (one.bytes == 0 || one.bytes > 32768 || (one.is_pointer && one.bytes != 8)) strict::refuse(value, "a parameter of a possible size");
  return one;
}

KernelDescription kernel_from(const json& value) {
  KernelDescription kernel;
  if (value.contains("name")) kernel.name = text(value.at("name"));
  if (value.contains("refusal")) {
    kernel.refusal = value.at("refusal");
    return kernel;
  }
  for (const json& one : list(value.at("runner").at("argv"))) kernel.argv.push_back(text(one));
  if (kernel.argv.empty()) strict::refuse(value, "how the kernel's runner is started");
  for (const json& one : list(value.at("parameters"))) kernel.parameters.push_back(parameter_from(one));
  for (const json& one : list(value.at("variables")))
    kernel.variables.push_back({text(one.at("name")), integer<std::size_t>(one.at("bytes"))});
  kernel.static_shared_bytes = integer<std::size_t>(value.at("static_shared_bytes"));
  kernel.allocates = value.contains("allocates") && value.at("allocates").get<bool>();
  if (value.contains("code")) kernel.code = text(value.at("code"));
  return kernel;
}

OperandDescription operand_from(const json& value) {
  OperandDescription one;
  one.name = text(value.at("name"));
  one.is_scalar = text(value.at("kind")) == "scalar";
  if (one.is_scalar) {
    one.value = value.at("value").get<double>();
    return one;
  }
  one.on_host = text(value.at("memory")) == "host";
  one.is_input = text(value.at("kind")) == "input";
  one.is_for_host = value.contains("for_host") && value.at("for_host").get<bool>();
  one.bytes = integer<std::size_t>(value.at("bytes"));
  for (const auto& [key, path] : {std::pair{"content", &one.content}, {"keep", &one.keep}, {"marks", &one.marks}}) {
    if (value.contains(key)) *path = text(value.at(key));
  }
  return one;
}

LaunchSettings settings_from(const json& value) {
  const auto flag = [&](const char* key) { return value.contains(key) && value.at(key).get<bool>(); };
  LaunchSettings settings{.order_seed = std::nullopt,
                          .withholds_inputs = flag("withholds_inputs"),
                          .carries = flag("carries"),
                          .tagged = flag("tagged"),
                          .reversed = flag("reversed"),
                          .traffic = flag("traffic"),
                          .allow_same_value_writes = flag("allow_same_value_writes"),
                          .early_return_is_error = flag("early_return_is_error")};
  if (value.contains("order_seed")) settings.order_seed = integer<std::uint64_t>(value.at("order_seed"));
  return settings;
}

FollowedLaunch followed_from(const json& value) {
  return {.number = integer<std::uint64_t>(value.at("launch")),
          .of = value.at("of").get<protocol::TraceRequest>(),
          .reversed = value.at("reversed").get<bool>()};
}

}  // namespace

ProgramDescription program_from(const json& value) {
  ProgramDescription program;
  for (const json& one : list(value.at("host").at("argv"))) program.host_argv.push_back(text(one));
  if (program.host_argv.empty()) strict::refuse(value, "how the program is started");
  for (const auto& [name, kernel] : value.at("kernels").get_ref<const json::object_t&>()) program.kernels[name] = kernel_from(kernel);
  const json& limits = value.at("limits");
  const auto optional_number = [&](const char* key) { return limits.contains(key) ? integer<std::uint64_t>(limits.at(key)) : 0; };
  program.limits = {.clock_ms = integer<unsigned>(limits.at("clock_ms")),
                    .wall_ms = integer<std::uint64_t>(limits.at("wall_ms")),
                    .host_clock_ms = optional_number("host_clock_ms"),
                    .idle_ms = optional_number("idle_ms"),
                    .host_bytes = optional_number("host_bytes"),
                    .file_bytes = optional_number("file_bytes"),
                    .event_budget = integer<std::uint64_t>(limits.at("event_budget")),
                    .memory_bytes = integer<std::size_t>(limits.at("memory_bytes")),
                    .output_bytes = integer<std::size_t>(limits.at("output_bytes"))};
  if (value.contains("operands")) {
    for (const json& one : list(value.at("operands"))) program.operands.push_back(operand_from(one));
  }
  if (value.contains("altered")) {
    for (const json& one : list(value.at("altered")))
      program.altered.push_back({text(one.at("from")), text(one.at("to")), integer<std::size_t>(one.at("element_bytes"))});
  }
  if (value.contains("options")) program.settings = settings_from(value.at("options"));
  if (value.contains("trace")) program.followed = followed_from(value.at("trace"));
  for (const auto& [key, path] :
       {std::pair{"custody", &program.custody}, {"kept_reads", &program.kept_reads}, {"shown_reads", &program.shown_reads}}) {
    if (value.contains(key)) *path = text(value.at(key));
  }
  return program;
}

ProgramDescription read_program(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return program_from(json_from(file));
}

}  // namespace tilelab::program
