// Timing messages survive JSON unchanged, and only their exact shape is read.
#include "protocol/protocol.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab::protocol;
using nlohmann::json;

namespace {

TimingReply full_reply() {
  TimingReply reply;
  reply.configs = {{{64, 64, 1}, {16, 16, 1}, 0}, {{32, 32, 1}, {32, 32, 1}, 128}};
  reply.nanoseconds = {{400'000.0, 401'000.5}, {250'000.0, 249'000.0}};
  reply.before = {.sm_mhz = 1980, .memory_mhz = 3201, .temperature_c = 40, .power_mw = 300'000, .throttle_reasons = 4};
  reply.warm_up_ms = 201.5;
  reply.timed_ms = 90;
  reply.warm_up_rounds = 80;
  return reply;
}

}  // namespace

TEST_CASE("a timing request survives JSON unchanged", "[timing-message]") {
  TimingRequest request;
  request.launch.launch_arguments = {1024, 1024, 1024};
  request.round_seeds = {~0ull, 0, 7};
  request.warm_up_seed = ~0ull - 1;
  request.kept_rounds = {0, 29};
  const json once = request;
  CHECK(json(json::parse(once.dump()).get<TimingRequest>()) == once);
}

TEST_CASE("a timing reply survives JSON unchanged", "[timing-message]") {
  const json once = full_reply();
  CHECK(json(json::parse(once.dump()).get<TimingReply>()) == once);
}

TEST_CASE("a reply that is no reply is refused", "[timing-message]") {
  json reply = full_reply();
  const auto [key, value] = GENERATE(table<std::string, json>({{"nanoseconds", json::array({json::array({-1})})},
                                                               {"nanoseconds", json::array({json::array({"fast"})})},
                                                               {"nanoseconds", json::array({json::array({nullptr})})},
                                                               {"nanoseconds", std::vector<json>(9, json::array())},
                                                               {"contestant", 9},
                                                               {"status", "splendid"},
                                                               {"configs", json::array({json::object()})}}));
  reply[key] = value;
  CHECK_THROWS_AS(reply.get<TimingReply>(), json::exception);
}

TEST_CASE("a request for too many rounds is refused", "[timing-message]") {
  TimingRequest request;
  request.round_seeds.assign(most_rounds, 1);
  CHECK_NOTHROW(json(request).get<TimingRequest>());
  request.round_seeds.push_back(1);
  CHECK_THROWS_AS(json(request).get<TimingRequest>(), json::exception);
}
