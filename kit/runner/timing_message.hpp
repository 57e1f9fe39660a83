// The part of the protocol that times kernels: which launch, how often, and what came of it. A runner that is asked to time
// answers one such request; its times are its word, and whoever asked verifies the outputs that it kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/protocol.hpp"

namespace tilelab::protocol {

inline constexpr unsigned most_rounds = 1024, most_contestants = 8;

// Sent ahead of a request: make what takes long, and answer with an empty reply.
inline constexpr const char* prepare_to_time = "{\"prepare\": true}";

struct TimingRequest {
  LaunchRequest launch;  // its buffers come without files: inputs are made on the device, see runner/timed_input.hpp
  std::uint64_t input_seed = 0;
  unsigned first_round = 0;  // rounds are counted from here, so that no later request repeats an input
  unsigned rounds = 31;
  unsigned warm_up_ms = 200;  // at least so long, before the first sample
  unsigned kept_contestant = 0;
  std::vector<unsigned> kept_rounds;  // whose outputs are copied back, one after the other, into the file that comes along
};

// What the device said of itself. Zero: it does not say.
struct ClockReading {
  unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
  std::uint64_t throttle_reasons = 0;  // NVML's bits
};

struct TimingReply {
  Status status = Status::completed;
  std::string detail;                            // of any other status: one sentence
  unsigned contestant = 0;                       // of any other status: whose launch it was
  bool slow = false;                             // timed out, but it does end: too slow to be timed
  std::vector<LaunchConfig> configs;             // of each contestant
  std::vector<std::vector<double>> nanoseconds;  // of each contestant, round by round
  ClockReading before, after;                    // the timed rounds
  double warm_up_ms = 0, timed_ms = 0;           // on the wall
  unsigned warm_up_rounds = 0;
};

// Reading throws nlohmann::json::exception on anything that is not the shape above, or not finite.
void to_json(nlohmann::json&, const TimingRequest&);
void from_json(const nlohmann::json&, TimingRequest&);
void to_json(nlohmann::json&, const TimingReply&);
void from_json(const nlohmann::json&, TimingReply&);

}  // namespace tilelab::protocol
