#include "program/program_description.hpp"

#include <fstream>
#include <stdexcept>

#include "runner/strict_json.hpp"

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
  return kernel;
}

}  // namespace

ProgramDescription program_from(const json& value) {
  ProgramDescription program;
  for (const json& one : list(value.at("host").at("argv"))) program.host_argv.push_back(text(one));
  if (program.host_argv.empty()) strict::refuse(value, "how the program is started");
  for (const auto& [name, kernel] : value.at("kernels").get_ref<const json::object_t&>()) program.kernels[name] = kernel_from(kernel);
  const json& limits = value.at("limits");
  program.limits = {.clock_ms = integer<unsigned>(limits.at("clock_ms")),
                    .wall_ms = integer<std::uint64_t>(limits.at("wall_ms")),
                    .event_budget = integer<std::uint64_t>(limits.at("event_budget")),
                    .memory_bytes = integer<std::size_t>(limits.at("memory_bytes")),
                    .output_bytes = integer<std::size_t>(limits.at("output_bytes"))};
  if (value.contains("custody")) program.custody = text(value.at("custody"));
  return program;
}

ProgramDescription read_program(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return program_from(json::parse(file));
}

}  // namespace tilelab::program
