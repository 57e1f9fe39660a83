// Writes and reads the messages of protocol.hpp as JSON. Reading is strict, because the peer may be hostile: it throws if a field
// is missing, has another type or is out of range. Nothing is rounded, wrapped or given a default value. Whoever reads a message
// must judge what its strings mean, and how long they may be.
#include "protocol/protocol.hpp"

#include "protocol/strict_json.hpp"

namespace tilelab::protocol {
namespace {

using nlohmann::json;

using strict::enumerator;
using strict::integer;
using strict::list;
using strict::text;
using strict::three;
using strict::untrusted;

json extent(const Extent& extent) { return {extent.x, extent.y, extent.z}; }

Extent extent(const json& value) {
  const auto [x, y, z] = three(value);
  return {x, y, z};
}

json argument_json(const Argument& argument) {
  json value{
      {"name", argument.name},   {"role", argument.role}, {"element", argument.element},          {"element_bytes", argument.element_bytes},
      {"bytes", argument.bytes}, {"bits", argument.bits}, {"row_elements", argument.row_elements}};
  if (argument.hidden) value["hidden"] = true;
  for (const PointerAt& one : argument.pointers) value["pointers"].push_back({one.offset, one.argument});
  if (argument.texture) value["texture"] = *argument.texture;
  if (argument.role == Role::object) {
    value["words"] = argument.words;
    value["passing"] = argument.passing;
    value["alignment"] = argument.alignment;
    value["pieces"] = json::array();
    for (const Piece& one : argument.pieces) value["pieces"].push_back({one.offset, one.bytes, one.floating});
  }
  return value;
}

void read_object(const json& value, Argument& argument) {
  for (const json& one : list(value.at("words"))) argument.words.push_back(integer<std::uint64_t>(one));
  argument.passing = enumerator<Passing>(value.at("passing"));
  argument.alignment = integer<std::size_t>(value.at("alignment"));
  for (const json& one : list(value.at("pieces")))
    argument.pieces.push_back({integer<std::size_t>(one.at(0)), integer<std::size_t>(one.at(1)), one.at(2).get<bool>()});
}

Argument argument_from(const json& value) {
  Argument argument{.name = text(value.at("name")),
                    .role = enumerator<Role>(value.at("role")),
                    .element = text(value.at("element")),
                    .element_bytes = integer<std::size_t>(value.at("element_bytes")),
                    .bytes = integer<std::size_t>(value.at("bytes")),
                    .bits = integer<std::uint64_t>(value.at("bits")),
                    .row_elements = integer<std::size_t>(value.at("row_elements"))};
  if (value.contains("hidden")) argument.hidden = value.at("hidden").get<bool>();
  if (value.contains("pointers")) {
    for (const json& one : list(value.at("pointers")))
      argument.pointers.push_back({integer<std::size_t>(one.at(0)), integer<std::size_t>(one.at(1))});
  }
  if (argument.role == Role::object) read_object(value, argument);
  if (value.contains("texture")) argument.texture = value.at("texture").get<TextureDescription>();
  return argument;
}

json site_json(const Site& site) {
  json value{{"file", untrusted(site.file)}, {"line", site.line}, {"function", untrusted(site.function)}, {"access", site.access}};
  if (site.block) value["block"] = *site.block;
  if (site.thread) value["thread"] = *site.thread;
  return value;
}

Site site_from(const json& value) {
  Site site{.file = text(value.at("file")),
            .line = integer<int>(value.at("line")),
            .function = text(value.at("function")),
            .access = text(value.at("access")),
            .block = {},
            .thread = {}};
  if (value.contains("block")) site.block = three(value.at("block"));
  if (value.contains("thread")) site.thread = three(value.at("thread"));
  return site;
}

}  // namespace

void to_json(json& value, const LaunchConfig& config) {
  value = {{"grid", extent(config.grid)}, {"block", extent(config.block)}, {"shared_bytes", config.shared_bytes}};
}

void from_json(const json& value, LaunchConfig& config) {
  config = {extent(value.at("grid")), extent(value.at("block")), integer<std::size_t>(value.at("shared_bytes"))};
}

void to_json(json& value, const LaunchRequest& request) {
  value = {{"launch_arguments", request.launch_arguments},
           {"event_budget", request.event_budget},
           {"clock_ms", request.clock_ms},
           {"shared_poison", request.shared_poison},
           {"reversed", request.reversed},
           {"cooperative", request.cooperative},
           {"second", request.second},
           {"allow_same_value_writes", request.allow_same_value_writes},
           {"early_return_is_error", request.early_return_is_error},
           {"arguments", json::array()}};
  for (const Argument& argument : request.arguments) value["arguments"].push_back(argument_json(argument));
  if (request.config) value["config"] = *request.config;
  if (request.order_seed) value["order_seed"] = *request.order_seed;
  if (request.trace) value["trace"] = *request.trace;
  if (request.traffic) value["traffic"] = true;
  if (request.follows_values) value["follows_values"] = true;
  if (request.memory) value["memory"] = *request.memory;
}

void from_json(const json& value, LaunchRequest& request) {
  request = {};
  for (const json& one : list(value.at("arguments"))) request.arguments.push_back(argument_from(one));
  for (const json& one : list(value.at("launch_arguments"))) request.launch_arguments.push_back(integer<int>(one));
  request.event_budget = integer<std::uint64_t>(value.at("event_budget"));
  request.clock_ms = integer<unsigned>(value.at("clock_ms"));
  request.shared_poison = integer<std::uint8_t>(value.at("shared_poison"));
  if (value.contains("reversed")) request.reversed = value.at("reversed").get<bool>();
  if (value.contains("cooperative")) request.cooperative = value.at("cooperative").get<bool>();
  if (value.contains("second")) request.second = value.at("second").get<bool>();
  if (value.contains("allow_same_value_writes")) request.allow_same_value_writes = value.at("allow_same_value_writes").get<bool>();
  if (value.contains("early_return_is_error")) request.early_return_is_error = value.at("early_return_is_error").get<bool>();
  if (value.contains("config")) request.config = value.at("config").get<LaunchConfig>();
  if (value.contains("order_seed")) request.order_seed = integer<std::uint64_t>(value.at("order_seed"));
  if (value.contains("trace")) request.trace = value.at("trace").get<TraceRequest>();
  request.traffic = value.contains("traffic") && value.at("traffic").get<bool>();
  request.follows_values = value.contains("follows_values") && value.at("follows_values").get<bool>();
  if (value.contains("memory")) request.memory = value.at("memory").get<ProgramMemory>();
}

void to_json(json& value, const Finding& finding) {
  value = {{"kind", finding.kind},
           {"severity", finding.severity},
           {"site", site_json(finding.site)},
           {"array", untrusted(finding.array)},
           {"element", untrusted(finding.element)},
           {"message", untrusted(finding.message)},
           {"count", finding.count}};
  if (finding.other) value["other"] = site_json(*finding.other);
  if (finding.address != 0) value["address"] = finding.address;
}

void from_json(const json& value, Finding& finding) {
  finding = {.kind = text(value.at("kind")),
             .severity = text(value.at("severity")),
             .site = site_from(value.at("site")),
             .other = {},
             .array = text(value.at("array")),
             .element = text(value.at("element")),
             .message = text(value.at("message")),
             .count = integer<std::uint64_t>(value.at("count"))};
  if (value.contains("other")) finding.other = site_from(value.at("other"));
  if (value.contains("address")) finding.address = integer<std::uint64_t>(value.at("address"));
}

void to_json(json& value, const LaunchReply& reply) {
  value = {{"status", reply.status},
           {"detail", untrusted(reply.detail)},
           {"config", reply.config},
           {"findings", json::array()},
           {"counters", json::object()},
           {"printed", untrusted(reply.printed)},
           {"needs_reversed_run", reply.needs_reversed_run},
           {"left_data", reply.left_data}};
  for (const Finding& finding : reply.findings) value["findings"].push_back(finding);
  for (const auto& [name, count] : reply.counters) value["counters"][name] = count;
  if (reply.trace) value["trace"] = *reply.trace;
  if (reply.traffic) value["traffic"] = *reply.traffic;
  for (const BufferUse& use : reply.uses) value["uses"].push_back(use);
}

void from_json(const json& value, LaunchReply& reply) {
  reply = {};
  reply.status = enumerator<Status>(value.at("status"));
  reply.detail = text(value.at("detail"));
  reply.config = value.at("config").get<LaunchConfig>();
  for (const json& one : list(value.at("findings"))) reply.findings.push_back(one.get<Finding>());
  for (const auto& [name, count] : value.at("counters").get_ref<const json::object_t&>()) {
    reply.counters[name] = integer<std::uint64_t>(count);
  }
  reply.printed = text(value.at("printed"));
  if (value.contains("trace")) reply.trace = value.at("trace").get<Trace>();
  if (value.contains("traffic")) reply.traffic = value.at("traffic").get<Traffic>();
  if (value.contains("uses")) {
    for (const json& one : list(value.at("uses"))) reply.uses.push_back(one.get<BufferUse>());
  }
  if (value.contains("needs_reversed_run")) reply.needs_reversed_run = value.at("needs_reversed_run").get<bool>();
  if (value.contains("left_data")) reply.left_data = value.at("left_data").get<bool>();
}

}  // namespace tilelab::protocol
