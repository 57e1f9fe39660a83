#include "protocol/timing_message.hpp"

#include <algorithm>

#include "protocol/message_fields.hpp"

namespace tilelab::protocol {

TILELAB_MESSAGE(ClockReading, TILELAB_NEEDS(sm_mhz, memory_mhz, temperature_c, power_mw, throttle_reasons))
TILELAB_FIELDS(TimingRequest, TILELAB_NEEDS(launch, round_seeds, warm_up_seed, warm_up_ms, kept_contestant, kept_rounds))
TILELAB_FIELDS(TimingReply,
               TILELAB_NEEDS(status, detail, contestant, slow, configs, nanoseconds, before, after, warm_up_ms, timed_ms, warm_up_rounds))

void from_json(const nlohmann::json& value, TimingRequest& request) {
  read_fields(value, request);
  const auto is_no_round = [](unsigned round) { return round > most_rounds; };
  if (request.round_seeds.size() > most_rounds || std::ranges::any_of(request.kept_rounds, is_no_round))
    strict::refuse(value, "fewer rounds");
  if (request.warm_up_ms > 60'000) strict::refuse(value, "a shorter warm-up");
  if (request.kept_contestant > most_contestants) strict::refuse(value, "fewer contestants");
}

void from_json(const nlohmann::json& value, TimingReply& reply) {
  read_fields(value, reply);
  if (std::max<std::size_t>(reply.contestant, reply.nanoseconds.size()) > most_contestants) strict::refuse(value, "fewer contestants");
  const auto is_no_time = [](double time) { return time < 0; };
  for (const std::vector<double>& rounds : reply.nanoseconds) {
    if (rounds.size() > most_rounds) strict::refuse(value, "fewer rounds");
    if (std::ranges::any_of(rounds, is_no_time)) strict::refuse(value, "a time");
  }
  if (is_no_time(reply.warm_up_ms) || is_no_time(reply.timed_ms)) strict::refuse(value, "a time");
}

}  // namespace tilelab::protocol
