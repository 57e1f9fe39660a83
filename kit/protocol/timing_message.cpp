#include "protocol/timing_message.hpp"

#include <cmath>

#include "protocol/strict_json.hpp"

namespace tilelab::protocol {
namespace {

using nlohmann::json;
using strict::integer;
using strict::list;

unsigned bounded(const json& value, unsigned most) {
  const auto number = integer<unsigned>(value);
  if (number > most) strict::refuse(value, "a smaller number");
  return number;
}

double finite(const json& value) {
  if (!value.is_number()) strict::refuse(value, "a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < 0) strict::refuse(value, "a time");
  return number;
}

json reading_json(const ClockReading& reading) {
  return {{"sm_mhz", reading.sm_mhz},
          {"memory_mhz", reading.memory_mhz},
          {"temperature_c", reading.temperature_c},
          {"power_mw", reading.power_mw},
          {"throttle_reasons", reading.throttle_reasons}};
}

ClockReading reading_from(const json& value) {
  return {.sm_mhz = integer<unsigned>(value.at("sm_mhz")),
          .memory_mhz = integer<unsigned>(value.at("memory_mhz")),
          .temperature_c = integer<unsigned>(value.at("temperature_c")),
          .power_mw = integer<unsigned>(value.at("power_mw")),
          .throttle_reasons = integer<std::uint64_t>(value.at("throttle_reasons"))};
}

}  // namespace

void to_json(json& value, const TimingRequest& request) {
  value = {{"launch", request.launch},         {"round_seeds", request.round_seeds},         {"warm_up_seed", request.warm_up_seed},
           {"warm_up_ms", request.warm_up_ms}, {"kept_contestant", request.kept_contestant}, {"kept_rounds", request.kept_rounds}};
}

void from_json(const json& value, TimingRequest& request) {
  request = {};
  request.launch = value.at("launch").get<LaunchRequest>();
  for (const json& one : list(value.at("round_seeds"))) request.round_seeds.push_back(integer<std::uint64_t>(one));
  if (request.round_seeds.size() > most_rounds) throw json::other_error::create(501, "too many rounds", &value);
  request.warm_up_seed = integer<std::uint64_t>(value.at("warm_up_seed"));
  request.warm_up_ms = bounded(value.at("warm_up_ms"), 60'000);
  request.kept_contestant = bounded(value.at("kept_contestant"), most_contestants);
  for (const json& one : list(value.at("kept_rounds"))) request.kept_rounds.push_back(bounded(one, most_rounds));
}

void to_json(json& value, const TimingReply& reply) {
  value = {{"status", reply.status},
           {"detail", strict::untrusted(reply.detail)},
           {"contestant", reply.contestant},
           {"slow", reply.slow},
           {"configs", reply.configs},
           {"nanoseconds", reply.nanoseconds},
           {"before", reading_json(reply.before)},
           {"after", reading_json(reply.after)},
           {"warm_up_ms", reply.warm_up_ms},
           {"timed_ms", reply.timed_ms},
           {"warm_up_rounds", reply.warm_up_rounds}};
}

void from_json(const json& value, TimingReply& reply) {
  reply = {};
  reply.status = strict::enumerator<Status>(value.at("status"));
  reply.detail = strict::text(value.at("detail"));
  reply.contestant = bounded(value.at("contestant"), most_contestants);
  reply.slow = value.at("slow").get<bool>();
  for (const json& one : list(value.at("configs"))) reply.configs.push_back(one.get<LaunchConfig>());
  if (list(value.at("nanoseconds")).size() > most_contestants) strict::refuse(value, "fewer contestants");
  for (const json& rounds : list(value.at("nanoseconds"))) {
    if (list(rounds).size() > most_rounds) strict::refuse(value, "fewer rounds");
    reply.nanoseconds.emplace_back();
    for (const json& one : list(rounds)) reply.nanoseconds.back().push_back(finite(one));
  }
  reply.before = reading_from(value.at("before"));
  reply.after = reading_from(value.at("after"));
  reply.warm_up_ms = finite(value.at("warm_up_ms"));
  reply.timed_ms = finite(value.at("timed_ms"));
  reply.warm_up_rounds = integer<unsigned>(value.at("warm_up_rounds"));
}

}  // namespace tilelab::protocol
