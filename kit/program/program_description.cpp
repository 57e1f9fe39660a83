#include "program/program_description.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/message_fields.hpp"

namespace tilelab::program {

using fields::read;
using nlohmann::json;
using strict::refuse;

TILELAB_FIELDS(KernelParameter, TILELAB_NEEDS(name, element, bytes, element_bytes, is_pointer, only_reads, passing, pieces, alignment))
TILELAB_MESSAGE(KernelVariable, TILELAB_NEEDS(name, bytes))
TILELAB_FIELDS(KernelDescription, TILELAB_NEEDS(parameters, variables, static_shared_bytes) TILELAB_MAY_HAVE(name, allocates, code))
TILELAB_FIELDS(OperandDescription, TILELAB_NEEDS(name) TILELAB_MAY_HAVE(value, bytes, for_host, content, keep, marks))
TILELAB_MESSAGE(AlterationDescription, TILELAB_NEEDS(from, to, element_bytes))
TILELAB_MESSAGE(LaunchSettings, TILELAB_MAY_HAVE(order_seed, withholds_inputs, carries, tagged, reversed, traffic, allow_same_value_writes,
                                                 tell_same_value_writes, early_return_is_error))
TILELAB_MESSAGE(FollowedLaunch, TILELAB_NEEDS(launch, of, reversed))
TILELAB_MESSAGE(ProgramLimits, TILELAB_NEEDS(clock_ms, wall_ms, event_budget, memory_bytes, output_bytes)
                                   TILELAB_MAY_HAVE(host_clock_ms, idle_ms, host_bytes, file_bytes, taken_bytes))

void from_json(const json& value, KernelParameter& one) {
  read_fields(value, one);
  if (one.bytes == 0 || one.bytes > 32768 || (one.is_pointer && one.bytes != 8)) refuse(value, "a parameter of a possible size");
}

void from_json(const json& value, KernelDescription& kernel) {
  if (value.contains("refusal")) {
    kernel.refusal = value.at("refusal");
    if (value.contains("name")) read(value.at("name"), kernel.name);
    return;
  }
  read_fields(value, kernel);
  read(value.at("runner").at("argv"), kernel.argv);
  if (kernel.argv.empty()) refuse(value, "how the kernel's runner is started");
}

void from_json(const json& value, OperandDescription& one) {
  read_fields(value, one);
  const std::string& kind = strict::text(value.at("kind"));
  one.is_scalar = kind == "scalar";
  one.is_input = kind == "input";
  if (!value.contains(one.is_scalar ? "value" : "bytes")) refuse(value, "a scalar with a value, or memory");
  if (!one.is_scalar) one.on_host = strict::text(value.at("memory")) == "host";
}

TILELAB_FIELDS(ProgramDescription, TILELAB_NEEDS(kernels, limits)
                                       TILELAB_MAY_HAVE(operands, altered, options, trace, plan, transfer_log, kept_reads, shown_reads))

ProgramDescription program_from(const json& value) {
  ProgramDescription program;
  read_fields(value, program);
  read(value.at("host").at("argv"), program.host_argv);
  if (program.host_argv.empty()) refuse(value, "how the program is started");
  return program;
}

ProgramDescription read_program(const std::string& path) { return program_from(json_of(path)); }

}  // namespace tilelab::program
