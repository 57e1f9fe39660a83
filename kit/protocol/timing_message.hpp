// The part of the protocol that times kernels: which launch, how often, and the results. A runner answers one such request. Its
// times are not verified, but whoever sent the request verifies the outputs that the runner kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/protocol.hpp"

namespace tilelab::protocol {

inline constexpr unsigned most_rounds = 1024, most_contestants = 8;

// Sent before a request: the runner then does everything that takes long, and answers with an empty reply.
inline constexpr const char* prepare_to_time = "{\"prepare\": true}";

struct TimingRequest {
  LaunchRequest launch;                    // its buffers have no files: inputs are made on the device, see protocol/timed_input.hpp
  std::vector<std::uint64_t> round_seeds;  // one round for each; its inputs follow from it
  std::uint64_t warm_up_seed = 0;          // the inputs of the warm-up's rounds follow from it
  unsigned warm_up_ms = 200;               // minimum time before the first sample
  unsigned kept_contestant = 0;
  std::vector<unsigned> kept_rounds;  // the rounds whose outputs are copied, one after another, into the file sent with the request
};

// What NVML says about the device. Zero means unknown.
struct ClockReading {
  unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
  std::uint64_t throttle_reasons = 0;  // NVML's bit mask
};

struct TimingReply {
  Status status = Status::completed;
  std::string detail;                            // if the status is not `completed`: one sentence
  unsigned contestant = 0;                       // if the status is not `completed`: whose launch it was
  bool slow = false;                             // with `timeout`: the launch does end, but is too slow to be timed
  std::vector<LaunchConfig> configs;             // for each contestant
  std::vector<std::vector<double>> nanoseconds;  // for each contestant, for each round
  ClockReading before, after;                    // of the timed rounds
  double warm_up_ms = 0, timed_ms = 0;           // wall-clock time
  unsigned warm_up_rounds = 0;
};

// Reading throws nlohmann::json::exception if the JSON does not have the shape above, or a number is not finite.
void to_json(nlohmann::json&, const TimingRequest&);
void from_json(const nlohmann::json&, TimingRequest&);
void to_json(nlohmann::json&, const TimingReply&);
void from_json(const nlohmann::json&, TimingReply&);

}  // namespace tilelab::protocol
